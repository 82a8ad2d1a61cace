#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int64_t clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int connection_open(struct connection* c, int socket, const struct phases* phases) {
  const int on = 1;
  int flags = fcntl(socket, F_GETFL);
  c->socket = socket;
  c->deadline = clock_now() + phases->idle;
  c->skipping = 0;
  c->used = c->size = c->sent = 0;
  /* Send short replies at once, even if the client has not acknowledged the previous one. */
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return flags >= 0 && fcntl(socket, F_SETFL, flags | O_NONBLOCK) == 0;
}

void connection_close(struct connection* c) {
  struct linger none = {1, 0};
  /* Otherwise the kernel would keep an unread reply for minutes. */
  if (c->sent < c->size) setsockopt(c->socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  close(c->socket);
}

/* Returns the end of the first line, or NULL. */
static char* find_end(const struct connection* c) { return memchr(c->line, '\n', c->used); }

int connection_events(const struct connection* c) {
  if (c->sent < c->size) return POLLOUT;
  return find_end(c) ? 0 : POLLIN;
}

static int would_block(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/* Writes the answer to a line, which ends at the byte '\n': "<output> <probability>", or
   "error: <message>". */
static void answer(struct connection* c, struct query* query, const struct model* model,
                   char* end) {
  float inputs[MOST_INPUTS], probability;
  const char* rest = c->line;
  char message[300];
  size_t count = 0;
  int output;
  *end = '\0';
  for (;;) {
    char* after;
    float value = strtof(rest, &after);
    if (after == rest || count == MOST_INPUTS || !isfinite(value)) break;
    inputs[count++] = value;
    rest = after;
  }
  if (c->skipping) {
    snprintf(c->reply, MOST_REPLY, "error: the line is too long\n");
  } else if (rest + strspn(rest, " \t\r") != end) { /* also if a zero byte stopped strtof */
    snprintf(c->reply, MOST_REPLY, "error: numbers are expected, at most %d\n", MOST_INPUTS);
  } else {
    output = query_run(query, model, inputs, count, &probability, message, sizeof(message));
    if (output < 0) {
      snprintf(c->reply, MOST_REPLY, "error: %s\n", message);
    } else {
      snprintf(c->reply, MOST_REPLY, "%d %.4f\n", output, probability);
    }
  }
}

/* Reads the available bytes. Returns 0 if the client has left. */
static int receive(struct connection* c, const struct phases* phases) {
  ssize_t got = recv(c->socket, c->line + c->used, MOST_LINE - c->used, 0);
  if (got <= 0) return got < 0 && would_block();
  /* Later bytes do not extend the deadline, so sending byte by byte gains nothing. */
  if (c->used == 0 && !c->skipping) c->deadline = clock_now() + phases->line;
  c->used += (size_t)got;
  if (c->used == MOST_LINE && !find_end(c)) {
    c->skipping = 1;
    c->used = 0;
  }
  return 1;
}

int connection_advance(struct connection* c, const struct phases* phases, struct query* query,
                       const struct model* model) {
  char* end = find_end(c);
  if (c->size == 0 && !end) {
    if (!receive(c, phases)) return 0;
    end = find_end(c);
  }
  if (c->size == 0 && end) {
    size_t length = (size_t)(end - c->line) + 1;
    answer(c, query, model, end);
    memmove(c->line, end + 1, c->used - length);
    c->used -= length;
    c->skipping = 0;
    c->size = strlen(c->reply);
    c->deadline = clock_now() + phases->reply;
  }
  if (c->sent < c->size) {
    ssize_t sent = send(c->socket, c->reply + c->sent, c->size - c->sent, MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) return 0;
    if (sent > 0) c->sent += (size_t)sent;
  }
  if (c->size > 0 && c->sent == c->size) {
    c->size = c->sent = 0;
    c->deadline = clock_now() + (c->used > 0 ? phases->line : phases->idle);
  }
  return 1;
}

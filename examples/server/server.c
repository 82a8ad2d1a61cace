/* libTH in a server with threads: each of a few POSIX threads takes connections and answers lines
   of numbers with the output that a model finds most likely. The threads share the model's weights.

     server WEIGHTS [THREADS]

   It listens on a port of 127.0.0.1 that the system chooses and prints it; SIGTERM or SIGINT ends
   it. */

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <TH/TH.h>

#include "model.h"

#define MOST_THREADS 64
#define MOST_INPUTS 1024
#define MOST_TEXT 8192 /* of a line */
#define PATIENCE 30000 /* milliseconds for which a connection may be silent */

struct server {
  const struct model* model;
  int listener;
  int ending; /* the end of a pipe to read from, which is closed when the server is to end */
};

/* What a thread keeps of its connection. */
struct connection {
  int socket;
  size_t used; /* of text, what came and is not answered yet */
  char text[MOST_TEXT];
};

/* Waits until there is something at fd: 1, or 0 where the server is to end, or the time is over. */
static int wait_for(const struct server* server, int fd, int milliseconds) {
  struct pollfd watched[2];
  int found;
  watched[0].fd = server->ending;
  watched[1].fd = fd;
  watched[0].events = watched[1].events = POLLIN;
  do {
    found = poll(watched, 2, milliseconds);
  } while (found < 0 && errno == EINTR);
  return found > 0 && watched[0].revents == 0;
}

static int send_all(int socket, const char* text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t sent = send(socket, text, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return 0;
    text += sent;
    left -= (size_t)sent;
  }
  return 1;
}

/* Answers one line: "<output> <probability>", or "error: <message>". */
static int answer(const struct server* server, struct query* query, int socket, char* line) {
  float inputs[MOST_INPUTS], probability;
  char message[300], reply[400];
  size_t count = 0;
  char* end = line;
  int output;
  for (;;) {
    float value = strtof(line, &end);
    if (end == line || count == MOST_INPUTS) break;
    inputs[count++] = value;
    line = end;
  }
  if (strspn(line, " \t\r") != strlen(line)) {
    return send_all(socket, "error: numbers are expected, at most 1024\n");
  }
  output = query_run(query, server->model, inputs, count, &probability, message, sizeof(message));
  if (output < 0) {
    snprintf(reply, sizeof(reply), "error: %s\n", message);
  } else {
    snprintf(reply, sizeof(reply), "%d %.4f\n", output, probability);
  }
  return send_all(socket, reply);
}

/* Answers the lines of a connection until either side ends. */
static void serve(const struct server* server, struct query* query, struct connection* c) {
  c->used = 0;
  while (wait_for(server, c->socket, PATIENCE)) {
    char* newline;
    ssize_t got = recv(c->socket, c->text + c->used, MOST_TEXT - 1 - c->used, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    c->used += (size_t)got;
    while ((newline = memchr(c->text, '\n', c->used)) != NULL) {
      size_t length = (size_t)(newline - c->text) + 1;
      *newline = '\0';
      if (!answer(server, query, c->socket, c->text)) return;
      memmove(c->text, c->text + length, c->used - length);
      c->used -= length;
    }
    if (c->used == MOST_TEXT - 1) {
      send_all(c->socket, "error: the line is too long\n");
      return;
    }
  }
}

/* Whether calls for a socket wait until they are done. */
static int set_waiting(int socket, int waiting) {
  int flags = fcntl(socket, F_GETFL);
  if (flags < 0) return 0;
  flags = waiting ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
  return fcntl(socket, F_SETFL, flags) == 0;
}

/* A thread: its query is its own, the model everybody's. */
static void* work(void* data) {
  const struct server* server = data;
  struct query* query = query_new();
  struct connection* connection = malloc(sizeof(*connection));
  while (query && connection && wait_for(server, server->listener, -1)) {
    connection->socket = accept(server->listener, NULL, NULL);
    if (connection->socket < 0) continue; /* another thread was quicker */
    set_waiting(connection->socket, 1);
    serve(server, query, connection);
    close(connection->socket);
  }
  free(connection);
  query_free(query);
  return NULL;
}

/* A socket that listens on a free port of the loopback interface; -1 where that fails. */
static int listen_locally(int* port) {
  struct sockaddr_in address;
  socklen_t size = sizeof(address);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof(address));
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || bind(fd, (struct sockaddr*)&address, size) != 0 || listen(fd, 64) != 0 ||
      getsockname(fd, (struct sockaddr*)&address, &size) != 0 || !set_waiting(fd, 0)) {
    if (fd >= 0) close(fd);
    return -1;
  }
  *port = ntohs(address.sin_port);
  return fd;
}

/* Runs threads until a signal comes. They inherit that the signals are blocked: only sigwait sees
   them. Returns how many threads there were. */
static int run(struct server* server, int wanted, const sigset_t* signals, int closing) {
  pthread_t threads[MOST_THREADS];
  int count = 0, received, i;
  while (count < wanted && pthread_create(&threads[count], NULL, work, server) == 0) ++count;
  if (count > 0) sigwait(signals, &received);
  close(closing);
  for (i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return count;
}

int main(int argc, char** argv) {
  int wanted = argc > 2 ? atoi(argv[2]) : 4, port, ends[2], threads;
  int64_t bytes_before, blocks_before, bytes, blocks;
  char message[300] = "no memory";
  struct server server;
  struct model* model;
  sigset_t signals;

  if (argc < 2 || wanted < 1 || wanted > MOST_THREADS) {
    fprintf(stderr, "usage: server WEIGHTS [THREADS], 1 to %d of them\n", MOST_THREADS);
    return 2;
  }
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);

  /* The server's threads share the cores among them: an operation of TH takes one. */
  THSetNumThreads(1);
  THMemoryUsage(&bytes_before, &blocks_before);
  model = model_load(argv[1], message, sizeof(message));
  if (!model) {
    fprintf(stderr, "server: %s\n", message);
    return 1;
  }
  server.model = model;
  server.listener = listen_locally(&port);
  if (server.listener < 0 || pipe(ends) != 0) {
    perror("server");
    model_free(model);
    return 1;
  }
  server.ending = ends[0];
  printf("listening on 127.0.0.1 %d\n", port);
  fflush(stdout);

  threads = run(&server, wanted, &signals, ends[1]);
  close(ends[0]);
  close(server.listener);
  model_free(model);
  THMemoryUsage(&bytes, &blocks);
  printf("%d threads ended, left over: %ld bytes in %ld blocks\n", threads,
         (long)(bytes - bytes_before), (long)(blocks - blocks_before));
  return threads == wanted && bytes == bytes_before && blocks == blocks_before ? 0 : 1;
}

/* libTH in a multithreaded server: each of a few POSIX threads serves many connections. It answers
   each line of numbers with the most likely output of a model. The threads share only the model's
   weights.

     server WEIGHTS [THREADS]

   It listens on a port of 127.0.0.1 that the system chooses, and prints the port. SIGTERM or SIGINT
   ends it. */

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

#include "connection.h"
#include "model.h"

#define MOST_THREADS 64
#define KERNEL_BYTES 65536 /* requested size of each of the kernel's two buffers of a socket */
#define ACCEPT_PAUSE 100   /* milliseconds without accept after an error, such as EMFILE */

/* See read_limits. connection.h has the fixed limits: the sizes of lines and replies. */
struct limits {
  int connections;
  struct phases phases;
  int end;
};

struct server {
  struct limits limits;
  const struct model* model;
  int listener;
  int ending; /* read end of a pipe, which is closed when the server has to end */
};

/* A thread with its own tensors and connections. */
struct worker {
  pthread_t thread;
  const struct server* server;
  struct query* query;
  struct connection** connections;
  struct pollfd* watched; /* the pipe, the listener, and the socket of each connection */
  int count;              /* number of connections */
  int64_t accept_after, end;
};

/* Returns the limit in an environment variable, or the default. */
static int limit(const char* name, int otherwise) {
  const char* text = getenv(name);
  char* end;
  long value;
  if (!text) return otherwise;
  value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 1 || value > 3600000) {
    fprintf(stderr, "server: %s is %s; a number from 1 to 3600000 is expected\n", name, text);
    exit(2);
  }
  return (int)value;
}

static void read_limits(struct limits* limits) {
  /* For each thread. A connection needs 9 KB and a descriptor. Further clients wait in the
     kernel. */
  limits->connections = limit("SERVER_CONNECTIONS", 100);
  /* Milliseconds. `idle` limits connections without requests. The others are far longer than a line
     or a reply takes on a slow network. */
  limits->phases.idle = limit("SERVER_IDLE_MS", 30000);
  limits->phases.line = limit("SERVER_LINE_MS", 10000);
  limits->phases.reply = limit("SERVER_REPLY_MS", 10000);
  /* Time for unfinished replies after SIGTERM. */
  limits->end = limit("SERVER_END_MS", 1000);
}

static void close_connection(struct worker* w, int i) {
  connection_close(w->connections[i]);
  free(w->connections[i]);
  w->connections[i] = w->connections[--w->count];
}

static void accept_connection(struct worker* w, int64_t now) {
  int socket = accept(w->server->listener, NULL, NULL);
  struct connection* c;
  if (socket < 0) {
    /* Another thread accepted the connection, or the client left. Other errors would repeat. */
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED) {
      w->accept_after = now + ACCEPT_PAUSE;
    }
    return;
  }
  c = malloc(sizeof(*c));
  if (c && connection_open(c, socket, &w->server->limits.phases)) {
    w->connections[w->count++] = c;
  } else {
    free(c);
    close(socket);
  }
}

/* Waits for a socket, a deadline, or the end. */
static void wait_for_work(struct worker* w) {
  const struct server* server = w->server;
  int64_t now = clock_now(), wake = INT64_MAX;
  int timeout = -1, full = w->count == server->limits.connections, i;
  if (w->end != INT64_MAX) wake = w->end;
  if (!full && w->accept_after > now && w->accept_after < wake) wake = w->accept_after;
  memset(w->watched, 0, (size_t)(w->count + 2) * sizeof(*w->watched));
  w->watched[0].fd = w->end == INT64_MAX ? server->ending : -1;
  w->watched[1].fd = full || w->accept_after > now || w->end != INT64_MAX ? -1 : server->listener;
  w->watched[0].events = w->watched[1].events = POLLIN;
  for (i = 0; i < w->count; ++i) {
    const struct connection* c = w->connections[i];
    w->watched[i + 2].fd = c->socket;
    w->watched[i + 2].events = (short)connection_events(c);
    if (w->watched[i + 2].events == 0) wake = now;
    if (c->deadline < wake) wake = c->deadline;
  }
  if (wake <= now) {
    timeout = 0;
  } else if (wake != INT64_MAX) {
    timeout = (int)(wake - now);
  }
  poll(w->watched, (nfds_t)(w->count + 2), timeout);
}

/* The main function of a thread. */
static void* work(void* data) {
  struct worker* w = data;
  const struct limits* limits = &w->server->limits;
  while (w->end == INT64_MAX || (w->count > 0 && clock_now() < w->end)) {
    int64_t now;
    int i;
    wait_for_work(w);
    now = clock_now();
    if (w->watched[0].revents != 0) w->end = now + limits->end;
    for (i = w->count - 1; i >= 0; --i) {
      struct connection* c = w->connections[i];
      int ready = w->watched[i + 2].revents != 0 || w->watched[i + 2].events == 0;
      int lives = !ready || connection_advance(c, &limits->phases, w->query, w->server->model);
      /* When ending, only finish replies. */
      if (w->end != INT64_MAX && c->size == 0) lives = 0;
      if (!lives || now >= c->deadline) close_connection(w, i);
    }
    if (w->watched[1].revents != 0) accept_connection(w, now);
  }
  while (w->count > 0) close_connection(w, w->count - 1);
  return NULL;
}

/* Initializes a thread's data. Returns 0 if memory has run out. */
static int worker_init(struct worker* w, const struct server* server) {
  size_t most = (size_t)server->limits.connections;
  w->server = server;
  w->query = query_new();
  w->connections = calloc(most, sizeof(*w->connections));
  w->watched = calloc(most + 2, sizeof(*w->watched));
  w->end = INT64_MAX;
  return w->query && w->connections && w->watched;
}

static void worker_free(struct worker* w) {
  query_free(w->query);
  free(w->connections);
  free(w->watched);
}

/* Returns a socket that listens on a free port of the loopback interface, or -1. Connections
   inherit its options. */
static int listen_locally(int* port) {
  struct sockaddr_in address;
  socklen_t size = sizeof(address);
  const int bytes = KERNEL_BYTES;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof(address));
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) != 0 ||
      bind(fd, (struct sockaddr*)&address, size) != 0 || listen(fd, 128) != 0 ||
      getsockname(fd, (struct sockaddr*)&address, &size) != 0 ||
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0) {
    if (fd >= 0) close(fd);
    return -1;
  }
  *port = ntohs(address.sin_port);
  return fd;
}

/* Runs threads until a signal arrives. The threads inherit the blocked signals, so that only
   sigwait receives them. Returns the number of threads. */
static int run(struct worker* workers, int wanted, const sigset_t* signals, int closing) {
  int count = 0, received, i;
  while (count < wanted && pthread_create(&workers[count].thread, NULL, work, &workers[count]) == 0)
    ++count;
  if (count == wanted) sigwait(signals, &received);
  close(closing);
  for (i = 0; i < count; ++i) pthread_join(workers[i].thread, NULL);
  return count;
}

int main(int argc, char** argv) {
  static struct worker workers[MOST_THREADS];
  int wanted = argc > 2 ? atoi(argv[2]) : 4, port, ends[2], threads = 0, ready = 1, i;
  int64_t bytes_before, blocks_before, bytes, blocks;
  char message[300] = "no memory";
  struct server server;
  struct model* model;
  sigset_t signals;

  if (argc < 2 || wanted < 1 || wanted > MOST_THREADS) {
    fprintf(stderr, "usage: server WEIGHTS [THREADS], 1 to %d of them\n", MOST_THREADS);
    return 2;
  }
  read_limits(&server.limits);
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);

  /* The server's threads share the cores, so operations of TH use one thread. */
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
  for (i = 0; i < wanted; ++i) ready = worker_init(&workers[i], &server) && ready;
  if (ready) {
    printf("listening on 127.0.0.1 %d\n", port);
    fflush(stdout);
    threads = run(workers, wanted, &signals, ends[1]);
  }
  for (i = 0; i < wanted; ++i) worker_free(&workers[i]);
  close(ends[0]);
  close(server.listener);
  model_free(model);
  THMemoryUsage(&bytes, &blocks);
  printf("%d threads ended, left over: %ld bytes in %ld blocks\n", threads,
         (long)(bytes - bytes_before), (long)(blocks - blocks_before));
  return threads == wanted && bytes == bytes_before && blocks == blocks_before ? 0 : 1;
}

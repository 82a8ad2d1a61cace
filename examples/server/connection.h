/* A client's connection: receives lines of numbers and sends one line for each. Nothing here
   blocks: the functions do what the socket allows at once and return when to call them again. */

#ifndef CONNECTION_H
#define CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

#define MOST_INPUTS 1024 /* numbers in a line */
#define MOST_LINE 8192   /* bytes in a line: 1024 numbers of 7 digits */
#define MOST_REPLY 400   /* bytes in a reply */

/* How long a client can keep a connection in one phase, in milliseconds. */
struct phases {
  int idle;  /* from accept, or the last reply, to the first byte of a line */
  int line;  /* from the first byte of a line to its end */
  int reply; /* until the client has read a reply */
};

struct connection {
  int socket;
  int64_t deadline; /* end of the current phase, as in clock_now */
  int skipping;     /* the line is too long; the rest of it is dropped */
  size_t used;      /* bytes in line */
  size_t size;      /* bytes in reply; 0: none */
  size_t sent;      /* bytes of reply that were sent */
  char line[MOST_LINE];
  char reply[MOST_REPLY];
};

/* Milliseconds of a monotonic clock. */
int64_t clock_now(void);

/* Takes ownership of a socket. Returns 1 on success, else 0. */
int connection_open(struct connection* c, int socket, const struct phases* phases);

/* Closes the socket. Unsent data is dropped, also by the kernel. */
void connection_close(struct connection* c);

/* Returns the events to wait for at the socket: POLLIN or POLLOUT of poll; 0: do not wait. */
int connection_events(const struct connection* c);

/* Reads, answers at most one line, and sends. Returns 0 if the connection has ended. */
int connection_advance(struct connection* c, const struct phases* phases, struct query* query,
                       const struct model* model);

#endif

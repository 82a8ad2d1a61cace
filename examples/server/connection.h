/* A client's connection: lines of numbers come in, a line goes out for each. Nothing here waits:
   the functions do what the socket allows at once, and say when to call them again. */

#ifndef CONNECTION_H
#define CONNECTION_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

#define MOST_INPUTS 1024 /* numbers of a line */
#define MOST_LINE 8192   /* bytes of a line: 1024 numbers of 7 digits */
#define MOST_REPLY 400   /* bytes of a reply */

/* Milliseconds for which a client can keep a connection in one phase. */
struct phases {
  int idle;  /* from the accept, or a reply, to the first byte of a line */
  int line;  /* from the first byte of a line to its end */
  int reply; /* for a client to read a reply */
};

struct connection {
  int socket;
  int64_t deadline; /* the end of the current phase, by clock_now */
  int skipping;     /* the line is too long; the rest of it is not kept */
  size_t used;      /* bytes of line */
  size_t size;      /* bytes of reply; 0: none */
  size_t sent;      /* of reply */
  char line[MOST_LINE];
  char reply[MOST_REPLY];
};

/* Milliseconds of a clock that nobody sets. */
int64_t clock_now(void);

/* Takes over a socket. Returns whether that worked. */
int connection_open(struct connection* c, int socket, const struct phases* phases);

/* Closes the socket. Data that was not sent is lost, and the kernel keeps none of it. */
void connection_close(struct connection* c);

/* Returns what to wait for at the socket: POLLIN or POLLOUT of poll; 0: do not wait. */
int connection_events(const struct connection* c);

/* Reads, answers at most one line, and sends. Returns 0 if the connection has ended. */
int connection_advance(struct connection* c, const struct phases* phases, struct query* query,
                       const struct model* model);

#endif

/* Sends the lines of its standard input to a port of 127.0.0.1, one at a time, and prints the line
   that answers each.

     client PORT [TIMES]

   With TIMES it repeats all lines that many times and prints the answers of the first round. If
   later answers differ, it fails. */

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_LINES 64
#define MOST_TEXT 16384

static char lines[MOST_LINES][MOST_TEXT];
static char answers[MOST_LINES][MOST_TEXT];

static int connect_to(int port) {
  struct sockaddr_in address;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  memset(&address, 0, sizeof(address));
  address.sin_family = AF_INET;
  address.sin_port = htons((unsigned short)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr*)&address, sizeof(address)) != 0) return -1;
  return fd;
}

int main(int argc, char** argv) {
  static char answer[MOST_TEXT];
  int port = argc > 1 ? atoi(argv[1]) : 0, times = argc > 2 ? atoi(argv[2]) : 1, count = 0, i, k;
  int socket = connect_to(port);
  FILE* to = socket < 0 ? NULL : fdopen(socket, "w");
  FILE* from = to ? fdopen(dup(socket), "r") : NULL;
  if (!from) {
    perror("client");
    return 1;
  }
  while (count < MOST_LINES && fgets(lines[count], MOST_TEXT, stdin)) ++count;
  for (i = 0; i < times; ++i) {
    for (k = 0; k < count; ++k) {
      fputs(lines[k], to);
      fflush(to);
      if (!fgets(answer, MOST_TEXT, from)) {
        fprintf(stderr, "client: the server ended the connection\n");
        return 1;
      }
      if (i == 0) {
        memcpy(answers[k], answer, MOST_TEXT);
        fputs(answer, stdout);
      } else if (strcmp(answers[k], answer) != 0) {
        fprintf(stderr, "client: %s is answered with %s", lines[k], answer);
        return 1;
      }
    }
  }
  fclose(from);
  fclose(to);
  return 0;
}

/* A C package as Torch7 clients are written: one generic file, instantiated for several types. */

#ifndef TH_GENERIC_FILE

#include "TH.h"

#define client_(NAME) TH_CONCAT_4(client_, Real, _, NAME)

/* TH.h includes <stdarg.h> and <time.h>, as Torch7's did. */
int client_format(char* text, size_t size, const char* format, ...);
int client_format(char* text, size_t size, const char* format, ...) {
  va_list arguments;
  int length;
  va_start(arguments, format);
  length = vsnprintf(text, size, format, arguments);
  va_end(arguments);
  return time(NULL) != (time_t)-1 && clock() != (clock_t)-1 ? length : -1;
}

#define TH_GENERIC_FILE "../../test/c/generic_client.c"
#include "THGenerateAllTypes.h"

#else

const char* client_(name)(void);
accreal client_(sum_of_row)(THTensor* t, int64_t row);
void client_(fill_field)(THTensor* t, real value);

const char* client_(name)(void) { return TH_CONCAT_STRING_3(torch., Real, Tensor); }

/* Reads the public fields, strides included. */
accreal client_(sum_of_row)(THTensor* t, int64_t row) {
  accreal sum = 0;
  int64_t i;
  real* data = THTensor_(data)(t);
  THArgCheck(t->nDimension == 2, 1, "a matrix is expected");
  for (i = 0; i < t->size[1]; i++) sum += data[row * t->stride[0] + i * t->stride[1]];
  return sum;
}

/* Writes through the storage's field, as some packages do once the data function was called. */
void client_(fill_field)(THTensor* t, real value) {
  int64_t i;
  THTensor_(data)(t);
  for (i = 0; i < THTensor_(nElement)(t); i++) t->storage->data[t->storageOffset + i] = value;
}

#endif

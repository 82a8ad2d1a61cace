/* Files of tensors, tables and printed tensors as used by a C program: one generic file,
   instantiated for each element type. */

#ifndef TH_GENERIC_FILE

#include "TH.h"

#include <string.h>

#define use_(NAME) TH_CONCAT_4(use_, Real, _, NAME)
/* Counts failed conditions, and prints their lines. */
#define EXPECT(condition) \
  ((condition) ? 0 : (failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition)))

#define TH_GENERIC_FILE "../../test/c/tensor_file_test.c"
#include "THGenerateEveryType.h"

#else

int use_(files)(const char* npy, const char* npz, const char* safetensors);
int use_(tables)(const char* csv);
int use_(text)(void);

/* Returns a tensor with these sizes and the elements 1, 2, 3, ... */
static THTensor* use_(counting)(int64_t rows, int64_t columns) {
  THLongTensor* numbers = THLongTensor_new();
  THTensor* t = THTensor_(newWithSize2d)(rows, columns);
  THLongTensor_range(numbers, 1, rows * columns, 1);
  THTensor_(copyLong)(t, numbers);
  THLongTensor_free(numbers);
  return t;
}

/* Returns 1 if the tensors have the same shape and elements. */
static int use_(same)(THTensor* a, THTensor* b) {
  return THTensor_(isSameSizeAs)(a, b) && THTensor_(equal)(a, b);
}

int use_(files)(const char* npy, const char* npz, const char* safetensors) {
  int failures = 0;
  THTensor *t = use_(counting)(3, 4), *turned = THTensor_(newTranspose)(t, 0, 1);
  THTensor *empty = THTensor_(newWithSize2d)(0, 5), *r = THTensor_(new)();
  const char* names[] = {npz, safetensors};

  /* One tensor, in two layouts. */
  THTensor_(save)(t, npy);
  THTensor_(load)(r, npy);
  EXPECT(use_(same)(r, t));
  THTensor_(save)(turned, npy);
  THTensor_(load)(r, npy);
  EXPECT(use_(same)(r, turned));

  for (int k = 0; k < 2; ++k) {
    THTensorWriter* writer = THTensorWriter_new(names[k]);
    if (k == 0) THTensorWriter_compress(writer);
    if (k == 1) THTensorWriter_setMetadata(writer, "author", "nobody");
    THTensor_(writeTo)(t, writer, "t");
    THTensor_(writeTo)(turned, writer, "turned");
    THTensor_(writeTo)(empty, writer, "empty");
    THTensorWriter_commit(writer);
    THTensorWriter_free(writer);

    THTensorReader* reader = THTensorReader_new(names[k]);
    EXPECT(THTensorReader_count(reader) == 3);
    EXPECT(THTensorReader_metadataCount(reader) == k);
    EXPECT(THTensorReader_metadata(reader, "nothing") == NULL);
    if (k == 1) {
      EXPECT(strcmp(THTensorReader_metadataKey(reader, 0), "author") == 0);
      EXPECT(strcmp(THTensorReader_metadata(reader, "author"), "nobody") == 0);
    }
    int64_t at = THTensorReader_find(reader, "turned");
    EXPECT(THTensorReader_find(reader, "nothing") == -1);
    EXPECT(strcmp(THTensorReader_name(reader, at), "turned") == 0);
    EXPECT(THTensorReader_type(reader, at) == TH_CONCAT_2(THType, Real));
    EXPECT(THTensorReader_nDimension(reader, at) == 2);
    EXPECT(THTensorReader_size(reader, at, 0) == 4 && THTensorReader_size(reader, at, -1) == 3);
    THTensor_(readFrom)(r, reader, at);
    EXPECT(use_(same)(r, turned));
    THTensor_(readFrom)(r, reader, THTensorReader_find(reader, "empty"));
    EXPECT(use_(same)(r, empty));
    if (k == 1) THTensor_(mapFrom)(r, reader, THTensorReader_find(reader, "t"));
    if (k == 0) THTensor_(readFrom)(r, reader, THTensorReader_find(reader, "t"));
    THTensorReader_free(reader);
    EXPECT(use_(same)(r, t)); /* also after the file is closed */
  }

  /* A mapped file does not change. */
  THTensor_(save)(t, npy);
  THTensorReader* reader = THTensorReader_new(npy);
  EXPECT(strcmp(THTensorReader_name(reader, 0), "") == 0);
  THTensor_(mapFrom)(r, reader, 0);
  THTensorReader_free(reader);
  EXPECT(use_(same)(r, t));
  THTensor_(fill)(r, THTensor_(get2d)(t, 2, 3));
  THTensor_(load)(r, npy);
  EXPECT(use_(same)(r, t));

  THTensorReader_free(NULL);
  THTensorWriter_free(NULL);
  THTensor_(free)(t);
  THTensor_(free)(turned);
  THTensor_(free)(empty);
  THTensor_(free)(r);
  return failures;
}

int use_(tables)(const char* csv) {
  int failures = 0;
  const char* names[] = {"first", "two, three"};
  THTensor *t = use_(counting)(5, 2), *column = THTensor_(newSelect)(t, 1, 1);
  THTensor* r = THTensor_(new)();
  THTensor_(saveCsv)(t, csv, names, 2);
  THTensor_(loadCsv)(r, csv, NULL);
  EXPECT(use_(same)(r, t));
  THCsvTable* table = THCsvTable_new(csv, NULL);
  EXPECT(THCsvTable_rows(table) == 5 && THCsvTable_columns(table) == 2);
  EXPECT(THCsvTable_find(table, "two, three") == 1 && THCsvTable_find(table, "two") == -1);
  EXPECT(strcmp(THCsvTable_name(table, 0), "first") == 0 && !THCsvTable_isText(table, 1));
  for (int k = 0; k < 2; ++k) {
    THTensor_(readColumn)(r, table, 1);
    EXPECT(use_(same)(r, column));
    THTensor_(zero)(r); /* the table has its own elements */
  }
  THCsvTable_free(table);
  THCsvTable_free(NULL);
  THTensor_(saveCsv)(column, csv, NULL, 0);
  THTensor_(loadCsv)(r, csv, NULL);
  EXPECT(THTensor_(size)(r, 0) == 5 && THTensor_(size)(r, 1) == 1);
  THTensor_(free)(t);
  THTensor_(free)(column);
  THTensor_(free)(r);
  return failures;
}

int use_(text)(void) {
  int failures = 0;
  THTensor *t = use_(counting)(2, 3), *turned = THTensor_(newTranspose)(t, 0, 1);
  char* text = THTensor_(toString)(t, NULL);
  EXPECT(strcmp(text, " 1  2  3\n 4  5  6\n[" TH_CONCAT_STRING_3(torch., Real,
                                                                 Tensor) " of size 2x3]\n") == 0);
  THFree(text);
  text = THTensor_(toString)(turned, NULL);
  EXPECT(strncmp(text, " 1  4\n 2  5\n 3  6\n", 18) == 0);
  THFree(text);
  THTensor_(free)(t);
  THTensor_(free)(turned);
  return failures;
}

#endif

#ifndef TH_CSV_INC
#define TH_CSV_INC

/* Tables as text: .csv and .tsv files. A file of numbers is a matrix:

     THDoubleTensor_loadCsv(t, "x.csv", NULL);
     THDoubleTensor_saveCsv(t, "y.csv", NULL, 0);

   A THCsvTable has columns of numbers and of text, and their names. Columns and rows count from 0,
   in messages from 1, as they do in Lua. doc/csv.md describes what is read. */

#include "THTensor.h"

typedef struct THCsvTable THCsvTable;

typedef struct THCsvOptions {
  char separator; /* 0: found in the file. By default a comma, in .tsv files a tab. A blank stands
                     for runs of blanks and tabs */
  char decimal;   /* the decimal point; 0: found in the file */
  char quote;     /* 0: fields are not quoted */
  char comment;   /* the character from which on a line is a comment; 0: none */
  int header;     /* 1: the first line contains names; 0: it does not; -1: it does if it contains
                     anything but numbers */
  int64_t skip;   /* lines at the beginning that are skipped */
  int64_t rows;   /* the maximum number of rows to read; -1: all */
  char invalid;   /* a field that is not a number, in a column of numbers: 'e' an error, 'n' NaN,
                     't' the column becomes text */
  const char* const* missing; /* strings that are read as NaN; NULL: those of doc/csv.md */
  int64_t missingCount;
  char thousands; /* between groups of three digits; 0: none */
} THCsvOptions;

/* Sets the defaults: quotes are '"', other characters are found in the file. */
TH_API void THCsvOptions_init(THCsvOptions* self);

/* Reads a file. Each column is integers, other numbers or text. options: NULL for the defaults.
   Errors: a file that cannot be read, or is not a table; the message names the line. */
TH_API THCsvTable* THCsvTable_new(const char* filename, const THCsvOptions* options);
TH_API void THCsvTable_free(THCsvTable* self);
TH_API int64_t THCsvTable_rows(const THCsvTable* self);
TH_API int64_t THCsvTable_columns(const THCsvTable* self);
/* Returns the name of a column, "" if the file has no names. Valid until the table is freed. */
TH_API const char* THCsvTable_name(const THCsvTable* self, int64_t column);
/* Returns the first column of this name, or -1. */
TH_API int64_t THCsvTable_find(const THCsvTable* self, const char* name);
/* Returns 1 for a column of text, 0 for numbers. */
TH_API int THCsvTable_isText(const THCsvTable* self, int64_t column);
/* Returns a field of a column of text. It is valid until the next call for this table. */
TH_API const char* THCsvTable_text(THCsvTable* self, int64_t column, int64_t row);

#define TH_GENERIC_FILE "generic/THCsv.h"
#include "THGenerateEveryType.h"

#endif

#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THCsv.h"
#else

/* Reads a column of numbers as a vector, with new memory. It may be read several times. Errors: a
   column of text; integers out of the range of the type. Other numbers are converted as by copy. */
TH_API void THTensor_(readColumn)(THTensor* self, THCsvTable* table, int64_t column);
/* Reads a column of text that contains dates, such as 2026-11-23 or 2026-11-23T10:30:00Z, as a
   vector of seconds from 1970-01-01 00:00 UTC. doc/csv.md lists the forms. Missing values are NaN.
   Errors: a column of numbers; text that is not a date, unless the option `invalid` is 'n', which
   gives NaN. The seconds are converted as by copy, so use a DoubleTensor. */
TH_API void THTensor_(readDates)(THTensor* self, THCsvTable* table, int64_t column);
/* Reads a file of numbers as a matrix, with new memory. options: NULL for the defaults. Errors: as
   THCsvTable_new; a field that is not a number, or not an integer if the type is one. After an
   error self is unchanged. */
TH_API void THTensor_(loadCsv)(THTensor* self, const char* filename, const THCsvOptions* options);
/* Writes a matrix, or a vector as one column. names: `count` strings, one for each column; or NULL
   with count 0. Numbers have the fewest digits that read back as the same number. An existing file
   is replaced as a whole: if there is an error, it is unchanged. Errors: another number of names.
 */
TH_API void THTensor_(saveCsv)(THTensor* self, const char* filename, const char* const* names,
                               int64_t count);

#endif

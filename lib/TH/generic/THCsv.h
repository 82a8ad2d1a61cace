#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THCsv.h"
#else

/* Reads a column of numbers as a vector, with new memory. It may be read several times. Errors: a
   column of text; integers out of the range of the type. Other numbers are converted as by copy. */
TH_API void THTensor_(readColumn)(THTensor* self, THCsvTable* table, int64_t column);
/* Reads a file of numbers as a matrix, with new memory. options: NULL for the defaults. Errors: as
   THCsvTable_new; a field that is not a number, or not an integer if the type is one. After an
   error self is unchanged. */
TH_API void THTensor_(loadCsv)(THTensor* self, const char* filename, const THCsvOptions* options);
/* Writes a matrix, or a vector as one column. names: one for each column, or NULL for none. Numbers
   have the fewest digits that read back as the same number. An existing file is replaced as a
   whole: if there is an error, it is unchanged. */
TH_API void THTensor_(saveCsv)(THTensor* self, const char* filename, const char* const* names);

#endif

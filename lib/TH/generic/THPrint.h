#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THPrint.h"
#else

/* Returns the printed form, which ends with a newline and a 0. The caller frees it with THFree.
   options: NULL for the defaults. Errors: options that are out of range. */
TH_API char* THTensor_(toString)(THTensor* self, const THPrintOptions* options);
/* Writes the printed form with the default options. Error: it cannot be written. */
TH_API void THTensor_(print)(THTensor* self, FILE* stream);

#endif

#ifndef TH_FILE_INC
#define TH_FILE_INC

/* Files on disk, in memory and pipes, created by the functions of THDiskFile.h and THMemoryFile.h.
   Numbers are stored as text or as raw bytes. A failure is an error; in a quiet file it only sets
   the flag that THFile_hasError returns. */

#include "THStorage.h"

typedef struct THFile THFile;

TH_API int THFile_isOpened(THFile* self);
TH_API int THFile_isQuiet(THFile* self);
TH_API int THFile_isReadable(THFile* self);
TH_API int THFile_isWritable(THFile* self);
TH_API int THFile_isBinary(THFile* self);
TH_API int THFile_isAutoSpacing(THFile* self);
TH_API int THFile_hasError(THFile* self);

TH_API void THFile_binary(THFile* self);
TH_API void THFile_ascii(THFile* self); /* the default */
/* With auto-spacing (the default), text output separates the numbers of a call by spaces and ends
   with a newline. */
TH_API void THFile_autoSpacing(THFile* self);
TH_API void THFile_noAutoSpacing(THFile* self);
TH_API void THFile_quiet(THFile* self);
TH_API void THFile_pedantic(THFile* self);
TH_API void THFile_clearError(THFile* self);

TH_API void THFile_synchronize(THFile* self);
/* Positions are in bytes from the start of the file. */
TH_API void THFile_seek(THFile* self, size_t position);
TH_API void THFile_seekEnd(THFile* self);
TH_API size_t THFile_position(THFile* self);
TH_API void THFile_close(THFile* self);
TH_API void THFile_free(THFile* self);

/* Read or write one number, all elements of a storage, or n elements at data. The storage and raw
   functions return the number of elements read or written. In text files, bytes and chars are
   stored as single bytes, too. */
#define TH_FILE_FUNCTIONS(Name, type)                                         \
  TH_API type THFile_read##Name##Scalar(THFile* self);                        \
  TH_API void THFile_write##Name##Scalar(THFile* self, type scalar);          \
  TH_API size_t THFile_read##Name(THFile* self, TH##Name##Storage* storage);  \
  TH_API size_t THFile_write##Name(THFile* self, TH##Name##Storage* storage); \
  TH_API size_t THFile_read##Name##Raw(THFile* self, type* data, size_t n);   \
  TH_API size_t THFile_write##Name##Raw(THFile* self, type* data, size_t n);
TH_FILE_FUNCTIONS(Byte, unsigned char)
TH_FILE_FUNCTIONS(Char, char)
TH_FILE_FUNCTIONS(Short, short)
TH_FILE_FUNCTIONS(Int, int)
TH_FILE_FUNCTIONS(Long, int64_t)
TH_FILE_FUNCTIONS(Float, float)
TH_FILE_FUNCTIONS(Double, double)
TH_FILE_FUNCTIONS(Half, THHalf)
#undef TH_FILE_FUNCTIONS

/* Reads the rest of the file (format "*a") or one line without its newline ("*l"). Stores it in
   *str_, a new block from THAlloc that ends in 0 and is owned by the caller. Returns its length. At
   the end of the file that is an error; a quiet file sets *str_ to NULL instead. */
TH_API size_t THFile_readStringRaw(THFile* self, const char* format, char** str_);
TH_API size_t THFile_writeStringRaw(THFile* self, const char* str, size_t size);

#endif

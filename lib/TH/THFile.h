#ifndef TH_FILE_INC
#define TH_FILE_INC

/* Files on disk, in memory and behind pipes: THDiskFile.h and THMemoryFile.h make them. Numbers are
   text, or bytes as in memory. What fails is an error, or, of a quiet file, noted for hasError. */

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
TH_API void THFile_ascii(THFile* self); /* as a new file is */
/* Text has blanks between the numbers of a call, and a newline after them: as a new file. */
TH_API void THFile_autoSpacing(THFile* self);
TH_API void THFile_noAutoSpacing(THFile* self);
TH_API void THFile_quiet(THFile* self);
TH_API void THFile_pedantic(THFile* self);
TH_API void THFile_clearError(THFile* self);

TH_API void THFile_synchronize(THFile* self);
/* In bytes from the start. */
TH_API void THFile_seek(THFile* self, size_t position);
TH_API void THFile_seekEnd(THFile* self);
TH_API size_t THFile_position(THFile* self);
TH_API void THFile_close(THFile* self);
TH_API void THFile_free(THFile* self);

/* One number; as many as a storage has; n at data. They return how many were read or written.
   Bytes and chars are single bytes in text, too. */
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

/* All that is left ("*a"), or a line without its newline ("*l"), as a new block of THAlloc that
   ends in 0; its length. At the end of the file that is an error, or, of a quiet file, NULL. */
TH_API size_t THFile_readStringRaw(THFile* self, const char* format, char** str_);
TH_API size_t THFile_writeStringRaw(THFile* self, const char* str, size_t size);

#endif

#ifndef TH_DISK_FILE_INC
#define TH_DISK_FILE_INC

#include "THFile.h"

/* mode: "r" reads; "w" starts a new, empty file; "rw" opens it for both and creates it if it does
   not exist. If the file cannot be opened, a quiet call returns NULL; otherwise it is an error. */
TH_API THFile* THDiskFile_new(const char* name, const char* mode, int isQuiet);
/* name is a shell command. mode: "r" or "w". */
TH_API THFile* THPipeFile_new(const char* name, const char* mode, int isQuiet);
TH_API const char* THDiskFile_name(THFile* self);

TH_API int THDiskFile_isLittleEndianCPU(void);
TH_API int THDiskFile_isBigEndianCPU(void);
/* Set the byte order of binary files. */
TH_API void THDiskFile_nativeEndianEncoding(THFile* self);
TH_API void THDiskFile_littleEndianEncoding(THFile* self);
TH_API void THDiskFile_bigEndianEncoding(THFile* self);
/* Sets the number of bytes of a long in binary files: 4, 8, or 0 for the native size. */
TH_API void THDiskFile_longSize(THFile* self, int size);
TH_API void THDiskFile_noBuffer(THFile* self);

#endif

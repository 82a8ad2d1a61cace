#ifndef TH_DISK_FILE_INC
#define TH_DISK_FILE_INC

#include "THFile.h"

/* mode: "r", "w" (a new file), or "rw" (which makes a file only where there is none). NULL where a
   quiet file cannot be opened. */
TH_API THFile* THDiskFile_new(const char* name, const char* mode, int isQuiet);
/* name is a command for the shell; mode: "r" or "w". */
TH_API THFile* THPipeFile_new(const char* name, const char* mode, int isQuiet);
TH_API const char* THDiskFile_name(THFile* self);

TH_API int THDiskFile_isLittleEndianCPU(void);
TH_API int THDiskFile_isBigEndianCPU(void);
/* The order of bytes in binary files. */
TH_API void THDiskFile_nativeEndianEncoding(THFile* self);
TH_API void THDiskFile_littleEndianEncoding(THFile* self);
TH_API void THDiskFile_bigEndianEncoding(THFile* self);
/* Bytes of a long in binary files: 4, 8, or 0 for those that it has here. */
TH_API void THDiskFile_longSize(THFile* self, int size);
TH_API void THDiskFile_noBuffer(THFile* self);

#endif

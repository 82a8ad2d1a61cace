#ifndef TH_MEMORY_FILE_INC
#define TH_MEMORY_FILE_INC

#include "THFile.h"

/* A file in a storage, which ends in a 0 that is no part of the file; NULL: in a new one. The file
   holds a reference. mode: "r", "w" or "rw". */
TH_API THFile* THMemoryFile_newWithStorage(THCharStorage* storage, const char* mode);
TH_API THFile* THMemoryFile_new(const char* mode);
/* The storage, cut to the file's length and its 0; the file keeps its reference. */
TH_API THCharStorage* THMemoryFile_storage(THFile* self);
TH_API void THMemoryFile_longSize(THFile* self, int size);

#endif

#ifndef TH_MEMORY_FILE_INC
#define TH_MEMORY_FILE_INC

#include "THFile.h"

/* Opens a file whose contents are in storage, which must end in 0; the final 0 is not part of the
   file. NULL creates a new storage. The file holds a reference to the storage. mode: "r", "w" or
   "rw". */
TH_API THFile* THMemoryFile_newWithStorage(THCharStorage* storage, const char* mode);
TH_API THFile* THMemoryFile_new(const char* mode);
/* Returns the storage, resized to the length of the file plus the final 0. The reference stays the
   file's. */
TH_API THCharStorage* THMemoryFile_storage(THFile* self);
TH_API void THMemoryFile_longSize(THFile* self, int size);

#endif

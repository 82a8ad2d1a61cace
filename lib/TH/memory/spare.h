#ifndef TH_MEMORY_SPARE_H
#define TH_MEMORY_SPARE_H

#include <cstddef>

namespace th {

// Throws th::Error if malloc has not `bytes` to spare, which are free again when this returns. For
// calls of libraries that end the process, or crash, if malloc fails in them. Another thread may
// take the memory meanwhile: this makes a failure there unlikely, not impossible.
void require_spare(size_t bytes);

}  // namespace th

#endif

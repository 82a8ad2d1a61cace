#ifndef TH_MEMORY_SPARE_H
#define TH_MEMORY_SPARE_H

#include <cstddef>

namespace th {

// Throws th::Error unless malloc can allocate `bytes`, which are freed again. Used before calls of
// libraries that end the process, or crash, if malloc fails in them. Another thread may allocate
// the memory meanwhile, so a failure there becomes unlikely, not impossible.
void require_spare(size_t bytes);

}  // namespace th

#endif

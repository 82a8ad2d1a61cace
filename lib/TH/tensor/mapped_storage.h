#ifndef TH_TENSOR_MAPPED_STORAGE_H
#define TH_TENSOR_MAPPED_STORAGE_H

#include "tensor/storage.h"

namespace th {

// `elements` elements of an open file, at least one, from byte `first` on, which must be a multiple
// of their size. Writes to the storage do not change the file. name: for messages.
Storage* storage_from_descriptor(DType type, const char* name, int fd, ptrdiff_t first,
                                 ptrdiff_t elements);

}  // namespace th

#endif

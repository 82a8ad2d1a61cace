#ifndef TH_TENSOR_MAPPED_STORAGE_H
#define TH_TENSOR_MAPPED_STORAGE_H

#include "tensor/storage.h"

namespace th {

// All elements of an open file. Writes to the storage do not change the file. name: for messages.
Storage* storage_from_descriptor(DType type, const char* name, int fd);

}  // namespace th

#endif

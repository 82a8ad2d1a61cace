#ifndef TH_IO_PRINT_H
#define TH_IO_PRINT_H

#include <string>

#include "THPrint.h"
#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// "torch.FloatTensor", as the printed form names it.
std::string tensor_class_name(DType type);

// Return the printed form of a tensor, and of a storage. It ends with a newline. The memory of the
// tensor stays where it is. name: of the class. Errors: options that are out of range.
std::string printed(const Tensor& t, const std::string& name, const THPrintOptions& options);
std::string printed_storage(Storage* storage, const std::string& name,
                            const THPrintOptions& options);

}  // namespace TH_VISIBLE

#endif

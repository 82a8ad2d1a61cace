#ifndef TH_IO_STORED_ARRAY_H
#define TH_IO_STORED_ARRAY_H

// Arrays as the headers of files describe them.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

using Metadata = std::map<std::string, std::string>;

// An element type of files. Unsigned integers that no tensor has are read as signed ones of the
// same size and then converted.
struct StoredType {
  const char *npy, *safetensors;  // the names in files
  DType stored, type;             // of the bytes as they are read, and of the tensor
  bool is_unsigned;               // the numbers are converted, or checked if the sizes are the same
};
// Return null for an unknown name.
const StoredType* stored_type_of_npy(const std::string& name);
const StoredType* stored_type_of_safetensors(const std::string& name);
// Returns the type in which elements of tensors are written.
const StoredType& stored_type_of(DType type);

struct StoredArray {
  std::string name;
  const StoredType* type = nullptr;  // null: unknown, or the header has not been read
  std::string unknown_type;          // the name of a type that cannot be read
  bool swapped = false;              // the elements have the reverse byte order.
  bool by_columns = false;           // the first dimension varies fastest.
  std::vector<int64_t> sizes;        // at least one.
  // The byte of the first element; the number of elements, or of bytes if the type is unknown.
  int64_t begin = 0, count = 0;

  int64_t item() const { return type ? static_cast<int64_t>(item_size(type->stored)) : 1; }
  int64_t bytes() const { return count * item(); }
  bool is_converted() const { return type->stored != type->type; }
  // Sets the sizes and the number of elements. An empty list means one element. Errors: too many
  // dimensions, or more bytes than kMostStoredBytes, where a size of 0 counts as 1.
  void set_sizes(std::vector<int64_t> list);
};

// Larger numbers in headers are errors: no file is so large, and sums of them do not overflow.
constexpr int64_t kMostStoredBytes = int64_t{1} << 53;

// Returns the tensor of an array whose elements are in a storage. It views the storage unless the
// elements are converted. Errors: an unsigned number that does not fit.
TensorRef tensor_of(const StoredArray& array, Storage* storage);

// Reads bytes of a file of `size` bytes, from a position on.
using ReadBytes = std::function<std::string(int64_t at, int64_t count)>;

// .npy: sets all fields of an array but the name. Errors: an invalid header; elements beyond the
// end of the file.
void read_npy_header(const ReadBytes& read, int64_t size, StoredArray* array);
// Returns the header of a file with the elements of t in row-major order.
std::string npy_header(const Tensor& t);

// .safetensors: returns the arrays in the order of the file, and the metadata.
std::vector<StoredArray> read_safetensors_header(const ReadBytes& read, int64_t size,
                                                 Metadata* metadata);
// Returns the header of a file with tensors in this order.
struct NamedTensor {
  const std::string& name;
  const Tensor& tensor;
};
std::string safetensors_header(const std::vector<NamedTensor>& tensors, const Metadata& metadata);

}  // namespace TH_VISIBLE

#endif

#include "io/stored_array.h"

#include <utility>

#include "base/error.h"
#include "tensor/limits.h"

namespace th {

namespace {

// The first row of a type is the one that is written.
const StoredType kTypes[] = {
    {"u1", "U8", DType::Byte, DType::Byte, false},
    {"i1", "I8", DType::Char, DType::Char, false},
    {"i2", "I16", DType::Short, DType::Short, false},
    {"i4", "I32", DType::Int, DType::Int, false},
    {"i8", "I64", DType::Long, DType::Long, false},
    {"f2", "F16", DType::Half, DType::Half, false},
    {"V2", "BF16", DType::BFloat16, DType::BFloat16, false},  // as the package ml_dtypes writes it
    {"f4", "F32", DType::Float, DType::Float, false},
    {"f8", "F64", DType::Double, DType::Double, false},
    {"b1", "BOOL", DType::Byte, DType::Byte, false},
    {"u2", "U16", DType::Short, DType::Int, true},
    {"u4", "U32", DType::Int, DType::Long, true},
    {"u8", "U64", DType::Long, DType::Long, true},
};

template <class F>
const StoredType* find_type(const F& matches) {
  for (const StoredType& type : kTypes) {
    if (matches(type)) return &type;
  }
  return nullptr;
}

template <class From, class To>
void widen(const Storage* from, Storage* to, int64_t count) {
  auto* read = static_cast<const From*>(const_cast<Storage*>(from)->cpu(Access::read));
  auto* write = static_cast<To*>(to->cpu(Access::overwrite));
  for (int64_t i = 0; i < count; ++i) write[i] = static_cast<To>(read[i]);
}

void check_not_negative(const StoredArray& array, Storage* storage) {
  auto* data = static_cast<const int64_t*>(storage->cpu(Access::read));
  for (int64_t i = 0; i < array.count; ++i) {
    if (data[i] >= 0) continue;
    const std::string name = array.name.empty() ? "" : array.name + ": ";
    fail("%sunsigned numbers of 2^63 and more do not fit into a LongTensor", name.c_str());
  }
}

std::string sizes_text(const std::vector<int64_t>& sizes) {
  std::string text;
  for (int64_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

}  // namespace

const StoredType* stored_type_of_npy(const std::string& name) {
  return find_type([&](const StoredType& type) { return name == type.npy; });
}
const StoredType* stored_type_of_safetensors(const std::string& name) {
  return find_type([&](const StoredType& type) { return name == type.safetensors; });
}
const StoredType& stored_type_of(DType dtype) {
  return *find_type([&](const StoredType& type) { return type.type == dtype; });
}

void StoredArray::set_sizes(std::vector<int64_t> list) {
  if (list.size() > static_cast<size_t>(kMaxDims)) {
    fail("%zu dimensions; a tensor has at most %d", list.size(), kMaxDims);
  }
  // Strides are products of the other sizes, so they must fit even if there is no element.
  int64_t most = kMostStoredBytes / item(), product = 1;
  bool empty = false;
  for (int64_t size : list) {
    empty = empty || size == 0;
    int64_t factor = size == 0 ? 1 : size;
    if (factor > most / product) {
      fail("a tensor of %s elements is too large", sizes_text(list).c_str());
    }
    product *= factor;
  }
  count = empty ? 0 : product;
  if (list.empty()) list.push_back(1);
  sizes = std::move(list);
}

TensorRef tensor_of(const StoredArray& array, Storage* storage) {
  const StoredType& type = *array.type;
  StorageRef wide;
  if (array.is_converted()) {
    wide.reset(storage_new(type.type, std::max<int64_t>(array.count, 1)));
    int64_t count = wide->size;
    if (type.stored == DType::Short) {
      widen<uint16_t, int32_t>(storage, wide.get(), count);
    } else {
      widen<uint32_t, int64_t>(storage, wide.get(), count);
    }
    storage = wide.get();
  } else if (type.is_unsigned) {
    check_not_negative(array, storage);
  }
  int64_t strides[kMaxDims];
  const auto ndim = static_cast<int>(array.sizes.size());
  int64_t stride = 1;
  for (int d = 0; d < ndim; ++d) {
    strides[d] = stride;
    stride = stride_before(array.sizes[d], stride);
  }
  TensorRef t(tensor_new(type.type));
  set_storage(t.get(), storage, 0, ndim, array.sizes.data(), array.by_columns ? strides : nullptr);
  return t;
}

}  // namespace th

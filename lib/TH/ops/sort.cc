#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "THGeneral.h"
#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "hwy/contrib/sort/vqsort.h"
#include "memory/error.h"
#include "ops/buffer.h"
#include "ops/device_operands.h"
#include "ops/reduce.h"
#include "ops/sort_keys.h"

namespace th {

namespace {

// Rows up to this length are sorted by insertion; from kRadix on, 8- and 16-bit keys by digits.
constexpr int64_t kInsertion = 40;
constexpr int64_t kRadix = 256;

// The row's elements as they are in memory; steps in elements.
template <class T>
struct Row {
  const T* in;
  int64_t in_step;
  T* values;
  int64_t value_step;
  int64_t* indices;
  int64_t index_step;
  int64_t n;
};

// Sorts n packed keys of which the digits of Bytes bytes from the key's lowest on are set; the
// result is in keys. Stable, so the indices need not be looked at.
template <class Pack, int Bytes>
void sort_by_digits(typename Pack::Type* keys, typename Pack::Type* other, int64_t n) {
  int64_t count[Bytes][256] = {};
  for (int64_t i = 0; i < n; ++i) {
    uint64_t key = Pack::key(keys[i]);
    for (int digit = 0; digit < Bytes; ++digit) ++count[digit][key >> (8 * digit) & 255];
  }
  auto* from = keys;
  auto* to = other;
  for (int digit = 0; digit < Bytes; ++digit) {
    int64_t place = 0;
    for (int64_t& c : count[digit]) place += std::exchange(c, place);
    for (int64_t i = 0; i < n; ++i) {
      to[count[digit][Pack::key(from[i]) >> (8 * digit) & 255]++] = from[i];
    }
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

template <class Pack>
void sort_by_insertion(typename Pack::Type* keys, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    auto key = keys[i];
    int64_t j = i;
    for (; j > 0 && Pack::less(key, keys[j - 1]); --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

template <class T, class Pack>
class RowSorter {
 public:
  using Key = typename SortKey<T>::Key;
  using Packed = typename Pack::Type;
  static constexpr bool kHasDigits = sizeof(T) <= 2;

  // Packed keys that a row of n elements needs room for.
  static int64_t room(int64_t n) { return kHasDigits && n >= kRadix ? 2 * n : n; }

  // sorter: may be null where all rows are sorted by insertion.
  RowSorter(const hwy::Sorter* sorter, Packed* keys, bool descending)
      : sorter_(sorter), keys_(keys), flip_(descending ? static_cast<Key>(~Key(0)) : Key(0)) {}

  void sort(const Row<T>& row) const {
    bool exact = pack(row);
    if (row.n <= kInsertion) {
      sort_by_insertion<Pack>(keys_, row.n);
    } else if (kHasDigits && row.n >= kRadix) {
      sort_by_digits<Pack, kHasDigits ? sizeof(T) : 1>(keys_, keys_ + row.n, row.n);
    } else {
      (*sorter_)(keys_, static_cast<size_t>(row.n), hwy::SortAscending());
    }
    unpack(row, exact);
  }

 private:
  // Returns whether all elements come back from their keys.
  bool pack(const Row<T>& row) const {
    bool exact = true;
    for (int64_t i = 0; i < row.n; ++i) {
      T x = row.in[i * row.in_step];
      exact &= SortKey<T>::is_exact(x);
      keys_[i] = Pack::pack(static_cast<Key>(SortKey<T>::key(x) ^ flip_), static_cast<uint64_t>(i));
    }
    return exact;
  }

  void unpack(const Row<T>& row, bool exact) const {
    if (!exact) take_originals(row);
    for (int64_t i = 0; i < row.n; ++i) {
      if (exact) {
        Key key = static_cast<Key>(static_cast<Key>(Pack::key(keys_[i])) ^ flip_);
        row.values[i * row.value_step] = SortKey<T>::element(key);
      } else {
        Key bits = static_cast<Key>(Pack::key(keys_[i]));
        std::memcpy(row.values + i * row.value_step, &bits, sizeof bits);
      }
      row.indices[i * row.index_step] = Pack::index(keys_[i]) + TH_INDEX_BASE;
    }
  }

  // Puts the elements' own bits in place of their keys, before values, which may be the elements
  // themselves, are written.
  void take_originals(const Row<T>& row) const {
    for (int64_t i = 0; i < row.n; ++i) {
      Key bits;
      std::memcpy(&bits, row.in + Pack::index(keys_[i]) * row.in_step, sizeof bits);
      keys_[i] = Pack::pack(bits, static_cast<uint64_t>(Pack::index(keys_[i])));
    }
  }

  const hwy::Sorter* sorter_;
  Packed* keys_;
  Key flip_;
};

template <class T, class Pack>
void sort_rows(Tensor* values, Tensor* indices, Tensor* t, int dim, bool descending) {
  using Sorter = RowSorter<T, Pack>;
  int64_t n = t->size[dim];
  int ndim = 1;
  int64_t size[kMaxDims + 1] = {1};
  int64_t stride[3][kMaxDims + 1] = {{0}, {0}, {0}};
  for (int d = 0; d < t->nDimension; ++d) {
    if (d == dim) continue;
    size[ndim] = t->size[d];
    stride[0][ndim] = values->stride[d];
    stride[1][ndim] = indices->stride[d];
    stride[2][ndim++] = t->stride[d];
  }
  Iterator rows(ndim, size);
  rows.add(values->data(Access::write), sizeof(T), stride[0]);
  rows.add(indices->data(Access::write), sizeof(int64_t), stride[1]);
  rows.add(t->data(Access::read), sizeof(T), stride[2]);
  rows.plan(false);

  // Each worker has its own room; all of it is there before the first row is sorted.
  int64_t count = rows.numel();
  int64_t least = std::max<int64_t>(1, Grain::costly / n);
  int64_t workers = std::min<int64_t>(num_threads(), std::max<int64_t>(1, count / least));
  int64_t room = (Sorter::room(n) + 7) / 8 * 8;
  Buffer<typename Pack::Type> scratch(workers * room);
  auto* keys = scratch.data();
  std::vector<hwy::Sorter> sorters(n > kInsertion ? static_cast<size_t>(workers) : 0);
  parallel_for(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      Sorter sorter(sorters.empty() ? nullptr : &sorters[static_cast<size_t>(worker)],
                    keys + worker * room, descending);
      rows.for_each_run(count * worker / workers, count * (worker + 1) / workers,
                        [&](char* const* data, const int64_t* next, int64_t m) {
                          for (int64_t k = 0; k < m; ++k) {
                            Row<T> row = {reinterpret_cast<const T*>(data[2] + k * next[2]),
                                          t->stride[dim],
                                          reinterpret_cast<T*>(data[0] + k * next[0]),
                                          values->stride[dim],
                                          reinterpret_cast<int64_t*>(data[1] + k * next[1]),
                                          indices->stride[dim],
                                          n};
                            sorter.sort(row);
                          }
                        });
    }
  });
}

void sort_tensor(Tensor* values, Tensor* indices, Tensor* t, int dim, bool descending) {
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (sizeof(T) <= 4) {
      if (static_cast<uint64_t>(t->size[dim]) <= Pack64::kIndexLimit) {
        sort_rows<T, Pack64>(values, indices, t, dim, descending);
        return;
      }
    }
    sort_rows<T, Pack128>(values, indices, t, dim, descending);
  });
}

bool share(const Tensor& a, const Tensor& b) { return a.storage && a.storage == b.storage; }

// t with its last dimension in the place of dim.
TensorRef with_last(Tensor* t, int dim) {
  TensorRef view(tensor_new_view(t));
  ops::transpose(view.get(), t, dim, t->nDimension - 1);
  return view;
}

void sort_on_device(Device& device, Tensor* values, Tensor* indices, Tensor* t, int dim,
                    bool descending) {
  // Views of a storage that was made too small would make it grow.
  t->check_storage();
  SortCall call = {};
  TensorRef rows = with_last(t, dim);
  TensorRef in = packed(device, rows.get());
  PackedResult sorted(device, with_last(values, dim).get(), share(*values, *in));
  PackedResult order(device, with_last(indices, dim).get(), share(*indices, *in));
  call.dtype = t->dtype;
  call.descending = descending;
  call.n = t->size[dim];
  call.rows = t->numel() / call.n;
  call.in = data_on(device, *in, Access::read);
  call.values = sorted.data();
  call.indices = order.data<int64_t>();
  call.index_base = TH_INDEX_BASE;
  device.run(DeviceOp::sort, &call);
  sorted.finish();
  order.finish();
}

// Devices number the elements of a row by 32 bits.
constexpr int64_t kLongestRow = UINT32_MAX;

}  // namespace

namespace ops {

void sort(Tensor* values, Tensor* indices, Tensor* t, int64_t dim, bool descending) {
  if (values->dtype != t->dtype) {
    fail_argument(1, "sort: the values must be a %sTensor, got a %sTensor", name(t->dtype),
                  name(values->dtype));
  }
  if (indices->dtype != DType::Long) {
    fail_argument(2, "sort: the indices must be a LongTensor, got a %sTensor",
                  name(indices->dtype));
  }
  if (indices == values) fail_argument(2, "sort: values and indices must be two tensors");
  int d = wrap_dim(*t, dim, 4);
  Device* device = t->size[d] <= kLongestRow ? device_of({values, indices, t}) : nullptr;
  TensorRef new_values, new_indices;
  Tensor* v = values;
  Tensor* i = indices;
  if (i == t || share(*i, *t) || share(*i, *v)) {
    new_indices = TensorRef(tensor_new_sized(DType::Long, t->nDimension, t->size));
    i = new_indices.get();
  } else {
    resize_as(i, *t);
  }
  if (v != t) resize_as(v, *t);
  if (t->numel() > 0) {
    if (partly_overlap(*v, *t) || has_repeats(*v)) {
      new_values = TensorRef(tensor_new_sized(t->dtype, t->nDimension, t->size));
      v = new_values.get();
    }
    if (has_repeats(*i)) {
      new_indices = TensorRef(tensor_new_sized(DType::Long, t->nDimension, t->size));
      i = new_indices.get();
    }
    if (device) {
      sort_on_device(*device, v, i, t, d, descending);
    } else {
      sort_tensor(v, i, t, d, descending);
    }
  }
  int ndim = v->nDimension;
  if (new_values) copy(values, new_values.get());
  if (new_indices) {
    resize(indices, ndim, new_indices->size);
    copy(indices, new_indices.get());
  }
}

}  // namespace ops
}  // namespace th

// Slices of one dimension, chosen by a vector of indices.

#include <cstring>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/elementwise.h"
#include "ops/index_actions.h"
#include "ops/indexing.h"
#include "tensor/convert.h"

namespace th {

namespace {

// One operand: its geometry, and which of its slices is the k-th. Steps are in bytes.
struct Side {
  char* data;
  const int64_t* stride;
  int64_t step;          // from one slice to the next
  const int64_t* index;  // null: slice k is the k-th
  int64_t index_stride;

  int64_t offset(int64_t k) const {
    return (index ? index[k * index_stride] - TH_INDEX_BASE : k) * step;
  }
};

Side all_slices(char* data, const int64_t* stride, int dim, size_t item) {
  return {data, stride, stride[dim] * static_cast<int64_t>(item), nullptr, 0};
}

Side chosen_slices(char* data, const int64_t* stride, int dim, size_t item, const Tensor& index) {
  return {data, stride, stride[dim] * static_cast<int64_t>(item),
          index.data_as<int64_t>(Access::read), index.stride[0]};
}

// slice k of `to` becomes action(it, slice k of `from`).
class Slices {
 public:
  Slices(size_t item, int ndim, const int64_t* size, int dim, int64_t count, const Side& to,
         const Side& from, bool keep_order)
      : count_(count), to_(to), from_(from), positions_(0, nullptr) {
    int64_t kept[kMaxDims], to_stride[kMaxDims], from_stride[kMaxDims];
    int n = 0;
    for (int d = 0; d < ndim; ++d) {
      if (d == dim) continue;
      kept[n] = size[d];
      to_stride[n] = to.stride[d];
      from_stride[n++] = from.stride[d];
    }
    if (n == 0) {
      kept[n] = 1;
      to_stride[n] = from_stride[n] = 0;
      ++n;
    }
    positions_ = Iterator(n, kept);
    positions_.add(to.data, item, to_stride);
    positions_.add(from.data, item, from_stride);
    positions_.plan(keep_order);
    along_indices_ = !keep_order &&
                     (positions_.inner_size() == 1 || to.step < positions_.inner_stride(0));
  }

  // One slice after the other on this thread.
  template <class T, class Action>
  void run_in_order() const {
    by_positions<T, Action>(0, count_, 0, positions_.numel());
  }

  // Slices may be written more than once: each position is one thread's.
  template <class T, class Action>
  void run_by_position() const {
    if (count_ == 0) return;
    parallel_for(positions_.numel(), grain(count_), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T, Action>(0, count_, begin, end);
      } else {
        by_positions<T, Action>(0, count_, begin, end);
      }
    });
  }

  // All slices written are different ones.
  template <class T, class Action>
  void run() const {
    int64_t positions = positions_.numel();
    if (positions == 0) return;
    if ((along_indices_ ? positions : count_) < num_threads()) {
      // The longer of both is shared out.
      if (count_ <= positions) return run_by_position<T, Action>();
    } else if (along_indices_) {
      return run_by_position<T, Action>();
    }
    parallel_for(count_, grain(positions), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T, Action>(begin, end, 0, positions);
      } else {
        by_positions<T, Action>(begin, end, 0, positions);
      }
    });
  }

 private:
  static int64_t grain(int64_t repeats) {
    return std::max<int64_t>(1, Grain::gather / repeats);
  }

  template <class T, class Action>
  static void run_one(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                      int64_t n) {
    constexpr int64_t item = sizeof(T);
    if (to_stride == item && from_stride == item) {
      if constexpr (std::is_same_v<Action, Move<T>>) {
        std::memcpy(to, from, n * item);
      } else {
        for (int64_t i = 0; i < n; ++i) {
          Action::run(reinterpret_cast<T*>(to) + i, reinterpret_cast<const T*>(from) + i);
        }
      }
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      Action::run(reinterpret_cast<T*>(to + i * to_stride),
                  reinterpret_cast<const T*>(from + i * from_stride));
    }
  }

  template <class T, class Action>
  void by_positions(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    int64_t to_stride = positions_.inner_stride(0), from_stride = positions_.inner_stride(1);
    bool one_run = positions_.inner_size() == positions_.numel();
    for (int64_t k = first; k < last; ++k) {
      int64_t to = to_.offset(k), from = from_.offset(k);
      if (one_run) {
        run_one<T, Action>(to_.data + to + begin * to_stride, to_stride,
                           from_.data + from + begin * from_stride, from_stride, end - begin);
        continue;
      }
      positions_.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        run_one<T, Action>(at[0] + to, stride[0], at[1] + from, stride[1], n);
      });
    }
  }

  template <class T, class Action>
  void by_indices(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    positions_.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        char* to = at[0] + i * stride[0];
        const char* from = at[1] + i * stride[1];
        for (int64_t k = first; k < last; ++k) {
          Action::run(reinterpret_cast<T*>(to + to_.offset(k)),
                      reinterpret_cast<const T*>(from + from_.offset(k)));
        }
      }
    });
  }

  int64_t count_;
  Side to_, from_;
  Iterator positions_;
  bool along_indices_;
};

void check_vector(const char* op, const Tensor& index, int argument) {
  check_index_type(op, index, argument);
  if (index.nDimension != 1) {
    fail_argument(argument, "%s: the indices must be a vector, got size %s", op,
                  shape_text(index).c_str());
  }
}

// The slices of r at the indices, from those of `from`.
template <class T, class Action>
void write_slices(Tensor* r, int dim, const Tensor& index, const Side& from) {
  bool in_order = has_shared_elements(*r);
  Slices slices(sizeof(T), r->nDimension, r->size, dim, index.size[0],
                chosen_slices(r->data(Access::write), r->stride, dim, sizeof(T), index), from,
                in_order);
  if (in_order) {
    slices.run_in_order<T, Action>();
  } else {
    slices.run_by_position<T, Action>();
  }
}

// src with slices of r's sizes; Torch7 asks for no more than as many elements in each.
TensorRef source_slices(const char* op, const Tensor& r, int dim, const Tensor& index,
                        Tensor* src) {
  int64_t slice = 1, src_slice = 1;
  bool same = r.nDimension == src->nDimension;
  for (int d = 0; d < r.nDimension; ++d) {
    if (d != dim) slice *= r.size[d];
    same = same && (d == dim || r.size[d] == src->size[d]);
  }
  for (int d = 0; d < src->nDimension; ++d) {
    if (d != dim) src_slice *= src->size[d];
  }
  if (dim >= src->nDimension || src->size[dim] != index.size[0] || slice != src_slice) {
    fail_argument(4, "%s: a source of size %s does not give %lld slices along dimension %d for a "
                  "tensor of size %s", op, shape_text(*src).c_str(),
                  static_cast<long long>(index.size[0]), dim + 1, shape_text(r).c_str());
  }
  TensorRef kept = kept_from(r, src);
  if (same) return kept;
  // The slices one after the other, then in r's shape.
  TensorRef view(tensor_new(src->dtype));
  int64_t order[kMaxDims], size[kMaxDims], stride[kMaxDims];
  order[0] = dim;
  for (int d = 0, n = 1; d < src->nDimension; ++d) {
    if (d != dim) order[n++] = d;
  }
  ops::permute(view.get(), kept.get(), Sizes{src->nDimension, order});
  TensorRef whole = contiguous(view.get());
  int64_t step = 1;
  for (int d = r.nDimension - 1; d >= 0; --d) {
    size[d] = d == dim ? index.size[0] : r.size[d];
    stride[d] = d == dim ? slice : step;
    if (d != dim) step *= r.size[d];
  }
  TensorRef shaped(tensor_new(src->dtype));
  set_storage(shaped.get(), whole->storage, whole->storageOffset, r.nDimension, size, stride);
  return shaped;
}

// Checks and prepares what indexCopy and indexAdd have in common.
struct SliceWrite {
  int dim;
  TensorRef index;
  TensorRef src;
  SliceWrite(const char* op, Tensor* r, int64_t dimension, Tensor* indices, Tensor* source)
      : dim(wrap_dim(*r, dimension, 2)) {
    check_same_type(op, *r, *source);
    check_vector(op, *indices, 3);
    check_indices(op, *indices, r->size[dim], dim, 3);
    src = source_slices(op, *r, dim, *indices, source);
    index = kept_from(*r, indices);
  }
  bool nothing_to_do() const { return src->numel() == 0; }
  Side from() const {
    return all_slices(src->data(Access::read), src->stride, dim, item_size(src->dtype));
  }
};

}  // namespace

namespace ops {

void indexSelect(Tensor* r, Tensor* t, int64_t dimension, Tensor* index) {
  int dim = wrap_dim(*t, dimension, 3);
  check_same_type("indexSelect", *r, *t);
  check_vector("indexSelect", *index, 4);
  check_indices("indexSelect", *index, t->size[dim], dim, 4);
  if (needs_temporary(*r, *t, *index)) {
    TensorRef result(tensor_new(r->dtype));
    indexSelect(result.get(), t, dimension, index);
    deliver(r, result.get());
    return;
  }
  int64_t size[kMaxDims];
  std::copy(t->size, t->size + t->nDimension, size);
  int64_t count = size[dim] = index->size[0];
  resize(r, t->nDimension, size);
  if (r->numel() == 0) return;
  size_t item = item_size(t->dtype);
  Side from = chosen_slices(t->data(Access::read), t->stride, dim, item, *index);
  Side to = all_slices(r->data(access_for_result(*r)), r->stride, dim, item);
  bool in_order = has_shared_elements(*r);
  Slices slices(item, r->nDimension, r->size, dim, count, to, from, in_order);
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    if (in_order) {
      slices.run_in_order<T, Move<T>>();
    } else {
      slices.run<T, Move<T>>();
    }
  });
}

void indexCopy(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  SliceWrite w("indexCopy", r, dimension, index, src);
  if (w.nothing_to_do()) return;
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    write_slices<T, Move<T>>(r, w.dim, *w.index, w.from());
  });
}

void indexAdd(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  SliceWrite w("indexAdd", r, dimension, index, src);
  if (w.nothing_to_do()) return;
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    write_slices<T, Accumulate<T>>(r, w.dim, *w.index, w.from());
  });
}

void indexFill(Tensor* r, int64_t dimension, Tensor* index, Scalar value) {
  int dim = wrap_dim(*r, dimension, 2);
  check_vector("indexFill", *index, 3);
  check_indices("indexFill", *index, r->size[dim], dim, 3);
  if (r->numel() == 0 || index->numel() == 0) return;
  TensorRef kept = kept_from(*r, index);
  int64_t no_stride[kMaxDims] = {};
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T element = convert<T>(value);
    Side from = all_slices(reinterpret_cast<char*>(&element), no_stride, dim, sizeof(T));
    write_slices<T, Move<T>>(r, dim, *kept, from);
  });
}

}  // namespace ops
}  // namespace th

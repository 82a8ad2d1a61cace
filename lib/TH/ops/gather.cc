// Single elements, chosen by an index for each position.

#include <optional>

#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/error.h"
#include "ops/elementwise.h"
#include "functors/index_actions.h"
#include "ops/index_on_device.h"
#include "tensor/convert.h"

namespace th {

namespace {

// index must have as many dimensions as t and reach no further, but along dim, unless that counts.
void check_fits(const char* op, const Tensor& index, const Tensor& t, int dim, bool along_dim,
                int argument) {
  bool fits = index.nDimension == t.nDimension;
  for (int d = 0; fits && d < t.nDimension; ++d) {
    fits = index.size[d] <= t.size[d] || (d == dim && !along_dim);
  }
  if (!fits) {
    fail_argument(argument,
                  "%s: indices of size %s do not fit a tensor of size %s along "
                  "dimension %d",
                  op, shape_text(index).c_str(), shape_text(t).c_str(), dim + 1);
  }
}

// Writes r where the indices say: the positions beside dim are shared out, and along dim, where
// indices may repeat, the order is kept.
template <class T, class Action>
void scatter_by(Tensor* r, int dim, const Tensor& index, char* from, const int64_t* from_stride) {
  int64_t size[kMaxDims], stride[3][kMaxDims];
  int n = 0;
  for (int d = 0; d < index.nDimension; ++d) {
    if (d == dim) continue;
    size[n] = index.size[d];
    stride[0][n] = r->stride[d];
    stride[1][n] = index.stride[d];
    stride[2][n++] = from_stride[d];
  }
  if (n == 0) {
    size[n] = 1;
    stride[0][n] = stride[1][n] = stride[2][n] = 0;
    ++n;
  }
  char* indices = index.data(Access::read);
  bool in_order = has_shared_elements(*r);
  Iterator positions(n, size);
  positions.add(r->data(Access::write), sizeof(T), stride[0]);
  positions.add(indices, sizeof(int64_t), stride[1]);
  positions.add(from, sizeof(T), stride[2]);
  positions.plan(in_order);

  constexpr int64_t item = sizeof(T);
  int64_t length = index.size[dim];
  int64_t to_step = r->stride[dim] * item;
  int64_t index_step = index.stride[dim] * static_cast<int64_t>(sizeof(int64_t));
  int64_t from_step = from_stride[dim] * item;
  bool dim_inside = in_order || index_step < positions.inner_stride(1);
  auto work = [&](int64_t begin, int64_t end) {
    positions.for_each_run(begin, end, [&](char* const* at, const int64_t* step, int64_t count) {
      auto one = [&](int64_t i, int64_t j) {
        int64_t chosen = *reinterpret_cast<const int64_t*>(at[1] + i * step[1] + j * index_step);
        Action::run(reinterpret_cast<T*>(at[0] + i * step[0] + (chosen - TH_INDEX_BASE) * to_step),
                    reinterpret_cast<const T*>(at[2] + i * step[2] + j * from_step));
      };
      if (dim_inside) {
        for (int64_t i = 0; i < count; ++i) {
          for (int64_t j = 0; j < length; ++j) one(i, j);
        }
      } else {
        for (int64_t j = 0; j < length; ++j) {
          for (int64_t i = 0; i < count; ++i) one(i, j);
        }
      }
    });
  };
  if (in_order) {
    work(0, positions.numel());
  } else {
    parallel_for(positions.numel(), std::max<int64_t>(1, Grain::gather / length), work);
  }
}

// Checks and prepares what the operations that write have in common. src: null for a value.
struct Scatter {
  int dim;
  Device* device;
  TensorRef index, src;
  std::optional<IndexCheck> check;

  Scatter(const char* op, Tensor* r, int64_t dimension, Tensor* indices, Tensor* source) {
    if (source) check_same_type(op, *r, *source);
    dim = wrap_dim(*r, dimension, 2);
    check_index_type(op, *indices, 3);
    check_fits(op, *indices, *r, dim, false, 3);
    device = device_of({r, indices, source});
    check.emplace(op, *indices, r->size[dim], dim, 3, device);
    if (source) check_fits(op, *indices, *source, dim, true, 4);
    if (indices->numel() == 0) return;
    index = kept_from(*r, indices);
    if (source) src = kept_from(*r, source);
  }

  bool nothing_to_do() const { return !index; }
  // Whether the operation was queued on a device.
  bool done_on_device(ScatterAction action, Tensor* r, Scalar value) const {
    if (device && scatter_on(*device, action, r, dim, index.get(), IndexShape::full, src.get(),
                             value, *check)) {
      return true;
    }
    check->on_cpu(*index);
    return false;
  }
};

}  // namespace

namespace ops {

void gather(Tensor* r, Tensor* t, int64_t dimension, Tensor* index) {
  int dim = wrap_dim(*t, dimension, 3);
  check_same_type("gather", *r, *t);
  check_index_type("gather", *index, 4);
  check_fits("gather", *index, *t, dim, false, 4);
  Device* device = device_of({r, t, index});
  IndexCheck check("gather", *index, t->size[dim], dim, 4, device);
  if (needs_temporary(*r, *t, *index)) {
    TensorRef result(tensor_new(r->dtype));
    gather(result.get(), t, dimension, index);
    deliver(r, result.get());
    return;
  }
  resize_as(r, *index);
  if (r->numel() == 0) return;
  if (device && gather_on(*device, r, t, dim, index, IndexShape::full, check)) return;
  check.on_cpu(*index);
  int64_t stride[kMaxDims];
  std::copy(t->stride, t->stride + t->nDimension, stride);
  stride[dim] = 0;
  char* from = t->data(Access::read);
  char* indices = index->data(Access::read);
  bool in_order = has_shared_elements(*r);
  dispatch_item(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    Iterator iterator(r->nDimension, r->size);
    iterator.add(r->data(access_for_result(*r)), sizeof(T), r->stride);
    iterator.add(indices, sizeof(int64_t), index->stride);
    iterator.add(from, sizeof(T), stride);
    iterator.plan(in_order);
    int64_t step = t->stride[dim] * static_cast<int64_t>(sizeof(T));
    auto work = [&](int64_t begin, int64_t end) {
      iterator.for_each_run(begin, end, [&](char* const* at, const int64_t* s, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          int64_t chosen = *reinterpret_cast<const int64_t*>(at[1] + i * s[1]) - TH_INDEX_BASE;
          *reinterpret_cast<T*>(at[0] + i * s[0]) =
              *reinterpret_cast<const T*>(at[2] + i * s[2] + chosen * step);
        }
      });
    };
    if (in_order) {
      work(0, iterator.numel());
    } else {
      parallel_for(iterator.numel(), Grain::gather, work);
    }
  });
}

void scatter(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  Scatter s("scatter", r, dimension, index, src);
  if (s.nothing_to_do() || s.done_on_device(ScatterAction::move, r, 0)) return;
  char* from = s.src->data(Access::read);
  dispatch_item(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    scatter_by<T, Move<T>>(r, s.dim, *s.index, from, s.src->stride);
  });
}

void scatterFill(Tensor* r, int64_t dimension, Tensor* index, Scalar value) {
  Scatter s("scatter", r, dimension, index, nullptr);
  if (s.nothing_to_do() || s.done_on_device(ScatterAction::fill, r, value)) return;
  int64_t no_stride[kMaxDims] = {};
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    T element = convert<T>(value);
    scatter_by<T, Move<T>>(r, s.dim, *s.index, reinterpret_cast<char*>(&element), no_stride);
  });
}

void scatterAdd(Tensor* r, int64_t dimension, Tensor* index, Tensor* src) {
  Scatter s("scatterAdd", r, dimension, index, src);
  if (s.nothing_to_do() || s.done_on_device(ScatterAction::add, r, 0)) return;
  char* from = s.src->data(Access::read);
  dispatch(r->dtype, [&](auto zero) {
    using T = decltype(zero);
    scatter_by<T, Accumulate<T>>(r, s.dim, *s.index, from, s.src->stride);
  });
}

}  // namespace ops
}  // namespace th

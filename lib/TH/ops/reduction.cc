#include "ops/reduction.h"

#include <algorithm>
#include <memory>

#include "THGeneral.h"
#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "memory/heap.h"
#include "ops/ops.h"
#include "ops/reduce_on_device.h"

namespace th {

namespace {

// Elements of a reduction after which its next block begins: blocks of a contiguous run stay in
// the second-level cache for reductions that read them twice.
constexpr int64_t kRunBlock = 16384;
constexpr int64_t kColumnBlock = 4096;
// Elements brought together where they do not lie together.
constexpr int64_t kGathered = 1024;
// Runs of at least this many elements are reduced where they are.
constexpr int64_t kLongRun = 256;
// Columns narrower than half of this are folded.
constexpr int64_t kFoldWidth = 64;

struct FreeHeap {
  void operator()(void* block) const { heap_free(block); }
};
using Partials = std::unique_ptr<Partial[], FreeHeap>;
Partials allocate_partials(int64_t n) {
  return Partials(static_cast<Partial*>(heap_allocate(static_cast<size_t>(n) * sizeof(Partial))));
}

int64_t grain_of(const Reduction& op) {
  return op.reducer == Reducer::powers ? Grain::costly : Grain::cheap;
}

// Writes call.count values, and asides where the reduction has them.
void reduce_block(const Reduction& op, DType dtype, ReduceCall call, Wide* value, Aside* aside) {
  const ReduceKernels& kernels = reduce_kernels();
  auto type = static_cast<int>(dtype);
  call.parameter = &op.parameter;
  kernels.reduce[static_cast<int>(op.reducer)][type](call, value);
  if (op.extra == Reduction::Extra::index) {
    int64_t index[kReduceWidth];
    kernels.find[type](call, value, index);
    for (int64_t k = 0; k < call.count; ++k) aside[k].index = index[k];
  } else if (op.extra == Reduction::Extra::moment) {
    double mean[kReduceWidth];
    Wide moment[kReduceWidth];
    for (int64_t k = 0; k < call.count; ++k) mean[k] = value[k].d / static_cast<double>(call.n);
    call.parameter = mean;
    kernels.reduce[static_cast<int>(Reducer::deviation)][type](call, moment);
    for (int64_t k = 0; k < call.count; ++k) aside[k].moment = moment[k].d;
  }
}

int64_t add_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t multiply_wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Whether b, which comes later, replaces a; a NaN does, and stays.
template <class V>
bool replaces(Reducer reducer, V a, V b) {
  if (a != a) return false;
  if (b != b) return true;
  return reducer == Reducer::min || reducer == Reducer::abs_min ? b < a : b > a;
}

// a, of na elements, takes in b, of the nb elements that follow.
void combine(const Reduction& op, bool integral, Partial* a, int64_t na, const Partial& b,
             int64_t nb) {
  switch (op.reducer) {
    case Reducer::prod:
      if (integral) {
        a->value.i = multiply_wrapping(a->value.i, b.value.i);
      } else {
        a->value.d *= b.value.d;
      }
      return;
    case Reducer::min:
    case Reducer::max:
    case Reducer::abs_min:
    case Reducer::abs_max:
      if (integral ? replaces(op.reducer, a->value.i, b.value.i)
                   : replaces(op.reducer, a->value.d, b.value.d)) {
        a->value = b.value;
        if (op.extra == Reduction::Extra::index) a->aside.index = na + b.aside.index;
      }
      return;
    default:
      break;
  }
  if (op.extra == Reduction::Extra::moment) {
    auto x = static_cast<double>(na), y = static_cast<double>(nb);
    double apart = b.value.d / y - a->value.d / x;
    a->aside.moment += b.aside.moment + apart * apart * (x * y / (x + y));
  }
  if (integral) {
    a->value.i = add_wrapping(a->value.i, b.value.i);
  } else {
    a->value.d += b.value.d;
  }
}

ReduceCall one_run(const char* data, int64_t n, size_t item) {
  auto bytes = static_cast<int64_t>(item);
  return {data, n, bytes, 1, 0, true, 1, nullptr};
}

// Takes runs of any strides into one partial result.
class Taker {
 public:
  Taker(const Reduction& op, DType dtype, Partial* result)
      : op_(op), dtype_(dtype), integral_(is_integral(dtype)), result_(result) {
    gathered_type_ = info(dtype).kind == Kind::REDUCED ? DType::Float : dtype;
  }

  void take(char* const* data, const int64_t* stride, int64_t n, bool difference) {
    auto item = static_cast<int64_t>(item_size(dtype_));
    if (!difference && stride[0] == item && n >= kLongRun) {
      flush();
      reduce_run(dtype_, data[0], n);
      return;
    }
    auto size = static_cast<int64_t>(item_size(gathered_type_));
    for (int64_t i = 0; i < n;) {
      int64_t m = std::min(n - i, kGathered - filled_);
      reduce_kernels().gather[static_cast<int>(dtype_)](
          buffer_ + filled_ * size, data[0] + i * stride[0], stride[0],
          difference ? data[1] + i * stride[1] : nullptr, difference ? stride[1] : 0, m);
      filled_ += m;
      i += m;
      if (filled_ == kGathered) flush();
    }
  }

  void flush() {
    if (filled_ > 0) reduce_run(gathered_type_, buffer_, filled_);
    filled_ = 0;
  }

 private:
  void reduce_run(DType type, const char* data, int64_t n) {
    Partial partial = {};
    reduce_block(op_, type, one_run(data, n, item_size(type)), &partial.value, &partial.aside);
    if (taken_) {
      combine(op_, integral_, result_, taken_, partial, n);
    } else {
      *result_ = partial;
    }
    taken_ += n;
  }

  const Reduction& op_;
  DType dtype_;
  DType gathered_type_;
  bool integral_;
  Partial* result_;
  int64_t taken_ = 0;
  int64_t filled_ = 0;
  alignas(kAlignment) char buffer_[kGathered * sizeof(double)];
};

}  // namespace

Wide reduce_nothing(const Reduction& op, DType dtype) {
  Partial p = {};
  ReduceCall call = one_run(nullptr, 0, item_size(dtype));
  reduce_kernels().reduce[static_cast<int>(op.reducer)][static_cast<int>(dtype)](call, &p.value);
  if (op.finish != Finish::none) p.value.d = finished(op.finish, p, 0, op.parameter);
  return p.value;
}

Partial reduce_all(const Reduction& op, const Tensor& a, const Tensor* b) {
  Partial result = {};
  if (a.numel() == 0) {
    Reduction plain = op;
    plain.finish = Finish::none;
    result.value = reduce_nothing(plain, a.dtype);
    return result;
  }
  if (Device* device = device_of({&a, b})) {
    Pairing pairing = b ? Pairing::difference : Pairing::none;
    if (reduce_all_on(*device, op, pairing, a, b, &result)) return result;
  }
  Iterator iterator(a.nDimension, a.size);
  iterator.add(a.data(Access::read), item_size(a.dtype), a.stride);
  if (b) iterator.add(b->data(Access::read), item_size(b->dtype), b->stride);
  iterator.plan(false);
  int64_t n = iterator.numel();
  int64_t blocks = (n + kRunBlock - 1) / kRunBlock;
  constexpr int64_t few = 16;
  Partial local[few];
  Partials many;
  if (blocks > few) many = allocate_partials(blocks);
  Partial* partials = blocks > few ? many.get() : local;
  parallel_for(blocks, std::max<int64_t>(1, grain_of(op) / kRunBlock),
               [&](int64_t first, int64_t last) {
                 for (int64_t block = first; block < last; ++block) {
                   Taker taker(op, a.dtype, partials + block);
                   iterator.for_each_run(block * kRunBlock, std::min(n, (block + 1) * kRunBlock),
                                         [&](char* const* data, const int64_t* stride, int64_t m) {
                                           taker.take(data, stride, m, b != nullptr);
                                         });
                   taker.flush();
                 }
               });
  result = partials[0];
  for (int64_t block = 1; block < blocks; ++block) {
    combine(op, is_integral(a.dtype), &result, block * kRunBlock, partials[block],
            std::min(kRunBlock, n - block * kRunBlock));
  }
  return result;
}

namespace {

// A reduction along a dimension of t: the operands are t, whose dimensions are those that stay,
// and the output, which has one Partial or element for each of their elements.
struct Along {
  const Reduction& op;
  DType dtype;
  size_t item;
  int64_t step;  // bytes from one reduced element to the next
  char* data;
  int ndim = 0;  // of the dimensions that stay
  int64_t size[kMaxDims + 1];
  int64_t stride[kMaxDims + 1];  // of t, in elements
  int64_t out_stride[kMaxDims + 1];

  Along(const Reduction& reduction, const Tensor& t, int dim)
      : op(reduction), dtype(t.dtype), item(item_size(t.dtype)) {
    step = t.stride[dim] * static_cast<int64_t>(item);
    data = t.data(Access::read);
    // Room for the dimension of the blocks.
    ndim = 1;
    size[0] = 1;
    stride[0] = 0;
    for (int d = 0; d < t.nDimension; ++d) {
      if (d == dim) continue;
      size[ndim] = t.size[d];
      stride[ndim++] = t.stride[d];
    }
    outputs = 1;
    for (int d = ndim - 1; d >= 0; --d) {
      out_stride[d] = outputs;
      outputs *= size[d];
    }
  }
  int64_t outputs;

  // first: the first reduced element; blocks of n elements each, one after the other.
  Iterator iterator(int64_t first, int64_t n, int64_t blocks, char* out, size_t out_item) {
    size[0] = blocks;
    stride[0] = n * (step / static_cast<int64_t>(item));
    Iterator it(ndim, size);
    it.add(data + first * step, item, stride);
    it.add(out, out_item, out_stride);
    return it;
  }

  bool columns(int64_t inner_stride, int64_t n) const {
    auto bytes = static_cast<int64_t>(item);
    return inner_stride == bytes && (step != bytes || n == 1);
  }

  // sink(values, asides, count, out, bytes from one output to the next)
  template <class Sink>
  void run(Iterator it, int64_t n, const Sink& sink) const {
    it.plan(false);
    bool rows = !columns(it.inner_stride(0), n);
    int64_t width = it.inner_size();
    int64_t fold = 1;
    if (!rows && op.extra == Reduction::Extra::none && width <= kFoldWidth / 2 &&
        step == width * static_cast<int64_t>(item)) {
      fold = std::min(kFoldWidth / width, n);
    }
    // Folded columns must not be cut.
    int64_t unit = fold > 1 ? width : 1;
    int64_t grain = std::max<int64_t>(1, grain_of(op) / std::max<int64_t>(1, n * unit));
    parallel_for(it.numel() / unit, grain, [&](int64_t begin, int64_t end) {
      Wide value[kReduceWidth];
      Aside aside[kReduceWidth];
      it.for_each_run(
          begin * unit, end * unit, [&](char* const* at, const int64_t* next, int64_t count) {
            for (int64_t k = 0; k < count; k += kReduceWidth) {
              int64_t m = std::min(kReduceWidth, count - k);
              ReduceCall call = {at[0] + k * next[0], n, step, m, next[0], rows, fold, nullptr};
              reduce_block(op, dtype, call, value, aside);
              sink(value, aside, m, at[1] + k * next[1], next[1]);
            }
          });
    });
  }
};

// Where the results go: r, and indices at the same place of theirs.
struct Results {
  const Reduction& op;
  DType dtype;
  int64_t n;
  char* r;
  int64_t* indices;

  void write(Wide* value, const Aside* aside, int64_t count, char* out, int64_t next) const {
    if (op.finish != Finish::none) {
      for (int64_t k = 0; k < count; ++k) {
        Partial p = {value[k], {}};
        if (op.extra != Reduction::Extra::none) p.aside = aside[k];
        value[k].d = finished(op.finish, p, n, op.parameter);
      }
    }
    reduce_kernels().write[static_cast<int>(dtype)](out, next, value, count);
    if (!indices) return;
    auto item = static_cast<int64_t>(item_size(dtype));
    int64_t* to = indices + (out - r) / item;
    for (int64_t k = 0; k < count; ++k) to[k * (next / item)] = aside[k].index + TH_INDEX_BASE;
  }
};

}  // namespace

void reduce_dim(const Reduction& op, Tensor* t, int dim, Tensor* r, Tensor* indices) {
  int64_t n = t->size[dim];
  if (r->numel() == 0) return;
  if (Device* device = device_of({t, r, indices})) {
    if (reduce_dim_on(*device, op, t, dim, r, indices)) return;
  }
  Along along(op, *t, dim);
  Iterator it = along.iterator(0, n, 1, nullptr, item_size(t->dtype));
  it.plan(false);
  bool columns = along.columns(it.inner_stride(0), n);
  if (!columns && along.step != static_cast<int64_t>(along.item) && n > 1) {
    TensorRef copy = clone(t);
    reduce_dim(op, copy.get(), dim, r, indices);
    return;
  }
  // Blocks of one and the same element would be the innermost dimension.
  int64_t block = along.step == 0 ? n : columns ? kColumnBlock : kRunBlock;
  Results results = {op, t->dtype, n, r->data(Access::write),
                     indices ? indices->data_as<int64_t>(Access::write) : nullptr};
  if (n <= block) {
    along.run(along.iterator(0, n, 1, results.r, along.item), n,
              [&](Wide* value, const Aside* aside, int64_t count, char* out, int64_t next) {
                results.write(value, aside, count, out, next);
              });
    return;
  }
  int64_t full = n / block;
  int64_t rest = n - full * block;
  Partials partials = allocate_partials((full + 1) * along.outputs);
  auto keep = [&](const Wide* value, const Aside* aside, int64_t count, char* out, int64_t next) {
    for (int64_t k = 0; k < count; ++k) {
      auto* to = reinterpret_cast<Partial*>(out + k * next);
      to->value = value[k];
      if (op.extra != Reduction::Extra::none) to->aside = aside[k];
    }
  };
  auto place = [&](int64_t k) {
    return reinterpret_cast<char*>(partials.get() + k * along.outputs);
  };
  along.run(along.iterator(0, block, full, place(0), sizeof(Partial)), block, keep);
  if (rest > 0) {
    along.run(along.iterator(full * block, rest, 1, place(full), sizeof(Partial)), rest, keep);
  }
  auto item = static_cast<int64_t>(along.item);
  for (int64_t k = 0; k < along.outputs; ++k) {
    Partial& result = partials[k];
    for (int64_t b = 1; b < full + (rest > 0); ++b) {
      combine(op, is_integral(t->dtype), &result, b * block, partials[b * along.outputs + k],
              b < full ? block : rest);
    }
    results.write(&result.value, &result.aside, 1, results.r + k * item, item);
  }
}

}  // namespace th

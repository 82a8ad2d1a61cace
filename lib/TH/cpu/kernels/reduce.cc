// Reductions of all elements and along one dimension. Both divide the elements into blocks by
// index, reduce each block, and combine the blocks in order, so that the result does not depend on
// the number of threads.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/kernels/reduce_combine.h"
#include "cpu/kernels/reduce_loops.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"
#include "tensor/checked.h"

namespace th {
namespace {

// Elements per block of a reduction. A contiguous block stays in the L2 cache for reductions that
// read it twice.
constexpr int64_t kRunBlock = 16384;
constexpr int64_t kColumnBlock = 4096;
// Number of strided elements that are gathered into a buffer at a time.
constexpr int64_t kGathered = 1024;
// Runs with at least this many elements are reduced in place and multiplied in any order.
constexpr int64_t kLongRun = 256;
// Bytes of a row of columns; four rows fit into the L1 cache.
constexpr int64_t kRowBytes = 4096;
// Narrower columns are folded to about this width.
constexpr int64_t kFoldWidth = 64;
// Strided elements are copied in parts of about this size, if their order needs a copy. Columns are
// copied together up to the second size, because parts of rows are copied more slowly.
constexpr int64_t kCopied = int64_t{1} << 21;
constexpr int64_t kCopiedColumns = int64_t{1} << 24;

// Computes block.count values and their auxiliary results (index or moment).
void reduce_block(const ReductionParameters& op, DType dtype, ReduceBlock block, Wide* value,
                  Auxiliary* aux) {
  const ReduceLoops& loops = TH_ISA::reduce_loops;
  block.parameter = &op.parameter;
  loops.reduce[static_cast<int>(op.reducer)][dtype](block, value);
  if (op.index) {
    int64_t index[kReduceWidth];
    loops.find[dtype](block, value, index);
    for (int64_t k = 0; k < block.count; ++k) aux[k].index = index[k];
  } else if (op.moment) {
    double mean[kReduceWidth];
    Wide moment[kReduceWidth];
    for (int64_t k = 0; k < block.count; ++k) mean[k] = value[k].d / static_cast<double>(block.n);
    block.parameter = mean;
    loops.reduce[static_cast<int>(Reducer::deviation)][dtype](block, moment);
    for (int64_t k = 0; k < block.count; ++k) aux[k].moment = moment[k].d;
  }
}

ReduceBlock one_run(const char* data, int64_t n, size_t item) {
  return {data, n, static_cast<int64_t>(item), 1, 0, true, 1, nullptr, n < kLongRun};
}

// ---- all elements ------------------------------------------------------------------------------

// Reduces runs with any strides, or differences of two operands, to one partial result.
class RunReducer {
 public:
  RunReducer(const ReductionParameters& op, bool difference, int64_t ahead, Partial* result)
      : op_(op), difference_(difference), ahead_(ahead), result_(result) {
    gathered_type_ = info(op.dtype).kind == Kind::REDUCED ? DType::Float : op.dtype;
  }

  void add(char* const* data, const int64_t* stride, int64_t n) {
    auto item = static_cast<int64_t>(item_size(op_.dtype));
    if (!difference_ && stride[0] == item && n >= kLongRun) return add_rows(data[0], 0, 1, n);
    auto size = static_cast<int64_t>(item_size(gathered_type_));
    for (int64_t i = 0; i < n;) {
      int64_t m = std::min(n - i, kGathered - filled_);
      TH_ISA::reduce_loops.gather[op_.dtype](
          buffer_ + filled_ * size, data[0] + i * stride[0], stride[0],
          difference_ ? data[1] + i * stride[1] : nullptr, difference_ ? stride[1] : 0, m);
      filled_ += m;
      i += m;
      if (filled_ == kGathered) flush();
    }
  }

  // Adds `count` long runs of n elements each, whose starts are `next` bytes apart.
  void add_rows(const char* data, int64_t next, int64_t count, int64_t n) {
    if (filled_ > 0) flush();
    ReduceBlock runs = one_run(data, n, item_size(op_.dtype));
    runs.next = next;
    runs.ahead = ahead_;
    for (int64_t k = 0; k < count; k += runs.count) {
      runs.data = data + k * next;
      runs.count = std::min(kRuns, count - k);
      reduce_runs(op_.dtype, runs);
    }
  }

  void flush() {
    if (filled_ > 0) {
      reduce_runs(gathered_type_, one_run(buffer_, filled_, item_size(gathered_type_)));
    }
    filled_ = 0;
  }

 private:
  static constexpr int64_t kRuns = 16;  // at a time

  void reduce_runs(DType type, const ReduceBlock& runs) {
    Wide value[kRuns];
    Auxiliary aux[kRuns];
    reduce_block(op_, type, runs, value, aux);
    for (int64_t k = 0; k < runs.count; ++k) {
      Partial partial = {value[k], {}};
      if (op_.has_auxiliary()) partial.aux = aux[k];
      if (reduced_) {
        combine(op_, result_, reduced_, partial, runs.n);
      } else {
        *result_ = partial;
      }
      reduced_ += runs.n;
    }
  }

  const ReductionParameters& op_;
  DType gathered_type_;
  bool difference_;
  int64_t ahead_;
  Partial* result_;
  int64_t reduced_ = 0;
  int64_t filled_ = 0;
  alignas(64) char buffer_[kGathered * sizeof(double)];
};

void reduce_elements(const ReduceAllCall& call) {
  const LoopPlan& plan = call.plan;
  ReductionParameters op = {call.reducer, call.moment, false, call.dtype, call.parameter};
  int64_t n = plan.numel;
  if (n == 0) {
    ReduceBlock nothing = one_run(nullptr, 0, item_size(call.dtype));
    TH_ISA::reduce_loops.reduce[static_cast<int>(op.reducer)][op.dtype](nothing, &call.out->value);
    return;
  }
  bool difference = call.transform == Transform::difference;
  auto item = static_cast<int64_t>(item_size(call.dtype));
  // A contiguous block is reduced in place, as RunReducer does it, without the cost of the loops.
  if (n <= kRunBlock && plan.ndim == 1 && plan.stride[0][0] == item && !difference &&
      (n >= kLongRun || info(op.dtype).kind != Kind::REDUCED)) {
    Partial partial = {};
    Auxiliary aux;
    reduce_block(op, op.dtype, one_run(plan.data[0], n, item), &partial.value, &aux);
    if (op.has_auxiliary()) partial.aux = aux;
    *call.out = partial;
    return;
  }
  // Long runs with gaps between them are reduced several at a time.
  int64_t width = plan.inner_size();
  bool in_rows = !difference && plan.ndim > 1 && width >= kLongRun && plan.stride[0][0] == item;
  LoopPlan rows;
  if (in_rows) rows.copy(plan_of_rows(plan));
  const int64_t ahead = plan.ndim == 1 ? bytes_ahead(n, item) : 0;
  int64_t blocks = (n + kRunBlock - 1) / kRunBlock;
  constexpr int64_t few = 16;
  Partial local[few];
  Workspace<Partial> many(blocks > few ? blocks : 0);
  Partial* partials = blocks > few ? many.data() : local;
  parallel_for(
      blocks, std::max<int64_t>(1, op.grain() / kRunBlock), [&](int64_t first, int64_t last) {
        for (int64_t block = first; block < last; ++block) {
          RunReducer reducer(op, difference, ahead, partials + block);
          auto take = [&](int64_t from, int64_t to) {
            for_each_run(plan, from, to, [&](char* const* data, const int64_t* stride, int64_t m) {
              reducer.add(data, stride, m);
            });
          };
          int64_t begin = block * kRunBlock, end = std::min(n, begin + kRunBlock);
          int64_t row = (begin + width - 1) / width, rows_end = end / width;
          if (in_rows && row < rows_end) {
            take(begin, row * width);
            for_each_run(rows, row, rows_end,
                         [&](char* const* data, const int64_t* next, int64_t m) {
                           reducer.add_rows(data[0], next[0], m, width);
                         });
            begin = rows_end * width;
          }
          take(begin, end);
          reducer.flush();
        }
      });
  *call.out = partials[0];
  for (int64_t block = 1; block < blocks; ++block) {
    combine(op, call.out, block * kRunBlock, partials[block],
            std::min(kRunBlock, n - block * kRunBlock));
  }
}

// ---- along a dimension -------------------------------------------------------------------------

// Returns true if the elements with the same index of all reductions are contiguous.
bool is_columns(const LoopPlan& plan, int64_t step, int64_t n, int64_t item) {
  return plan.inner_stride(0) == item && (step != item || n == 1);
}

// Reduces n elements for each output. Calls sink(values, auxiliaries, count, out, bytes from one
// output to the next).
template <class Sink>
void reduce_outputs(const ReductionParameters& op, const LoopPlan& plan, int64_t step, int64_t n,
                    const Sink& sink) {
  auto item = static_cast<int64_t>(item_size(op.dtype));
  bool rows = !is_columns(plan, step, n, item);
  int64_t width = plan.inner_size(), together = std::min(kReduceWidth, kRowBytes / item);
  int64_t fold = 1;
  bool may_fold = !op.moment && !op.in_order() && (!op.index || width < 8);
  if (!rows && may_fold && width <= kFoldWidth / 2 && step == width * item) {
    fold = std::min(kFoldWidth / width, n);
  }
  const bool is_contiguous =
      rows && step == item && (plan.numel == 1 || plan.inner_stride(0) == n * item);
  const int64_t ahead = is_contiguous ? bytes_ahead(plan.numel * n, item) : 0;
  // Folded columns must not be divided.
  int64_t unit = fold > 1 ? width : 1;
  int64_t grain = std::max<int64_t>(1, op.grain() / std::max<int64_t>(1, n * unit));
  parallel_for(plan.numel / unit, grain, [&](int64_t begin, int64_t end) {
    Wide value[kReduceWidth];
    Auxiliary aux[kReduceWidth];
    for_each_run(
        plan, begin * unit, end * unit, [&](char* const* at, const int64_t* next, int64_t count) {
          for (int64_t k = 0; k < count; k += together) {
            int64_t m = std::min(together, count - k);
            ReduceBlock block = {at[0] + k * next[0], n,    step, m, next[0], rows, fold, nullptr,
                                 op.in_order(),       ahead};
            reduce_block(op, op.dtype, block, value, aux);
            sink(value, aux, m, at[1] + k * next[1], next[1]);
          }
        });
  });
}

void write_results(const ReduceDimCall& call, Wide* value, const Auxiliary* aux, int64_t count,
                   char* out, int64_t next) {
  if (call.finish == Finish::mean) {
    const auto n = static_cast<double>(call.n);
    if (is_integral(call.dtype)) {
      for (int64_t k = 0; k < count; ++k) value[k].d = static_cast<double>(value[k].i) / n;
    } else {
      for (int64_t k = 0; k < count; ++k) value[k].d /= n;
    }
  } else if (call.finish == Finish::square_root) {
    for (int64_t k = 0; k < count; ++k) value[k].d = std::sqrt(value[k].d);
  } else if (call.finish != Finish::none) {
    for (int64_t k = 0; k < count; ++k) {
      Partial p = {value[k], {}};
      if (call.moment) p.aux = aux[k];
      value[k].d = finished(call.finish, p, call.n, call.parameter);
    }
  }
  TH_ISA::reduce_loops.write[call.result](out, next, value, count);
  if (!call.indices) return;
  auto item = static_cast<int64_t>(item_size(call.result));
  int64_t* to = call.indices + (out - call.plan.data[1]) / item;
  for (int64_t k = 0; k < count; ++k) to[k * (next / item)] = aux[k].index + call.index_base;
}

// Returns the plan to reduce blocks of n elements each, starting with element `first`. The partial
// results of a block are in the order of the outputs.
LoopPlan plan_of_blocks(const ReduceDimCall& call, int64_t first, int64_t n, int64_t blocks,
                        Partial* out) {
  constexpr auto partial = static_cast<int64_t>(sizeof(Partial));
  auto item = static_cast<int64_t>(item_size(call.result));
  LoopPlan plan = call.plan;
  plan.data[0] += first * call.step;
  plan.data[1] = reinterpret_cast<char*>(out);
  for (int d = 0; d < plan.ndim; ++d) plan.stride[1][d] = plan.stride[1][d] / item * partial;
  plan.size[plan.ndim] = blocks;
  plan.stride[0][plan.ndim] = n * call.step;
  plan.stride[1][plan.ndim] = plan.numel * partial;
  ++plan.ndim;
  plan.numel *= blocks;
  plan.plan();
  return plan;
}

// Reduces blocks of n elements of each output, and the rest after the last block, to partials.
void reduce_blocks(const ReductionParameters& op, const ReduceDimCall& call, int64_t block,
                   Partial* partials) {
  int64_t full = call.n / block;
  int64_t rest = call.n - full * block;
  auto keep = [&](const Wide* value, const Auxiliary* aux, int64_t count, char* out, int64_t next) {
    for (int64_t k = 0; k < count; ++k) {
      *reinterpret_cast<Partial*>(out + k * next) = {value[k],
                                                     op.has_auxiliary() ? aux[k] : Auxiliary{}};
    }
  };
  if (full > 0) {
    reduce_outputs(op, plan_of_blocks(call, 0, block, full, partials), call.step, block, keep);
  }
  if (rest > 0) {
    reduce_outputs(op,
                   plan_of_blocks(call, full * block, rest, 1, partials + full * call.plan.numel),
                   call.step, rest, keep);
  }
}

// Combines the partial results of the blocks. searched: whether the index of the value is searched
// in its block; otherwise the partial results contain it.
void finish_blocks(const ReductionParameters& op, const ReduceDimCall& call, int64_t block,
                   bool searched, Partial* partials) {
  auto item = static_cast<int64_t>(item_size(call.dtype));
  auto out_item = static_cast<int64_t>(item_size(call.result));
  int64_t outputs = call.plan.numel;
  auto finish = [&](const char* in, char* out) {
    int64_t k = (out - call.plan.data[1]) / out_item;
    Partial& result = partials[k];
    for (int64_t first = block; first < call.n; first += block) {
      combine(op, &result, first, partials[first / block * outputs + k],
              std::min(block, call.n - first));
    }
    if (searched) {
      int64_t first = result.aux.index;
      ReduceBlock run = one_run(in + first * item, std::min(block, call.n - first), item);
      TH_ISA::reduce_loops.find[op.dtype](run, &result.value, &result.aux.index);
      result.aux.index += first;
    }
    write_results(call, &result.value, &result.aux, 1, out, out_item);
  };
  parallel_for(outputs, searched ? 2 : kReduceWidth, [&](int64_t begin, int64_t end) {
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* next, int64_t count) {
      for (int64_t k = 0; k < count; ++k) finish(at[0] + k * next[0], at[1] + k * next[1]);
    });
  });
}

void reduce_in_blocks(const ReductionParameters& op, const ReduceDimCall& call, int64_t block) {
  Workspace<Partial> partials(ceil_div(call.n, block) * call.plan.numel);
  // For contiguous rows, the index is searched at the end, only in the block that contains the
  // value.
  bool searched = op.index && call.step == static_cast<int64_t>(item_size(call.dtype));
  ReductionParameters part = op;
  part.index = op.index && !searched;
  reduce_blocks(part, call, block, partials.data());
  finish_blocks(op, call, block, searched, partials.data());
}

// Copies elements first ... first + n - 1 of each output in the order of the shape. Returns the
// call that reduces the copy. No dimension of the plan extends across the reduced one.
ReduceDimCall copied_part(const ReduceDimCall& call, int64_t first, int64_t n, char* copy) {
  auto item = static_cast<int64_t>(item_size(call.dtype));
  auto out_item = static_cast<int64_t>(item_size(call.result));
  ReduceDimCall packed = call;
  packed.n = n;
  packed.step = call.plan.trailing * item;
  LoopPlan& plan = packed.plan;
  CopyCall to_packed = {call.dtype, call.dtype, plan};
  LoopPlan& elements = to_packed.plan;
  elements.data[0] = plan.data[0] = copy;
  elements.data[1] = call.plan.data[0] + first * call.step;
  for (int d = 0; d < plan.ndim; ++d) {
    int64_t stride = plan.stride[1][d] / out_item;
    elements.stride[1][d] = plan.stride[0][d];
    elements.stride[0][d] = plan.stride[0][d] = stride * item * (stride < plan.trailing ? 1 : n);
  }
  elements.size[elements.ndim] = n;
  elements.stride[0][elements.ndim] = packed.step;
  elements.stride[1][elements.ndim] = call.step;
  ++elements.ndim;
  elements.numel *= n;
  elements.plan();
  run_on_cpu(to_packed);
  plan.plan();
  return packed;
}

// Reduces copies of parts, each in blocks of the reduced dimension.
void reduce_parts(const ReductionParameters& op, const ReduceDimCall& call, int64_t block) {
  int64_t outputs = call.plan.numel;
  int64_t part = std::max<int64_t>(1, kCopied / outputs / block) * block;
  Workspace<char> copy(std::min(part, call.n) * outputs *
                       static_cast<int64_t>(item_size(call.dtype)));
  if (call.n <= part) return run_on_cpu(copied_part(call, 0, call.n, copy.data()));
  Workspace<Partial> partials(ceil_div(call.n, block) * outputs);
  for (int64_t first = 0; first < call.n; first += part) {
    int64_t n = std::min(part, call.n - first);
    Partial* to = partials.data() + first / block * outputs;
    if (call.step == 0 && first > 0 && n == part) {
      // All parts have the same elements.
      std::copy_n(partials.data(), part / block * outputs, to);
    } else {
      reduce_blocks(op, copied_part(call, first, n, copy.data()), block, to);
    }
  }
  finish_blocks(op, call, block, false, partials.data());
}

// Divides the outputs of a call as long as their blocks have too many elements, and reduces copies
// of the elements.
void reduce_copy(const ReductionParameters& op, const ReduceDimCall& call) {
  auto out_item = static_cast<int64_t>(item_size(call.result));
  ReduceDimCall part = call;
  LoopPlan& plan = part.plan;
  // Split a merged dimension that extends across the reduced one.
  for (int d = 0; d < plan.ndim; ++d) {
    int64_t stride = plan.stride[1][d] / out_item;
    if (stride >= plan.trailing || stride * plan.size[d] <= plan.trailing) continue;
    int64_t inner = plan.trailing / stride;
    plan.size[plan.ndim] = plan.size[d] / inner;
    plan.size[d] = inner;
    for (int k = 0; k < 2; ++k) plan.stride[k][plan.ndim] = inner * plan.stride[k][d];
    ++plan.ndim;
  }
  int64_t block = plan.trailing > 1 ? kColumnBlock : kRunBlock;
  int outer = -1;
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.size[d] > 1 && (outer < 0 || plan.stride[1][d] > plan.stride[1][outer])) outer = d;
  }
  bool leading = outer >= 0 && plan.stride[1][outer] >= plan.trailing * out_item;
  int64_t most = leading ? kCopied : kCopiedColumns;
  // Columns that are folded stay together.
  bool folded = !leading && plan.trailing <= 2 * kFoldWidth;
  if (outer < 0 || folded || plan.numel * std::min(call.n, block) <= most) {
    return reduce_parts(op, part, block);
  }
  int64_t size = plan.size[outer];
  for (int64_t begin : {int64_t{0}, size / 2}) {
    int64_t count = begin > 0 ? size - begin : size / 2;
    ReduceDimCall half = part;
    half.plan.size[outer] = count;
    half.plan.numel = plan.numel / size * count;
    if (!leading) half.plan.trailing = plan.trailing / size * count;
    for (int k = 0; k < 2; ++k) half.plan.data[k] += begin * plan.stride[k][outer];
    if (half.indices) half.indices += begin * (plan.stride[1][outer] / out_item);
    reduce_copy(op, half);
  }
}

}  // namespace

namespace TH_ISA {

void run_reduce_all(const ReduceAllCall& call) {
  switch (call.transform) {
    case Transform::product:
      return reduce_products(call);
    case Transform::unequal:
      return reduce_unequal(call);
    default:
      return reduce_elements(call);
  }
}

void run_reduce_dim(const ReduceDimCall& call) {
  auto item = static_cast<int64_t>(item_size(call.dtype));
  bool columns = is_columns(call.plan, call.step, call.n, item);
  ReductionParameters op = {call.reducer, call.moment, call.indices != nullptr, call.dtype,
                            call.parameter};
  if (!columns && call.step != item && call.n > 1) return reduce_copy(op, call);
  // With step 0 all elements are the same, so do not divide them into blocks.
  int64_t block = call.step == 0 ? call.n : columns ? kColumnBlock : kRunBlock;
  if (call.n > block) return reduce_in_blocks(op, call, block);
  reduce_outputs(op, call.plan, call.step, call.n,
                 [&](Wide* value, const Auxiliary* aux, int64_t count, char* out, int64_t next) {
                   write_results(call, value, aux, count, out, next);
                 });
}

}  // namespace TH_ISA
}  // namespace th

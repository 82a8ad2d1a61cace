// Fused expressions: all steps process a block of elements before the next block, so that
// intermediate results stay in the L1 and L2 caches.

#include <algorithm>
#include <new>

#include "backend/cpu_backend.h"
#include "cpu/element_loop.h"
#include "cpu/kernels/reduce_combine.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"
#include "tensor/convert.h"

namespace th {
namespace {

constexpr int64_t kItem = 8;             // bytes of the largest element
constexpr int64_t kBlock = 1024;         // elements; a multiple of the vector size
constexpr int64_t kLeast = 256;          // elements, if there are many buffers
constexpr int64_t kBufferBytes = 65536;  // bytes of all buffers
constexpr int64_t kRun = 16384;          // elements reduced at a time, as in reduce.cc
static_assert(kFusedBuffers * kLeast * kItem <= kBufferBytes, "buffers fit");

class Expression {
 public:
  explicit Expression(const FusedCall& call) : call_(call), loops_(call.steps) {
    for (int k = 0; k < call.steps; ++k) {
      const FusedStep& step = call.step[k];
      new (&loops_[k]) ElementLoop(step.op, step.dtype, step.result, step.params);
    }
    block_ = call.buffers <= kBufferBytes / (kBlock * kItem) ? kBlock : kLeast;
  }

  // A Loop whose context is an Expression.
  static void run(char* const* data, const int64_t* stride, int64_t n, const void* context) {
    static_cast<const Expression*>(context)->run(data, stride, n);
  }

 private:
  void run(char* const* data, const int64_t* stride, int64_t n) const {
    alignas(64) char buffers[kBufferBytes];
    for (int64_t i = 0; i < n; i += block_) {
      const int64_t m = std::min(block_, n - i);
      for (int k = 0; k < call_.steps; ++k) {
        const FusedStep& step = call_.step[k];
        char* at[kMaxOperands];
        int64_t by[kMaxOperands];
        auto set_address = [&](int argument, int operand, DType type) {
          if (operand < kFusedOperands) {
            at[argument] = data[operand] + i * stride[operand];
            by[argument] = stride[operand];
          } else {
            at[argument] = buffers + (operand - kFusedOperands) * block_ * kItem;
            by[argument] = static_cast<int64_t>(item_size(type));
          }
        };
        set_address(0, step.to, step.result);
        for (int j = 0; j < 3 && step.from[j] >= 0; ++j)
          set_address(j + 1, step.from[j], step.type[j]);
        ElementLoop::run(at, by, m, &loops_[k]);
      }
    }
  }

  const FusedCall& call_;
  Workspace<ElementLoop> loops_;
  int64_t block_;
};

// Computes elements [first, last) of the expression, in the order of the shape.
void evaluate(const FusedCall& call, const Expression& expression, int64_t first, int64_t last,
              char* out) {
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  for_each_run(call.plan, first, last, [&](char* const* data, const int64_t* stride, int64_t m) {
    char* at[kFusedOperands];
    int64_t by[kFusedOperands];
    std::copy(data + 1, data + call.plan.operands, at + 1);
    std::copy(stride + 1, stride + call.plan.operands, by + 1);
    at[0] = out;
    by[0] = item;
    Expression::run(at, by, m, &expression);
    out += m * item;
  });
}

// Reduces rows that are short enough to evaluate several at a time.
void reduce_rows(const FusedCall& call, const Expression& expression, int64_t rows) {
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  const int64_t together = kRun / call.n;
  const int64_t chunks = (rows + together - 1) / together;
  parallel_for(chunks, std::max<int64_t>(1, call.grain / kRun), [&](int64_t begin, int64_t end) {
    alignas(64) char elements[kRun * kItem];
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t first = chunk * together, count = std::min(together, rows - first);
      evaluate(call, expression, first * call.n, (first + count) * call.n, elements);
      ReduceDimCall reduce;
      reduce.reducer = call.reducer;
      reduce.finish = call.finish;
      reduce.moment = false;
      reduce.dtype = reduce.result = call.dtype;
      reduce.parameter = 0;
      reduce.n = call.n;
      reduce.step = item;
      reduce.indices = nullptr;
      reduce.index_base = 0;
      reduce.plan.start_contiguous(count);
      reduce.plan.add_contiguous(elements, static_cast<size_t>(item * call.n));
      reduce.plan.add_contiguous(call.plan.data[0] + first * item, static_cast<size_t>(item));
      run_on_cpu(reduce);
    }
  });
}

// Reduces rows that are divided into runs.
void reduce_runs(const FusedCall& call, const Expression& expression, int64_t rows) {
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  const int64_t runs = (call.n + kRun - 1) / kRun;
  Workspace<Partial> partials(rows * runs);
  auto length = [&](int64_t run) { return std::min(kRun, call.n - run * kRun); };
  parallel_for(rows * runs, std::max<int64_t>(1, call.grain / kRun),
               [&](int64_t begin, int64_t end) {
                 alignas(64) char elements[kRun * kItem];
                 for (int64_t k = begin; k < end; ++k) {
                   const int64_t run = k % runs, first = k / runs * call.n + run * kRun;
                   evaluate(call, expression, first, first + length(run), elements);
                   ReduceAllCall reduce;
                   reduce.reducer = call.reducer;
                   reduce.transform = Transform::none;
                   reduce.moment = false;
                   reduce.dtype = call.dtype;
                   reduce.parameter = 0;
                   reduce.plan.start_contiguous(length(run));
                   reduce.plan.add_contiguous(elements, static_cast<size_t>(item));
                   reduce.out = &partials[k];
                   run_on_cpu(reduce);
                 }
               });
  const ReductionParameters reduction = {call.reducer, false, false, call.dtype, 0};
  for (int64_t row = 0; row < rows; ++row) {
    Partial& all = partials[row * runs];
    for (int64_t run = 1; run < runs; ++run) {
      combine(reduction, &all, run * kRun, partials[row * runs + run], length(run));
    }
    dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      T* out = reinterpret_cast<T*>(call.plan.data[0]) + row;
      *out = is_integral(call.dtype) ? convert<T>(all.value.i)
                                     : convert<T>(finished(call.finish, all, call.n, 0));
    });
  }
}

}  // namespace

namespace TH_ISA {

void run_fused(const FusedCall& call) {
  const Expression expression(call);
  if (call.n == 0) {
    int64_t item[kFusedOperands] = {};
    for (int i = 0; i < call.steps; ++i) {
      const FusedStep& step = call.step[i];
      if (step.to < kFusedOperands) item[step.to] = static_cast<int64_t>(item_size(step.result));
      for (int j = 0; j < 3; ++j) {
        bool of_plan = step.from[j] >= 0 && step.from[j] < kFusedOperands;
        if (of_plan) item[step.from[j]] = static_cast<int64_t>(item_size(step.type[j]));
      }
    }
    run_loop(call.plan, item, &Expression::run, &expression, call.grain);
  } else if (call.n <= kRun / 2) {
    reduce_rows(call, expression, call.plan.numel / call.n);
  } else {
    reduce_runs(call, expression, call.plan.numel / call.n);
  }
}

}  // namespace TH_ISA
}  // namespace th

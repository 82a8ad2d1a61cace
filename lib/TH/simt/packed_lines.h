#ifndef TH_SIMT_PACKED_LINES_H
#define TH_SIMT_PACKED_LINES_H

// Packs operands of calls along a dimension, for kernels that require contiguous memory.

#include <algorithm>
#include <optional>

#include "simt/queue.h"

namespace th {
namespace {

// One operand of a call along a dimension, as contiguous memory [outer x n x inner]: its own memory
// if it has this layout, else scratch memory that load() fills and store() copies back.
class PackedLines {
 public:
  // apart: use scratch memory in any case. Scratch memory is in the order of the plan, so outer or
  // inner must be 1 unless all operands are contiguous.
  PackedLines(Queue& queue, DType dtype, const LoopPlan& plan, int operand, int64_t step, int64_t n,
              int64_t inner, bool apart = false)
      : queue_(queue), dtype_(dtype), original_(plan.data[operand]) {
    auto item = static_cast<int64_t>(item_size(dtype));
    packed_ = !apart && (step == inner * item || n == 1);
    elements_.ndim = plan.ndim + 1;
    elements_.operands = 2;
    elements_.skipped = -1;
    elements_.numel = plan.numel * n;
    int64_t before = 1;
    for (int d = 0; d < plan.ndim; ++d) {
      int64_t stride = (before < inner ? before : before * n) * item;
      packed_ = packed_ && plan.stride[operand][d] == stride &&
                (n == 1 || before >= inner || before * plan.size[d] <= inner);
      elements_.size[d] = plan.size[d];
      elements_.stride[0][d] = plan.stride[operand][d];
      elements_.stride[1][d] = stride;
      before *= plan.size[d];
    }
    elements_.size[plan.ndim] = n;
    elements_.stride[0][plan.ndim] = step;
    elements_.stride[1][plan.ndim] = inner * item;
  }

  bool is_packed() const { return packed_; }
  char* data() {
    if (packed_) return original_;
    if (!scratch_) scratch_.emplace(queue_, elements_.numel * item_size(dtype_));
    return scratch_->as<char>();
  }
  void load() { copy(1, 0); }
  void store() { copy(0, 1); }

 private:
  void copy(int to, int from) {
    if (packed_) return;
    CopyCall call = {dtype_, dtype_, elements_};
    char* const blocks[] = {original_, data()};
    std::copy(elements_.stride[to], elements_.stride[to] + elements_.ndim, call.plan.stride[0]);
    std::copy(elements_.stride[from], elements_.stride[from] + elements_.ndim, call.plan.stride[1]);
    call.plan.data[0] = blocks[to];
    call.plan.data[1] = blocks[from];
    call.plan.plan();
    run_copy(queue_, call);
  }

  Queue& queue_;
  DType dtype_;
  char* original_;
  bool packed_;
  LoopPlan elements_;
  std::optional<Scratch> scratch_;
};

// The dimension of the call counts as one more.
inline void check_dimensions(const LoopPlan& plan) {
  if (plan.ndim >= kDeviceDims) fail_unsupported("more dimensions than kernels support");
}

}  // namespace
}  // namespace th

#endif

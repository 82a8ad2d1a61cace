#include "fuse/fuse_program.h"

#include <algorithm>

#include "backend/grain.h"
#include "ops/element_numbers.h"
#include "ops/elementwise.h"
#include "ops/operands.h"

namespace th {

namespace {

// Before buffers are placed, a step's result is known by the step's number behind these.
constexpr int kFirstStep = kFusedOperands;

// Half the elements that a thread should have of such a program.
int64_t grain_of(int64_t least, int steps) { return std::max<int64_t>(512, least / steps); }

}  // namespace

FusedProgram::FusedProgram(const Expression& e, int root, const std::vector<TensorRef>& leaves)
    : values_(leaves) {
  dtype_ = DType::Byte;
  for (const TensorRef& value : leaves) {
    if (value) dtype_ = value->dtype;
  }
  steps_.reserve(e.nodes.size());
  operands_.reserve(leaves.size());
  nodes_.reserve(leaves.size());
  step_of(e, root, false);
  if (fits_) place_buffers();
}

// Returns the number of the operand, from 1, or 0 if a call cannot have more operands.
int FusedProgram::leaf(int node) {
  Tensor* t = values_[node].get();
  auto found = std::find(operands_.begin(), operands_.end(), t);
  if (found == operands_.end()) {
    if (operands_.size() + 1 >= kFusedOperands) {
      fits_ = false;
      return 0;
    }
    operands_.push_back(t);
    nodes_.push_back(node);
    return static_cast<int>(operands_.size());
  }
  return static_cast<int>(found - operands_.begin()) + 1;
}

// Returns the number of the operand or step that holds the node's elements. mask: as bytes.
int FusedProgram::step_of(const Expression& e, int node, bool mask) {
  const ExpressionNode& n = e.nodes[node];
  const bool is_leaf = static_cast<bool>(values_[node]);
  mask = mask && dtype_ != DType::Byte;
  if (is_leaf && !mask) return leaf(node);
  for (size_t k = 0; k < steps_.size(); ++k) {
    if (steps_[k].node == node && steps_[k].mask == mask) return kFirstStep + static_cast<int>(k);
  }
  Step step{node, mask, {}};
  FusedStep& call = step.call;
  call.dtype = dtype_;
  call.result = mask ? DType::Byte : dtype_;
  std::fill(call.from, call.from + 3, static_cast<int8_t>(-1));
  auto read = [&](int argument, int input, bool as_mask) {
    if (!fits_) return;
    int from = step_of(e, input, as_mask);
    bool bytes = as_mask && dtype_ != DType::Byte;
    call.from[argument] = static_cast<int8_t>(from);
    call.type[argument] = bytes ? DType::Byte : dtype_;
  };
  if (is_leaf || (mask && !n.function->row.has(row_flag::predicate))) {
    call.op = ElementOp::neValue;  // what is not 0
    call.params[0] = 0;
    read(0, node, false);
  } else {
    Op op = n.function->op;
    std::copy(n.numbers, n.numbers + 2, call.params);
    const bool is_power = n.function->row.has(row_flag::simple_power) && !is_integral(dtype_);
    if (is_power) op = op_of_power(n.numbers[0].to_double());
    if (n.function->row.has(row_flag::fits_numbers)) fit_numbers(dtype_, &op, call.params);
    call.op = element_op(op);
    for (int k = 0; k < 3 && n.input[k] >= 0; ++k) {
      read(k, n.input[k], n.function->row.is_byte[k]);
    }
    if (is_power && op == Op::cmul) read(1, n.input[0], false);
  }
  if (steps_.size() >= kFusedSteps) fits_ = false;
  if (!fits_) return 0;
  steps_.push_back(step);
  return kFirstStep + static_cast<int>(steps_.size()) - 1;
}

void FusedProgram::place_buffers() {
  const auto count = static_cast<int>(steps_.size());
  for (int k = 0; k < count; ++k) {
    for (int from : steps_[k].call.from) {
      if (from >= kFirstStep) steps_[from - kFirstStep].last_use = k;
    }
  }
  int free[kFusedSteps], free_count = 0, place[kFusedSteps];
  for (int k = 0; k < count; ++k) {
    FusedStep& call = steps_[k].call;
    if (k == count - 1) {
      call.to = 0;
    } else {
      place[k] = free_count > 0 ? free[--free_count] : buffers_++;
      call.to = static_cast<int8_t>(kFusedOperands + place[k]);
    }
    int read[3] = {-1, -1, -1};
    for (int j = 0; j < 3 && call.from[j] >= 0; ++j) {
      if (call.from[j] < kFirstStep) continue;
      const int step = call.from[j] - kFirstStep;
      call.from[j] = static_cast<int8_t>(kFusedOperands + place[step]);
      if (steps_[step].last_use == k && std::find(read, read + 3, step) == read + 3) {
        free[free_count++] = place[step];
      }
      read[j] = step;
    }
  }
  fits_ = buffers_ <= kFusedBuffers;
}

void FusedProgram::rebind(Tensor* const* leaves) {
  for (size_t k = 0; k < operands_.size(); ++k) operands_[k] = leaves[nodes_[k]];
}

bool FusedProgram::overlaps(const Tensor& r) const {
  return std::any_of(operands_.begin(), operands_.end(),
                     [&](Tensor* t) { return t != &r && partly_overlap(r, *t); });
}

bool FusedProgram::run(Tensor* r, int ndim, const int64_t* size, Device* device) {
  return run_call(r, nullptr, ndim, size, 0, device);
}

bool FusedProgram::reduce(Tensor* r, const KernelReduction& reduction, int ndim,
                          const int64_t* size, int64_t n, Device* device) {
  return run_call(r, &reduction, ndim, size, n, device);
}

bool FusedProgram::run_call(Tensor* r, const KernelReduction* reduction, int ndim,
                            const int64_t* size, int64_t n, Device* device) {
  const size_t item = item_size(dtype_);
  auto build = [&](Operands& at) {
    FusedCall call;
    call.dtype = dtype_;
    call.steps = static_cast<int>(steps_.size());
    call.buffers = buffers_;
    int64_t least = Grain::cheap;
    for (int k = 0; k < call.steps; ++k) {
      call.step[k] = steps_[k].call;
      least = std::min(least, element_function(op_of(call.step[k].op)).grain);
    }
    call.grain = grain_of(least, call.steps);
    char* in[kFusedOperands];
    for (size_t k = 0; k < operands_.size(); ++k) in[k] = at.read(operands_[k]).data;
    char* out = at.overwrite(r);
    call.plan.start(ndim, size);
    if (reduction) {
      call.plan.add_constant(out);
    } else {
      call.plan.add(out, item, r->stride);
    }
    for (size_t k = 0; k < operands_.size(); ++k) {
      int64_t stride[kMaxDims];
      broadcast_strides(*operands_[k], ndim, size, stride);
      call.plan.add(in[k], item, stride);
    }
    call.plan.plan(reduction != nullptr);
    call.n = 0;
    if (reduction) {
      call.plan.shared_output = false;
      call.n = n > 0 ? n : call.plan.numel;
      call.reducer = reduction->reducer;
      call.finish = reduction->finish;
    }
    return call;
  };
  OpScope scope(Op::fuse);
  Operands at(device);
  return at.run(build(at));
}

}  // namespace th

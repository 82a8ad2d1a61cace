// Elements chosen by masks of 0 and 1, or by being no zeros.

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace th {

namespace {

void check_mask_type(const Tensor& mask, int argument) {
  if (mask.dtype == DType::Byte) return;
  fail_argument(argument, "the mask must be a ByteTensor, not a %sTensor", name(mask.dtype));
}

// The mask in the shape of r, whose shape stays.
TensorRef mask_for(const char* name, Tensor* r, Tensor* mask) {
  check_mask_type(*mask, 2);
  if (!same_size(*r, *mask)) return paired_view(name, mask, r);
  tensor_retain(mask);
  return TensorRef(mask);
}

struct BadMask {
  void operator()(char* text, size_t room) const {
    std::snprintf(text, room, "Mask tensor can take 0 and 1 values only");
  }
};
constexpr BadMask kBadMask;

class MaskCheck : public ValueCheck {
 public:
  MaskCheck(Op op, Tensor* mask, Device* device, const Tensor& r)
      : ValueCheck(op, Condition::mask, 0, mask, device, CheckText(0, kBadMask), r) {}
};

// How many elements of the plan's operand 0 are chosen, before each chunk and in all: memory for
// the counts, where the operation runs.
void start_count(Operands& at, DType dtype, const LoopPlan& plan, CountCall* call) {
  auto bytes = static_cast<size_t>(select_chunks(plan.numel) + 1) * sizeof(int64_t);
  call->dtype = dtype;
  call->mask_check = call->limit_check = 0;
  call->limit = 0;
  call->before = reinterpret_cast<int64_t*>(at.scratch(bytes));
  call->plan.copy(plan);
  call->plan.operands = 1;
  call->plan.shared_output = false;
}
// Waits for a device.
int64_t counted(const Operands& at, const CountCall& call) {
  int64_t all = 0;
  const int64_t* total = call.before + select_chunks(call.plan.numel);
  at.read_back(&all, reinterpret_cast<const char*>(total), sizeof(all));
  return all;
}

// In the order of t's elements: the mask, and t's own at `data`.
void plan_in_order(const Tensor& t, const Placed& mask, char* data, const int64_t* stride,
                   LoopPlan* plan) {
  plan->start(t.nDimension, t.size);
  plan->add(mask.data, 1, mask.tensor->stride);
  plan->add(data, item_size(t.dtype), stride);
  plan->plan(true);
}

int64_t count_on_host(Tensor* mask) {
  AllowHostAccess allow;
  Operands at(nullptr);
  LoopPlan plan(mask->nDimension, mask->size);
  plan.add(at.read(mask).data, 1, mask->stride);
  plan.plan();
  CountCall count;
  start_count(at, DType::Byte, plan, &count);
  at.run(count);
  return counted(at, count);
}

// For more ones than the source has elements.
class SourceCheck {
 public:
  explicit SourceCheck(const Tensor& src) : src_(src), text_(3, *this) {}
  void operator()(char* text, size_t room) const {
    std::snprintf(text, room,
                  "maskedCopy: the mask has %%lld ones, but the source of size %s has only %lld "
                  "elements",
                  shape_text(src_).c_str(), static_cast<long long>(src_.numel()));
  }
  const CheckText& text() const { return text_; }
  void check(int64_t ones) const {
    if (ones > src_.numel()) fail_check(text_, ones);
  }

 private:
  const Tensor& src_;
  CheckText text_;
};

}  // namespace

namespace direct {

void maskedFill(Tensor* r, Tensor* mask, Scalar value) {
  TensorRef seen = mask_for("maskedFill", r, mask);
  Device* device = device_of({r, mask});
  MaskCheck check(Op::maskedFill, seen.get(), device, *r);
  if (r->numel() == 0) return;
  TensorRef chosen = copy_if_aliased(*r, seen.get());
  run(Op::maskedFill, device, [&](Operands& at) {
    Placed by = at.read(chosen.get());
    MaskedFillCall call;
    call.dtype = r->dtype;
    call.check = check.number(at);
    call.value = element_bits(r->dtype, value);
    call.plan.start(r->nDimension, r->size);
    call.plan.add(at.write(r), item_size(r->dtype), r->stride);
    call.plan.add(by.data, 1, by.tensor->stride);
    call.plan.plan();
    return call;
  });
}

void maskedScatter(Tensor* r, Tensor* t, Tensor* mask, Tensor* src) {
  check_same_type("maskedScatter", *r, *t);
  check_mask_type(*mask, 3);
  Paired pair = paired_views("maskedScatter", t, mask);
  TensorRef result = clone(pair.a.get());
  maskedCopy(result.get(), pair.b.get(), src);
  deliver(r, result.get());
}

void maskedCopy(Tensor* r, Tensor* mask, Tensor* src) {
  check_same_type("maskedCopy", *r, *src);
  TensorRef seen = mask_for("maskedCopy", r, mask);
  Device* device = device_of({r, mask, src});
  MaskCheck check(Op::maskedCopy, seen.get(), device, *r);
  if (r->numel() == 0) return;
  TensorRef chosen = copy_if_aliased(*r, seen.get());
  SourceCheck source_check(*src);
  bool counts_first = device && on_host(*chosen);
  if (counts_first) source_check.check(count_on_host(chosen.get()));
  bool shared = has_shared_elements(*r);
  TensorRef source = share_storage(*r, *src) ? clone(src) : contiguous(src);
  run_steps(Op::maskedCopy, device, [&](Operands& at) {
    Placed by = at.read(chosen.get()), from = at.read(source.get());
    MaskedCopyCall call;
    call.dtype = r->dtype;
    call.from = from.data;
    call.limit = source->numel();
    // The destination is not written, or moved, before all is known to be right.
    plan_in_order(*r, by, nullptr, r->stride, &call.plan);
    call.plan.shared_output = shared;
    CountCall count;
    start_count(at, DType::Byte, call.plan, &count);
    count.mask_check = check.number(at);
    count.limit = call.limit;
    if (at.device() && !counts_first) count.limit_check = late_check(source_check.text());
    if (!at.run(count)) return false;
    if (!at.device()) source_check.check(counted(at, count));
    call.before = count.before;
    call.plan.data[1] = at.write(r);
    return at.run(call);
  });
}

void maskedSelect(Tensor* r, Tensor* t, Tensor* mask) {
  check_same_type("maskedSelect", *r, *t);
  check_mask_type(*mask, 3);
  Paired pair = paired_views("maskedSelect", t, mask);
  t = pair.a.get();
  mask = pair.b.get();
  Device* device = device_of({r, t, mask});
  MaskCheck check(Op::maskedSelect, mask, device, *r);
  if (needs_temporary(*r, *t, *mask) || has_shared_elements(*r)) {
    TensorRef result(tensor_new(r->dtype));
    maskedSelect(result.get(), t, mask);
    deliver(r, result.get());
    return;
  }
  int64_t none = 0;
  if (t->numel() == 0) {
    resize(r, 1, &none);
    return;
  }
  // Known without waiting for the device.
  int64_t known = device && on_host(*mask) ? count_on_host(mask) : -1;
  run_steps(Op::maskedSelect, device, [&](Operands& at) {
    Placed by = at.read(mask), from = at.read(t);
    MaskedSelectCall call;
    call.dtype = t->dtype;
    plan_in_order(*t, by, from.data, from.tensor->stride, &call.plan);
    call.plan.shared_output = false;
    CountCall count;
    start_count(at, DType::Byte, call.plan, &count);
    count.mask_check = check.number(at);
    if (!at.run(count)) return false;
    int64_t total = known >= 0 ? known : counted(at, count);
    resize(r, 1, &total);
    if (total == 0) return true;
    call.before = count.before;
    call.out = at.overwrite(r);
    call.step = r->stride[0] * static_cast<int64_t>(item_size(r->dtype));
    return at.run(call);
  });
}

void nonzero(Tensor* r, Tensor* t) {
  check_index_type("nonzero", *r, 1);
  int64_t size[] = {0, t->nDimension};
  if (t->numel() == 0) {
    resize(r, 2, size);
    return;
  }
  if (needs_temporary(*r, *t) || has_shared_elements(*r)) {
    TensorRef result(tensor_new(r->dtype));
    nonzero(result.get(), t);
    deliver(r, result.get());
    return;
  }
  run_steps(Op::nonzero, device_of({r, t}), [&](Operands& at) {
    Placed from = at.read(t);
    NonzeroCall call;
    call.dtype = t->dtype;
    call.ndim = t->nDimension;
    std::copy(t->size, t->size + t->nDimension, call.size);
    call.plan.start(t->nDimension, t->size);
    call.plan.add(from.data, item_size(t->dtype), from.tensor->stride);
    call.plan.plan(true);
    call.plan.shared_output = false;
    CountCall count;
    start_count(at, t->dtype, call.plan, &count);
    if (!at.run(count)) return false;
    size[0] = counted(at, count);
    resize(r, 2, size);
    if (size[0] == 0) return true;
    call.before = count.before;
    call.out = at.overwrite(r);
    call.row_step = r->stride[0] * static_cast<int64_t>(sizeof(int64_t));
    call.column_step = r->stride[1] * static_cast<int64_t>(sizeof(int64_t));
    return at.run(call);
  });
}

}  // namespace direct
}  // namespace th

// Elements selected by masks of 0 and 1, and nonzero elements.

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace th {

namespace {

// Throws if the mask does not pair with r, whose shape does not change.
void check_mask_shape(Tensor* r, Tensor* mask) {
  if (same_size(*r, *mask)) return;
  Tensor* operands[] = {r, mask};
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(operands, 2, r, &ndim, size);
}

// Returns the mask in the shape of r.
TensorRef mask_for(Tensor* r, Tensor* mask) {
  return same_size(*r, *mask) ? shared(mask) : paired_view(mask, r);
}

class MaskCheck : public ValueCheck {
 public:
  MaskCheck(Op op, Tensor* mask, Device* device, const Tensor& r)
      : ValueCheck(op, Condition::mask, 0, mask, device,
                   {0, "Mask tensor can take 0 and 1 values only"}, r) {}
};

// Prepares the count of the nonzero elements of the plan's operand 0: in total, and before each
// chunk. The memory for the counts is on the device of `at`.
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
// Returns the total after the call has run. Waits for a device.
int64_t counted(const Operands& at, const CountCall& call) {
  int64_t all = 0;
  const int64_t* total = call.before + select_chunks(call.plan.numel);
  at.read_back(&all, reinterpret_cast<const char*>(total), sizeof(all));
  return all;
}

// Plans a loop over the mask and the elements of t, which start at `data`, in the order of t.
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

// The error of a source that has fewer elements than the mask has ones.
CheckText source_text(const args::maskedCopy& a) {
  return {argument_number(a, a.src), "the mask has %v ones, but the source has only %1 elements",
          a.src->numel()};
}

}  // namespace

void shapes(args::maskedFill& a, Shapes&) { check_mask_shape(a.tensor, a.mask); }
void calls(args::maskedFill& a) {
  Tensor* r = a.tensor;
  TensorRef mask = mask_for(r, a.mask);
  Device* device = device_of({r, mask.get()});
  MaskCheck check(Op::maskedFill, mask.get(), device, *r);
  if (r->numel() == 0) return;
  run(Op::maskedFill, device, [&](Operands& at) {
    Placed by = at.read(mask.get());
    MaskedFillCall call;
    call.dtype = r->dtype;
    call.check = check.number(at);
    call.value = element_bits(r->dtype, a.value);
    call.plan.start(r->nDimension, r->size);
    call.plan.add(at.write(r), item_size(r->dtype), r->stride);
    call.plan.add(by.data, 1, by.tensor->stride);
    call.plan.plan();
    return call;
  });
}

namespace {

// Returns the mask of t[mask], with the shape of t: by NumPy's rule, a mask of fewer dimensions is
// one of the first dimensions.
TensorRef whole_mask(const Tensor& t, Tensor* mask) {
  const int ndim = mask->nDimension;
  const bool is_leading = current_rules.pairing != Pairing::torch7 && ndim > 0 &&
                          ndim < t.nDimension && std::equal(t.size, t.size + ndim, mask->size);
  if (!is_leading) return shared(mask);
  TensorRef view = view_of(mask);
  for (int d = ndim; d < t.nDimension; ++d) view = unsqueezed(view, d);
  return expanded(view, t);
}

// Returns the elements of t where the mask is 1, as a vector.
TensorRef masked_elements(Tensor* t, Tensor* mask) {
  return made(t->dtype, [&](Tensor* r) { ops::maskedSelect(r, t, mask); });
}

}  // namespace

void shapes(args::indexPutMaskFill&, Shapes&) {}
void calls(args::indexPutMaskFill& a) {
  TensorRef mask = whole_mask(*a.tensor, a.mask);
  if (!a.accumulate) return ops::maskedFill(a.tensor, mask.get(), a.value);
  TensorRef sums = masked_elements(a.tensor, mask.get());
  ops::add(sums.get(), sums.get(), a.value);
  ops::maskedCopy(a.tensor, mask.get(), sums.get());
}

void shapes(args::indexPutMask& a, Shapes& s) {
  if (a.src->numel() == 1) return;
  TensorRef mask = whole_mask(*a.tensor, a.mask);
  const int64_t ones = mask->numel() == 0 ? 0 : ops::countNonzeroall(mask.get()).i;
  if (ones == a.src->numel()) return;
  s.fail(a.src, "the mask has %lld ones, but the source has %lld elements", as_long(ones),
         as_long(a.src->numel()));
}
void calls(args::indexPutMask& a) {
  TensorRef source = view_of(a.src), mask = whole_mask(*a.tensor, a.mask);
  if (a.src->numel() == 1 && a.tensor->numel() > 0) {
    const int64_t one = 1, n = a.tensor->numel();
    views::expand(source.get(), reshaped(a.src, 1, &one).get(), {1, &n});
  }
  if (a.accumulate && a.tensor->numel() > 0) {
    TensorRef sums = masked_elements(a.tensor, mask.get());
    const int64_t n = sums->numel();
    TensorRef vector =
        n == source->numel() ? reshaped(source.get(), 1, &n) : narrowed(source, 0, 0, n);
    ops::cadd(sums.get(), sums.get(), Scalar(int64_t{1}), vector.get());
    source = std::move(sums);
  }
  ops::maskedCopy(a.tensor, mask.get(), source.get());
}

void shapes(args::maskedCopy& a, Shapes&) { check_mask_shape(a.tensor, a.mask); }
void calls(args::maskedCopy& a) {
  Tensor* r = a.tensor;
  TensorRef mask = mask_for(r, a.mask);
  Device* device = device_of({r, mask.get(), a.src});
  MaskCheck check(Op::maskedCopy, mask.get(), device, *r);
  if (r->numel() == 0) return;
  const CheckText text = source_text(a);
  const auto check_source = [&](int64_t ones) {
    if (ones > a.src->numel()) fail_check(text, ones);
  };
  bool counts_first = device && on_host(*mask);
  if (counts_first) check_source(count_on_host(mask.get()));
  bool shared = has_shared_elements(*r);
  TensorRef source = contiguous(a.src);
  run_steps(Op::maskedCopy, device, [&](Operands& at) {
    Placed by = at.read(mask.get()), from = at.read(source.get());
    MaskedCopyCall call;
    call.dtype = r->dtype;
    call.from = from.data;
    call.limit = source->numel();
    // The destination is not written, or moved, before all values have been checked.
    plan_in_order(*r, by, nullptr, r->stride, &call.plan);
    call.plan.shared_output = shared;
    CountCall count;
    start_count(at, DType::Byte, call.plan, &count);
    count.mask_check = check.number(at);
    count.limit = call.limit;
    if (!counts_first) count.limit_check = late_check(at, text);
    if (!at.run(count)) return false;
    if (!at.device()) check_source(counted(at, count));
    call.before = count.before;
    call.plan.data[1] = at.write(r);
    return at.run(call);
  });
}

// Computed before the result is changed, because the mask may have too many ones for the source.
void shapes(args::maskedScatter& a, Shapes& s) {
  Paired pair = paired_views(a.t, a.mask);
  TensorRef result = clone(pair.a.get());
  ops::maskedCopy(result.get(), pair.b.get(), a.src);
  s.set_value(a.r_, std::move(result));
}
void calls(args::maskedScatter&) {}

// The number of selected elements has to be counted before the result has a shape.
void shapes(args::maskedSelect& a, Shapes& s) {
  Paired pair = paired_views(a.src, a.mask);
  Tensor *t = pair.a.get(), *mask = pair.b.get();
  Device* device = device_of({a.tensor, t, mask});
  MaskCheck check(Op::maskedSelect, mask, device, *a.tensor);
  int64_t total = 0;
  if (t->numel() == 0) return s.set(a.tensor, 1, &total);
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
    total = known >= 0 ? known : counted(at, count);
    s.resize(a.tensor, 1, &total);
    if (total == 0) return true;
    call.before = count.before;
    call.out = at.overwrite(a.tensor);
    call.step = a.tensor->stride[0] * static_cast<int64_t>(item_size(t->dtype));
    return at.run(call);
  });
}
void calls(args::maskedSelect&) {}

// The number of nonzero elements has to be counted before the result has a shape.
void shapes(args::nonzero& a, Shapes& s) {
  Tensor* t = a.tensor;
  int64_t size[] = {0, t->nDimension};
  if (t->numel() == 0) return s.set(a.subscript, 2, size);
  run_steps(Op::nonzero, device_of({a.subscript, t}), [&](Operands& at) {
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
    s.resize(a.subscript, 2, size);
    if (size[0] == 0) return true;
    const Tensor& r = *a.subscript;
    call.before = count.before;
    call.out = at.overwrite(a.subscript);
    call.row_step = r.stride[0] * static_cast<int64_t>(sizeof(int64_t));
    call.column_step = r.stride[1] * static_cast<int64_t>(sizeof(int64_t));
    return at.run(call);
  });
}
void calls(args::nonzero&) {}

}  // namespace th

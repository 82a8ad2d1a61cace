#include <algorithm>

#include "backend/calls.h"
#include "ops/elementwise.h"
#include "ops/index_on_device.h"

namespace th {

namespace {

// How many elements are chosen before each chunk of a plan.
class Counts {
 public:
  Counts(Device& device, DType dtype, const LoopPlan& plan)
      : device_(device),
        chunks_(select_chunks(plan.numel)),
        before_(device, (chunks_ + 1) * sizeof(int64_t)),
        call_{dtype, 0, 0, 0, before(), plan} {}
  void run(uint32_t mask_check, uint32_t limit_check, int64_t limit) {
    call_.mask_check = mask_check;
    call_.limit_check = limit_check;
    call_.limit = limit;
    device_.run(DeviceOp::count, &call_);
  }
  int64_t* before() const { return reinterpret_cast<int64_t*>(before_.get()); }
  // Waits for the device.
  int64_t total() const {
    int64_t all;
    device_.copy_to_host(&all, before() + chunks_, sizeof(all));
    return all;
  }

 private:
  Device& device_;
  int64_t chunks_;
  DeviceBlock before_;
  CountCall call_;
};

}  // namespace

bool masked_fill_on(Device& device, Tensor* r, Tensor* mask, Scalar value, uint32_t mask_check) {
  if (has_shared_elements(*r)) return false;
  TensorRef chosen = brought_to(device, mask);
  MaskedFillCall call = {r->dtype, mask_check, element_bits(r->dtype, value), {}};
  char* mask_data = data_on(device, *chosen, Access::read);
  LoopPlanBuilder builder(r->nDimension, r->size);
  builder.add(result_on(device, *r, Access::write), item_size(r->dtype), r->stride);
  builder.add(mask_data, 1, chosen->stride);
  if (!builder.plan(&call.plan)) return false;
  device.run(DeviceOp::masked_fill, &call);
  return true;
}

bool masked_copy_on(Device& device, Tensor* r, Tensor* mask, Tensor* src, uint32_t mask_check,
                    uint32_t count_check) {
  if (has_shared_elements(*r)) return false;
  TensorRef chosen = brought_to(device, mask), from = brought_to(device, src);
  MaskedCopyCall call = {
      r->dtype, nullptr, data_on(device, *from, Access::read), from->numel(), {}};
  char* mask_data = data_on(device, *chosen, Access::read);
  LoopPlanBuilder builder(r->nDimension, r->size);
  builder.add(mask_data, 1, chosen->stride);
  builder.add(result_on(device, *r, Access::write), item_size(r->dtype), r->stride);
  if (!builder.plan(&call.plan, true)) return false;
  Counts counts(device, DType::Byte, call.plan);
  counts.run(mask_check, count_check, call.limit);
  call.before = counts.before();
  device.run(DeviceOp::masked_copy, &call);
  return true;
}

bool masked_select_on(Device& device, Tensor* r, Tensor* t, Tensor* mask, int64_t ones,
                      uint32_t mask_check) {
  TensorRef chosen = brought_to(device, mask), from = brought_to(device, t);
  MaskedSelectCall call = {t->dtype, nullptr, nullptr, 0, {}};
  char* mask_data = data_on(device, *chosen, Access::read);
  LoopPlanBuilder builder(t->nDimension, t->size);
  builder.add(mask_data, 1, chosen->stride);
  builder.add(data_on(device, *from, Access::read), item_size(t->dtype), from->stride);
  if (!builder.plan(&call.plan, true)) return false;
  Counts counts(device, DType::Byte, call.plan);
  counts.run(mask_check, 0, 0);
  int64_t total = ones >= 0 ? ones : counts.total();
  resize(r, 1, &total);
  if (total == 0) return true;
  if (has_shared_elements(*r)) return false;
  call.before = counts.before();
  call.out = result_on(device, *r, access_for_result(*r));
  call.step = r->stride[0] * static_cast<int64_t>(item_size(r->dtype));
  device.run(DeviceOp::masked_select, &call);
  return true;
}

bool nonzero_on(Device& device, Tensor* r, Tensor* t) {
  if (t->nDimension > kDeviceDims) return false;
  TensorRef from = brought_to(device, t);
  NonzeroCall call = {t->dtype, nullptr, nullptr, 0, 0, t->nDimension, {}, {}};
  std::copy(t->size, t->size + t->nDimension, call.size);
  LoopPlanBuilder builder(t->nDimension, t->size);
  builder.add(data_on(device, *from, Access::read), item_size(t->dtype), from->stride);
  if (!builder.plan(&call.plan, true)) return false;
  Counts counts(device, t->dtype, call.plan);
  counts.run(0, 0, 0);
  int64_t size[] = {counts.total(), t->nDimension};
  resize(r, 2, size);
  if (size[0] == 0) return true;
  if (has_shared_elements(*r)) return false;
  call.before = counts.before();
  call.out = result_on(device, *r, access_for_result(*r));
  call.row_step = r->stride[0] * static_cast<int64_t>(sizeof(int64_t));
  call.column_step = r->stride[1] * static_cast<int64_t>(sizeof(int64_t));
  device.run(DeviceOp::nonzero, &call);
  return true;
}

void zero_triangle_on(Device& device, Tensor* r, bool above, int64_t diagonal) {
  auto item = static_cast<int64_t>(item_size(r->dtype));
  int64_t rows = r->size[0], columns = r->size[1];
  // Diagonals further away are none.
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1);
  TriangleCall call = {
      r->dtype, above, diagonal, rows, columns, r->stride[0] * item, r->stride[1] * item, nullptr};
  if (call.row_step < call.column_step) {
    std::swap(call.rows, call.columns);
    std::swap(call.row_step, call.column_step);
    call.above = !above;
    call.diagonal = -diagonal;
  }
  call.out = result_on(device, *r, Access::write);
  device.run(DeviceOp::triangle, &call);
}

}  // namespace th

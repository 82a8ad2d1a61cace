// Search in sorted rows.

#include <algorithm>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"

namespace th {

namespace {

constexpr auto kIndexItem = static_cast<int64_t>(sizeof(int64_t));

// Returns true if there is one sorted row for all values, or one for each row of values.
bool has_rows_for(const Tensor& sorted, const Tensor& values) {
  int last = sorted.nDimension - 1;
  return last == 0 || (values.nDimension == last + 1 &&
                       std::equal(sorted.size, sorted.size + last, values.size));
}

}  // namespace

namespace direct {

void searchsorted(Tensor* r, Tensor* sorted, Tensor* values, bool right) {
  check_result("searchsorted", 1, *r, DType::Long);
  check_same_type("searchsorted", *sorted, *values);
  int last = sorted->nDimension - 1;
  if (last < 0 || !has_rows_for(*sorted, *values)) {
    fail_argument(2, "searchsorted: sorted rows of size %s are none for values of size %s",
                  shape_text(*sorted).c_str(), shape_text(*values).c_str());
  }
  TensorRef places(tensor_new_sized(DType::Long, values->nDimension, values->size));
  if (values->numel() > 0 && sorted->numel() == 0) {
    fill(places.get(), TH_INDEX_BASE);
  } else if (values->numel() > 0) {
    run(Op::searchsorted, device_of({r, sorted, values}), [&](Operands& at) {
      auto item = static_cast<int64_t>(item_size(values->dtype));
      Placed wanted = at.read(values), rows = at.read(sorted);
      int64_t row_stride[kMaxDims] = {};
      if (last > 0) std::copy(rows.tensor->stride, rows.tensor->stride + last, row_stride);
      SearchCall call;
      call.dtype = values->dtype;
      call.right = right;
      call.n = sorted->size[last];
      call.step = rows.tensor->stride[last] * item;
      call.index_base = TH_INDEX_BASE;
      call.plan.start(values->nDimension, values->size);
      call.plan.add(at.overwrite(places.get()), kIndexItem, places->stride);
      call.plan.add(wanted.data, item, wanted.tensor->stride);
      call.plan.add(rows.data, item, row_stride);
      call.plan.plan();
      return call;
    });
  }
  deliver(r, places.get());
}

}  // namespace direct
}  // namespace th

#include "base/error.h"
#include "ops/direct.h"
#include "ops/operands.h"
#include "ops/ops.h"
#include "ops/random.h"

namespace th {

void direct::multinomial(Tensor* r, Generator* g, Tensor* probabilities, int64_t samples,
                      bool with_replacement) {
  const Tensor& p = *probabilities;
  if (p.nDimension != 1 && p.nDimension != 2) {
    fail_argument(3, "the probabilities must be a vector or a matrix, got size %s",
                  shape_text(p).c_str());
  }
  if (is_integral(p.dtype)) {
    fail_argument(3, "multinomial is not defined for a %sTensor", name(p.dtype));
  }
  bool is_matrix = p.nDimension == 2;
  int64_t rows = is_matrix ? p.size[0] : 1;
  int64_t categories = p.size[p.nDimension - 1];
  if (samples <= 0) {
    fail_argument(4, "the number of samples must be positive, got %lld",
                  static_cast<long long>(samples));
  }
  if (!with_replacement && samples > categories) {
    fail_argument(4, "cannot draw %lld samples from %lld categories without replacement",
                  static_cast<long long>(samples), static_cast<long long>(categories));
  }
  if (categories == 0) fail_argument(3, "there are no categories to draw from");

  MultinomialCall call = {};
  call.dtype = p.dtype;
  call.with_replacement = with_replacement;
  call.rows = rows;
  call.categories = categories;
  call.samples = samples;
  call.generator = g;
  call.index_base = TH_INDEX_BASE;
  Device* device = device_of({r, probabilities});
  TensorRef in_order = contiguous(probabilities);
  // A result on the host requires synchronization anyway, so the values can be checked now.
  bool at_host = r->numel() > 0 && r->storage && !r->storage->current_device();
  bool is_checked = !device || on_host(*in_order) || at_host;
  if (is_checked) {
    AllowHostAccess allow;
    Operands here(nullptr);
    call.p = here.read(in_order.get()).data;
    here.run(call);
  }
  int64_t size[] = {rows, samples};
  resize(r, is_matrix ? 2 : 1, is_matrix ? size : size + 1);
  if (rows == 0) return;
  ContiguousResult result(device, r, in_order.get());
  run(Op::multinomial, device, [&](Operands& at) {
    MultinomialCall drawing = call;
    drawing.p = at.read(in_order.get()).data;
    drawing.out = reinterpret_cast<int64_t*>(at.overwrite(result.get()));
    if (!at.device()) return drawing;
    drawing.position = g->take(static_cast<uint64_t>(rows) * static_cast<uint64_t>(samples));
    if (is_checked) return drawing;
    drawing.check_value =
        late_check(3, "multinomial: a probability in row %lld is negative or not finite");
    drawing.check_sum =
        late_check(3, "multinomial: the probabilities of row %lld sum up to 0 or to infinity");
    drawing.check_possible =
        late_check(4, "multinomial: row %lld has less categories of some probability than samples");
    return drawing;
  });
  result.finish();
}

}  // namespace th

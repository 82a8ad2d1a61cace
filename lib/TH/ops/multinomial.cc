#include "base/error.h"
#include "ops/operands.h"
#include "ops/ops.h"

namespace th {

void shapes(args::multinomial& a, Shapes& s) {
  const Tensor& p = *a.prob_dist;
  if (p.nDimension != 1 && p.nDimension != 2) {
    s.fail(a.prob_dist, "the probabilities must be a vector or a matrix, got size %s",
           shape_text(p).c_str());
  }
  int64_t categories = p.size[p.nDimension - 1];
  if (a.n_sample <= 0) {
    s.fail(a.n_sample, "the number of samples must be positive, got %lld", as_long(a.n_sample));
  }
  if (!a.with_replacement && a.n_sample > categories) {
    s.fail(a.n_sample, "cannot draw %lld samples from %lld categories without replacement",
           as_long(a.n_sample), as_long(categories));
  }
  if (categories == 0) s.fail(a.prob_dist, "there are no categories to draw from");
  int64_t size[] = {p.size[0], a.n_sample};
  bool is_matrix = p.nDimension == 2;
  s.set(a.self, is_matrix ? 2 : 1, is_matrix ? size : size + 1, Layout::contiguous);
}

void calls(args::multinomial& a) {
  const Tensor& p = *a.prob_dist;
  if (a.self->numel() == 0) return;
  TensorRef in_order = contiguous(a.prob_dist);
  const int p_number = argument_number(a, a.prob_dist);
  const int samples_number = argument_number(a, a.n_sample);
  run(Op::multinomial, device_of({a.self, a.prob_dist}), [&](Operands& at) {
    MultinomialCall call = {};
    call.dtype = p.dtype;
    call.with_replacement = a.with_replacement;
    call.rows = p.nDimension == 2 ? p.size[0] : 1;
    call.categories = p.size[p.nDimension - 1];
    call.samples = a.n_sample;
    call.generator = a.gen;
    call.index_base = TH_INDEX_BASE;
    call.check_value =
        late_check(at, {p_number, "a probability in row %v is negative or not finite"});
    call.check_sum =
        late_check(at, {p_number, "the probabilities of row %v sum up to 0 or to infinity"});
    call.check_possible = late_check(
        at, {samples_number, "row %v has fewer categories of some probability than samples"});
    call.p_argument = p_number;
    call.samples_argument = samples_number;
    call.p = at.read(in_order.get()).data;
    call.out = reinterpret_cast<int64_t*>(at.overwrite(a.self));
    return call;
  });
}

}  // namespace th

// Random categories by Walker's alias method.

#include <cmath>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/compose.h"
#include "ops/filling.h"
#include "ops/operands.h"
#include "ops/rules.h"

namespace th {
namespace {

double total_of(Tensor* p) { return ops::sumall(p).to_double(); }

// Returns the probabilities as a vector whose elements sum to 1, up to rounding. By Torch7's rule
// they are not changed.
TensorRef normalized(Tensor* t) {
  TensorRef p = flattened(t);
  if (current_rules.torch7) return p;
  const double total = total_of(t), rounding = 2. / static_cast<double>(largest_exact(t->dtype));
  if (std::abs(total - 1) <= rounding) return p;
  // The element type may not hold the total.
  TensorRef wide = in_type(p.get(), DType::Double);
  wide = made(DType::Double, [&](Tensor* r) { ops::div(r, wide.get(), total); });
  return in_type(wide.get(), t->dtype);
}

}  // namespace

void shapes(args::multinomialAliasSetup& a, Shapes& s) {
  int64_t n = a.prob_dist->numel();
  if (n == 0) s.fail(a.prob_dist, "there are no categories to draw from");
  double least = ops::minall(a.prob_dist).to_double();
  if (!(least >= 0)) s.fail(a.prob_dist, "a probability is %g", least);
  double total = total_of(a.prob_dist);
  if (!(total > 0 && std::isfinite(total))) {
    s.fail(a.prob_dist, "the probabilities sum up to %g", total);
  }
  s.set(a.J, 1, &n, Layout::contiguous);
  s.set(a.q, 1, &n, Layout::contiguous);
}

void calls(args::multinomialAliasSetup& a) {
  TensorRef p = normalized(a.prob_dist);
  run(Op::multinomialAliasSetup, device_of({p.get(), a.J, a.q}), [&](Operands& at) {
    AliasSetupCall call;
    call.dtype = p->dtype;
    call.n = p->numel();
    call.p = at.read(p.get()).data;
    call.alias = reinterpret_cast<int64_t*>(at.overwrite(a.J));
    call.q = at.overwrite(a.q);
    call.torch7 = current_rules.torch7;
    return call;
  });
  ops::add(a.J, a.J, TH_INDEX_BASE);
}

void shapes(args::multinomialAliasDraw& a, Shapes& s) {
  int64_t categories = a.J->numel();
  if (categories == 0 || categories != a.q->numel()) {
    s.fail(a.q, "aliases of size %s and probabilities of size %s", shape_text(*a.J).c_str(),
           shape_text(*a.q).c_str());
  }
  s.set(a.self, *a.self, Layout::contiguous);
}

void calls(args::multinomialAliasDraw& a) {
  if (a.self->numel() == 0) return;
  TensorRef aliases = flattened(a.J), own = flattened(a.q);
  run(Op::multinomialAliasDraw, device_of({a.self, a.J, a.q}), [&](Operands& at) {
    AliasDrawCall call;
    call.dtype = own->dtype;
    call.categories = aliases->numel();
    call.n = a.self->numel();
    call.alias = reinterpret_cast<const int64_t*>(at.read(aliases.get()).data);
    call.q = at.read(own.get()).data;
    call.generator = a.gen;
    call.out = reinterpret_cast<int64_t*>(at.overwrite(a.self));
    call.index_base = TH_INDEX_BASE;
    // Torch7 draws the category before the alias.
    call.step = current_rules.torch7 ? -1 : 0;
    return call;
  });
}

}  // namespace th

// Random categories by Walker's alias method.

#include <cmath>

#include "THGeneral.h"
#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "ops/random.h"

namespace th::direct {

void multinomialAliasSetup(Tensor* probabilities, Tensor* alias, Tensor* q) {
  check_floating("multinomialAliasSetup", 1, *probabilities);
  check_result("multinomialAliasSetup", 2, *alias, DType::Long);
  check_result("multinomialAliasSetup", 3, *q, probabilities->dtype);
  int64_t n = probabilities->numel();
  if (n == 0) fail_argument(1, "there are no categories to draw from");
  TensorRef p = flattened(probabilities);
  double least = minall(p.get()).to_double();
  if (!(least >= 0)) fail_argument(1, "a probability is %g", least);
  double total = sumall(p.get()).to_double();
  if (!(total > 0 && std::isfinite(total))) {
    fail_argument(1, "the probabilities sum up to %g", total);
  }
  TensorRef new_alias(tensor_new_sized(DType::Long, 1, &n));
  TensorRef new_q(tensor_new_sized(p->dtype, 1, &n));
  run(Op::multinomialAliasSetup, device_of({p.get(), alias, q}), [&](Operands& at) {
    AliasSetupCall call;
    call.dtype = p->dtype;
    call.n = n;
    call.p = at.read(p.get()).data;
    call.alias = reinterpret_cast<int64_t*>(at.overwrite(new_alias.get()));
    call.q = at.overwrite(new_q.get());
    return call;
  });
  add(new_alias.get(), new_alias.get(), TH_INDEX_BASE);
  deliver({{alias, new_alias.get()}, {q, new_q.get()}});
}

void multinomialAliasDraw(Tensor* r, Generator* g, Tensor* alias, Tensor* q) {
  check_result("multinomialAliasDraw", 1, *r, DType::Long);
  check_index_type("multinomialAliasDraw", *alias, 3);
  check_floating("multinomialAliasDraw", 4, *q);
  int64_t categories = alias->numel();
  if (categories == 0 || categories != q->numel()) {
    fail_argument(4, "aliases of size %s and probabilities of size %s", shape_text(*alias).c_str(),
                  shape_text(*q).c_str());
  }
  if (r->numel() == 0) return;
  TensorRef aliases = flattened(alias), own = flattened(q);
  Device* device = device_of({r, alias, q});
  TensorRef result(tensor_new_sized(DType::Long, r->nDimension, r->size));
  run(Op::multinomialAliasDraw, device, [&](Operands& at) {
    AliasDrawCall call;
    call.dtype = q->dtype;
    call.categories = categories;
    call.n = r->numel();
    call.alias = reinterpret_cast<const int64_t*>(at.read(aliases.get()).data);
    call.q = at.read(own.get()).data;
    call.generator = g;
    call.out = reinterpret_cast<int64_t*>(at.overwrite(result.get()));
    call.index_base = TH_INDEX_BASE;
    return call;
  });
  copy(r, result.get());
}

}  // namespace th::direct

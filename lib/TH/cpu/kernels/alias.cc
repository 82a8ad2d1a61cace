// Walker's alias method (Walker 1977), also with Torch7's results.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/workspace.h"
#include "functors/distributions.h"
#include "random/generator.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
void set_up(const AliasSetupCall& call) {
  int64_t n = call.n;
  auto* p = reinterpret_cast<const T*>(call.p);
  auto* q = reinterpret_cast<T*>(call.q);
  using C = typename Numeric<T>::Compute;
  // Stacks of the categories with less than the average probability and of the others.
  Workspace<int64_t> work(2 * n);
  int64_t *smaller = work.data(), *larger = smaller + n;
  int64_t small_count = 0, large_count = 0;
  for (int64_t i = 0; i < n; ++i) {
    C share = static_cast<C>(n) * load(p[i]);
    call.alias[i] = call.torch7 ? 0 : i;
    q[i] = convert<T>(share);
    if (share < 1) {
      smaller[small_count++] = i;
    } else {
      larger[large_count++] = i;
    }
  }
  while (small_count > 0 && large_count > 0) {
    int64_t large = larger[large_count - 1], small = smaller[small_count - 1];
    call.alias[small] = large;
    q[large] = convert<T>(load(q[large]) - (1.0 - load(q[small])));
    if (load(q[large]) < 1) {
      smaller[small_count - 1] = large;
      --large_count;
    } else {
      --small_count;
    }
  }
  C most = load(q[0]);
  for (int64_t i = 1; i < n; ++i) most = std::max(most, load(q[i]));
  for (int64_t i = 0; i < n; ++i) {
    if (most > 1) q[i] = convert<T>(load(q[i]) / most);
    // In Torch7 alias 0 means no alias or the first category, and both are treated as no alias.
    if (call.alias[i] == (call.torch7 ? 0 : i)) q[i] = convert<T>(1);
  }
}

template <class T>
void draw(const AliasDrawCall& call) {
  auto* q = reinterpret_cast<const T*>(call.q);
  auto categories = static_cast<double>(call.categories);
  for (int64_t i = 0; i < call.n; ++i) {
    uint32_t words[2];
    call.generator->words(words, 2);
    auto at = static_cast<int64_t>(uniform_of(unit_of(words[0]), 0, categories));
    at = std::min(at, call.categories - 1);
    bool own = bernoulli_of(unit_of(words[1]), load(q[at]));
    // The first category, in tables that were made by other rules, has none before it.
    const int64_t alias = call.alias[at] + call.step;
    call.out[i] = own ? at + call.index_base : alias < call.index_base ? call.index_base : alias;
  }
}

}  // namespace

namespace TH_ISA {

void run_alias_setup(const AliasSetupCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { set_up<decltype(zero)>(call); });
}

void run_alias_draw(const AliasDrawCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { draw<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th

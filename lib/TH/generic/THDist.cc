#ifndef TH_GENERIC_FILE

// Programs of several processes: the C interface.

#include "TH.h"

#include "dist/message.h"
#include "generic/bridge.h"

struct THDistGroup {
  th::dist::GroupPtr group;
};

namespace {

using th::dist::GroupPtr;
using th::dist::Mode;

GroupPtr group_of(const THDistGroup* group) { return group ? group->group : th::dist::world(); }

th::dist::Combine combine_of(THDistReduction reduction) {
  using th::dist::Reduction;
  switch (reduction) {
    case THDistSum:
      return {Reduction::sum, false};
    case THDistMean:
      return {Reduction::sum, true};
    case THDistProd:
      return {Reduction::prod, false};
    case THDistMin:
      return {Reduction::min, false};
    case THDistMax:
      return {Reduction::max, false};
  }
  th::fail("unknown reduction %d", static_cast<int>(reduction));
}

// Runs a call on tensors, whose memory is valid for C code afterwards.
template <class F>
void collective(const THDistGroup* group, th::Tensor* r, th::Tensor* src, const F& f) {
  f(group_of(group), r, src);
  for (th::Tensor* t : {r, src}) {
    if (t) th::expose_to_c(t);
  }
}
constexpr th::Tensor* kNone = nullptr;

}  // namespace

extern "C" {

void THDist_init(void) {
  th::guard([] { th::dist::world(); });
}
int THDist_rank(const THDistGroup* group) {
  return th::guard([&] { return group_of(group)->rank(); });
}
int THDist_size(const THDistGroup* group) {
  return th::guard([&] { return group_of(group)->size(); });
}
int THDist_localRank(void) {
  return th::guard([] { return th::dist::world()->engine().info().local_rank; });
}
int THDist_localSize(void) {
  return th::guard([] { return th::dist::world()->engine().info().local_size; });
}
const char* THDist_library(void) {
  return th::guard([]() -> const char* { return th::dist::world()->engine().info().library; });
}
void THDist_setTimeout(double seconds) {
  th::guard([&] { th::dist::set_timeout(seconds); });
}
double THDist_timeout(void) { return th::dist::Engine::instance().timeout(); }
void THDist_barrier(THDistGroup* group) {
  th::guard([&] { th::dist::barrier(group_of(group), Mode::blocking); });
}
THDistGroup* THDist_split(THDistGroup* group, int color, int key) {
  return th::guard([&]() -> THDistGroup* {
    GroupPtr part = group_of(group)->split(color, key);
    return part ? new THDistGroup{part} : nullptr;
  });
}
void THDist_freeGroup(THDistGroup* group) { delete group; }
void THDist_abort(int status) { th::dist::abort(status); }
}

#define TH_GENERIC_FILE "generic/THDist.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

void THDist_(broadcast)(THDistGroup* group, THTensor* self, int root) {
  th::guard([&] {
    collective(group, th::erase_tensor(self), kNone,
               [&](const GroupPtr& g, th::Tensor* t, th::Tensor*) {
                 th::dist::broadcast(g, t, root, Mode::blocking);
               });
  });
}
void THDist_(allReduce)(THDistGroup* group, THTensor* self, THDistReduction reduction) {
  th::guard([&] {
    collective(group, th::erase_tensor(self), kNone,
               [&](const GroupPtr& g, th::Tensor* t, th::Tensor*) {
                 th::dist::all_reduce(g, t, combine_of(reduction), Mode::blocking);
               });
  });
}
void THDist_(reduce)(THDistGroup* group, THTensor* self, THDistReduction reduction, int root) {
  th::guard([&] {
    collective(group, th::erase_tensor(self), kNone,
               [&](const GroupPtr& g, th::Tensor* t, th::Tensor*) {
                 th::dist::reduce(g, t, combine_of(reduction), root, Mode::blocking);
               });
  });
}
void THDist_(allGather)(THDistGroup* group, THTensor* r, THTensor* src) {
  th::guard([&] {
    collective(group, th::erase_tensor(r), th::erase_tensor(src),
               [&](const GroupPtr& g, th::Tensor* to, th::Tensor* from) {
                 th::dist::all_gather(g, to, from, Mode::blocking);
               });
  });
}
void THDist_(gather)(THDistGroup* group, THTensor* r, THTensor* src, int root) {
  th::guard([&] {
    collective(group, th::erase_tensor(r), th::erase_tensor(src),
               [&](const GroupPtr& g, th::Tensor* to, th::Tensor* from) {
                 th::dist::gather(g, to, from, root, Mode::blocking);
               });
  });
}
void THDist_(scatter)(THDistGroup* group, THTensor* r, THTensor* src, int root) {
  th::guard([&] {
    collective(group, th::erase_tensor(r), th::erase_tensor(src),
               [&](const GroupPtr& g, th::Tensor* to, th::Tensor* from) {
                 th::dist::scatter(g, to, from, root, Mode::blocking);
               });
  });
}
void THDist_(reduceScatter)(THDistGroup* group, THTensor* r, THTensor* src,
                            THDistReduction reduction) {
  th::guard([&] {
    collective(group, th::erase_tensor(r), th::erase_tensor(src),
               [&](const GroupPtr& g, th::Tensor* to, th::Tensor* from) {
                 th::dist::reduce_scatter(g, to, from, combine_of(reduction), Mode::blocking);
               });
  });
}
void THDist_(allToAll)(THDistGroup* group, THTensor* r, THTensor* src) {
  th::guard([&] {
    collective(group, th::erase_tensor(r), th::erase_tensor(src),
               [&](const GroupPtr& g, th::Tensor* to, th::Tensor* from) {
                 th::dist::all_to_all(g, to, from, Mode::blocking);
               });
  });
}
void THDist_(send)(THDistGroup* group, THTensor* self, int to) {
  th::guard([&] {
    collective(group, th::erase_tensor(self), kNone,
               [&](const GroupPtr& g, th::Tensor* t, th::Tensor*) {
                 th::dist::send(g, t, to, false, Mode::blocking);
               });
  });
}
void THDist_(receive)(THDistGroup* group, THTensor* self, int from) {
  th::guard([&] {
    collective(group, th::erase_tensor(self), kNone,
               [&](const GroupPtr& g, th::Tensor* t, th::Tensor*) {
                 th::dist::receive(g, t, from, Mode::blocking);
               });
  });
}
}

#endif

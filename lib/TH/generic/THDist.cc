#ifndef TH_GENERIC_FILE

// Programs of several processes: the C interface.

#include "TH.h"

#include <initializer_list>

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

// Makes the memory of the tensors of a call valid for C code.
void expose(std::initializer_list<th::Tensor*> tensors) {
  for (th::Tensor* t : tensors) {
    if (t) th::expose_to_c(t);
  }
}

// Runs a call on tensors. f(group, r, src, mode) starts it.
template <class F>
void run(const THDistGroup* group, th::Tensor* r, th::Tensor* src, const F& f) {
  f(group_of(group), r, src, Mode::blocking);
  expose({r, src});
}

constexpr th::Tensor* kNone = nullptr;

}  // namespace

struct THDistWork {
  th::dist::WorkPtr work;  // null: the call has ended
  th::TensorRef r, src;
};

namespace {

template <class F>
THDistWork* start(const THDistGroup* group, th::Tensor* r, th::Tensor* src, const F& f) {
  th::dist::WorkPtr work = f(group_of(group), r, src, Mode::copying);
  if (!work) expose({r, src});
  return new THDistWork{std::move(work), shared(r), shared(src)};
}

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
THDistWork* THDist_barrierAsync(THDistGroup* group) {
  return th::guard([&] {
    return start(group, kNone, kNone, [](const GroupPtr& g, th::Tensor*, th::Tensor*, Mode mode) {
      return th::dist::barrier(g, mode);
    });
  });
}
void THDistWork_wait(THDistWork* work) {
  th::guard([&] {
    if (!work->work) return;
    work->work->wait();
    work->work.reset();
    expose({work->r.get(), work->src.get()});
  });
}
int THDistWork_isDone(THDistWork* work) {
  return th::guard([&]() -> int { return !work->work || work->work->is_done(); });
}
void THDistWork_free(THDistWork* work) { delete work; }
void THDist_abort(int status) { th::dist::abort(status); }
}

#define TH_GENERIC_FILE "generic/THDist.cc"
#include "THGenerateEveryType.h"

#else

// Defines a function and its asynchronous form. call: an expression of g, r, src and mode.
#define TH_DIST_CALL(name, parameters, result, source, call)                                       \
  void THDist_(name) parameters {                                                                  \
    th::guard([&] {                                                                                \
      run(group, result, source,                                                                   \
          [&](const GroupPtr& g, [[maybe_unused]] th::Tensor* r, [[maybe_unused]] th::Tensor* src, \
              Mode mode) { return call; });                                                        \
    });                                                                                            \
  }                                                                                                \
  THDistWork* THDist_(name##Async) parameters {                                                    \
    return th::guard([&] {                                                                         \
      return start(group, result, source,                                                          \
                   [&](const GroupPtr& g, [[maybe_unused]] th::Tensor* r,                          \
                       [[maybe_unused]] th::Tensor* src, Mode mode) { return call; });             \
    });                                                                                            \
  }

extern "C" {

TH_DIST_CALL(broadcast, (THDistGroup * group, THTensor* self, int root), th::erase_tensor(self),
             kNone, th::dist::broadcast(g, r, root, mode))
TH_DIST_CALL(allReduce, (THDistGroup * group, THTensor* self, THDistReduction reduction),
             th::erase_tensor(self), kNone, th::dist::all_reduce(g, r, combine_of(reduction), mode))
TH_DIST_CALL(reduce, (THDistGroup * group, THTensor* self, THDistReduction reduction, int root),
             th::erase_tensor(self), kNone,
             th::dist::reduce(g, r, combine_of(reduction), root, mode))
TH_DIST_CALL(allGather, (THDistGroup * group, THTensor* to, THTensor* from), th::erase_tensor(to),
             th::erase_tensor(from), th::dist::all_gather(g, r, src, mode))
TH_DIST_CALL(gather, (THDistGroup * group, THTensor* to, THTensor* from, int root),
             th::erase_tensor(to), th::erase_tensor(from), th::dist::gather(g, r, src, root, mode))
TH_DIST_CALL(scatter, (THDistGroup * group, THTensor* to, THTensor* from, int root),
             th::erase_tensor(to), th::erase_tensor(from), th::dist::scatter(g, r, src, root, mode))
TH_DIST_CALL(reduceScatter,
             (THDistGroup * group, THTensor* to, THTensor* from, THDistReduction reduction),
             th::erase_tensor(to), th::erase_tensor(from),
             th::dist::reduce_scatter(g, r, src, combine_of(reduction), mode))
TH_DIST_CALL(allToAll, (THDistGroup * group, THTensor* to, THTensor* from), th::erase_tensor(to),
             th::erase_tensor(from), th::dist::all_to_all(g, r, src, mode))
TH_DIST_CALL(send, (THDistGroup * group, THTensor* self, int to), th::erase_tensor(self), kNone,
             th::dist::send(g, r, to, false, mode))
TH_DIST_CALL(receive, (THDistGroup * group, THTensor* self, int from), th::erase_tensor(self),
             kNone, th::dist::receive(g, r, from, mode))
}

#undef TH_DIST_CALL

#endif

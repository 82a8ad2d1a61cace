#ifndef TH_FUNCTORS_INDEX_ACTIONS_H
#define TH_FUNCTORS_INDEX_ACTIONS_H

// The actions on elements selected by an index.

#include "functors/functors.h"
#include "functors/scatter_action.h"
#include "tensor/convert.h"

namespace th {
namespace {

template <class T>
struct Move {
  static TH_HD void run(T* to, const T* from) { *to = *from; }
};

template <class T>
struct Accumulate {
  static TH_HD void run(T* to, const T* from) {
    *to = convert<T>(functor::plus(load(*to), load(*from)));
  }
};

// Combines elements by an element-wise functor.
template <class T, template <class> class Functor>
struct Combine {
  static TH_HD void run(T* to, const T* from) {
    using Value = decltype(load(*to));
    *to = convert<T>(Functor<Value>(nullptr)(load(*to), load(*from)));
  }
};

// Calls f(Action<T>()) for the action by which a scatter combines elements. Returns false for an
// action that only writes.
template <class T, class F>
bool with_combining_action(ScatterAction action, const F& f) {
  switch (action) {
    case ScatterAction::add:
      f(Accumulate<T>());
      return true;
    case ScatterAction::multiply:
      f(Combine<T, functor::cmul>());
      return true;
    case ScatterAction::larger:
      f(Combine<T, functor::cmax>());
      return true;
    case ScatterAction::smaller:
      f(Combine<T, functor::cmin>());
      return true;
    default:
      return false;
  }
}

}  // namespace
}  // namespace th

#endif

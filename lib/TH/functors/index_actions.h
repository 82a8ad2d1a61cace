#ifndef TH_FUNCTORS_INDEX_ACTIONS_H
#define TH_FUNCTORS_INDEX_ACTIONS_H

// The actions on elements selected by an index.

#include "functors/functors.h"
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

}  // namespace
}  // namespace th

#endif

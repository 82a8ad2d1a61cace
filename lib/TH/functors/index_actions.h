#ifndef TH_FUNCTORS_INDEX_ACTIONS_H
#define TH_FUNCTORS_INDEX_ACTIONS_H

// What becomes of an element that an index has chosen.

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

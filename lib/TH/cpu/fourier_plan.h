#ifndef TH_CPU_FOURIER_PLAN_H
#define TH_CPU_FOURIER_PLAN_H

// The tables of complex transforms of n points, which depend on n only.

#include <cstdint>
#include <memory>

#include "base/visibility.h"

namespace th TH_VISIBLE {

// The largest prime factor for which a stage exists. Lengths with larger ones use Bluestein's
// algorithm.
constexpr int kLargestRadix = 61;

// One stage of a mixed-radix transform in Stockham's order. It combines `radix` elements that are
// `rest` groups apart, and multiplies result k of group p by exp(-2 pi i k p / (radix * rest)).
template <class T>
struct FourierStage {
  int radix;
  int64_t rest;
  const T* twiddles;  // for k = 1 ... radix - 1: `rest` real parts, then `rest` imaginary parts
  const T* roots;     // cos(2 pi k / radix) for k = 0 ... radix - 1, then the sines
};

template <class T>
struct FourierPlan {
  int64_t n;
  int64_t bytes;  // of the tables, with those of `convolution`
  int stages;
  FourierStage<T> stage[64];
  // Bluestein's algorithm, unless null: a transform of n points is a circular convolution of at
  // least 2 n - 1 points with a chirp.
  const FourierPlan* convolution;
  const T* chirp;     // exp(-pi i k k / n): n real parts, then n imaginary parts
  const T* spectrum;  // the transform of the chirp's conjugate, divided by convolution->n
  // For real transforms of 2 n points: exp(-pi i k / n) for k = 0 ... n, real parts first.
  const T* half_roots;
};

// Returns the plan for n >= 1 points. The latest plans are kept: at most 16 of a type, and at most
// 64 MiB of tables, except that the newest one may be larger. recycle_release drops them.
template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(int64_t n);

}  // namespace TH_VISIBLE

#endif

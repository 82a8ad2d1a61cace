// Losses of class numbers. One block for each row.

#include <cmath>

#include "functors/condition.h"
#include "simt/block_sum.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

template <class T>
__device__ double weight_at(const T* weight, int64_t k) {
  return weight ? element(weight, k) : 1;
}

// The class of a row, from 0; -1: the row is ignored. So are numbers out of range, which another
// kernel reports.
__device__ inline int64_t class_of(const ClassRows& of, int64_t row) {
  const int64_t number = position_of(of.numbers[row], of.classes);
  const bool counts = of.numbers[row] != of.ignored && number >= 0 && number < of.classes;
  return counts ? number : -1;
}

struct Largest {
  using A = double;
  static __device__ A init() { return -INFINITY; }
  // NaN is larger than all numbers.
  static __device__ A combine(A a, A b) { return b > a || b != b ? b : a; }
};

template <class T>
__global__ void find_losses(ClassLossCall c) {
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  for (int64_t row = blockIdx.x; row < of.rows; row += gridDim.x) {
    const T* t = reinterpret_cast<const T*>(of.t) + row * of.classes;
    double log_sum = 0;
    if (c.sums) {
      double own = -INFINITY, largest;
      for (int64_t i = threadIdx.x; i < of.classes; i += blockDim.x) {
        own = Largest::combine(own, element(t, i));
      }
      block_exclusive_scan<Largest>(own, &largest);
      const double shift = std::isinf(largest) ? 0 : largest;
      double sum = 0;
      for (int64_t i = threadIdx.x; i < of.classes; i += blockDim.x) {
        sum += exp(element(t, i) - shift);
      }
      log_sum = shift + log(block_sum(sum));
    }
    double rest = 0;
    for (int64_t i = threadIdx.x; of.smoothing > 0 && i < of.classes; i += blockDim.x) {
      rest += weight_at(weight, i) * (log_sum - element(t, i));
    }
    if (of.smoothing > 0) rest = block_sum(rest);
    if (threadIdx.x != 0) continue;
    const int64_t number = class_of(of, row);
    if (c.sums) c.sums[row] = log_sum;
    c.losses[row] = c.weights[row] = 0;
    if (number < 0) continue;
    c.weights[row] = weight_at(weight, number);
    c.losses[row] = (1 - of.smoothing) * c.weights[row] * (log_sum - element(t, number)) +
                    of.smoothing / static_cast<double>(of.classes) * rest;
  }
}

template <class T>
__global__ void find_slopes(ClassLossSlopesCall c) {
  const ClassRows& of = c.of;
  const T* weight = reinterpret_cast<const T*>(of.weight);
  const int64_t n = of.rows * of.classes, step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < n; k += step) {
    const int64_t row = k / of.classes, i = k % of.classes;
    double slope = 0;
    const int64_t number = class_of(of, row);
    if (number >= 0) {
      const double own = (1 - of.smoothing) * weight_at(weight, number);
      const double each = of.smoothing / static_cast<double>(of.classes);
      if (c.sums) {
        const double x = element(reinterpret_cast<const T*>(of.t), k);
        slope = exp(x - c.sums[row]) * (own + each * of.weight_sum);
      }
      if (of.smoothing > 0) slope -= each * weight_at(weight, i);
      if (i == number) slope -= own;
      slope *= c.g[row];
    }
    reinterpret_cast<T*>(c.slope)[k] = convert<T>(slope);
  }
}

template <class T>
void losses_call(Queue& queue, const ClassLossCall& c) {
  TH_LAUNCH(queue, (find_losses<T>), at_most(queue, c.of.rows), kThreads, 0, c);
}
template <class T>
void slopes_call(Queue& queue, const ClassLossSlopesCall& c) {
  const unsigned blocks = blocks_for(queue, c.of.rows * c.of.classes);
  TH_LAUNCH(queue, (find_slopes<T>), blocks, kThreads, 0, c);
}

}  // namespace

void run_class_loss(Queue& queue, const ClassLossCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { losses_call<decltype(zero)>(queue, call); });
}
void run_class_loss_slopes(Queue& queue, const ClassLossSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.of.dtype,
                                [&](auto zero) { slopes_call<decltype(zero)>(queue, call); });
}

}  // namespace th

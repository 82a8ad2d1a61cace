// Samples from multinomial distributions. Sums are taken in the order of the categories, so that
// equal uniform values select the same categories as on the CPU.

#include <cmath>

#include "functors/philox.h"
#include "simt/block_scan.h"
#include "simt/launch.h"
#include "simt/report.h"
#include "functors/distributions.h"
#include "functors/reducers.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

struct Checks {
  DeviceAssertion* assertion;
  uint32_t value, sum, possible;

  // Called by one thread for each row.
  __device__ void look(int64_t row, bool is_valid, double total) const {
    if (value && !is_valid) report(assertion, value, row + 1);
    if (sum && is_valid && !(total > 0 && std::isfinite(total))) report(assertion, sum, row + 1);
  }
};

__device__ inline bool is_weight(double p) { return p >= 0 && std::isfinite(p); }

// cumulative[row][i] = sum of p[row][0 ... i]. One block for each row.
template <class T>
__global__ void accumulate(const T* p, double* cumulative, int64_t rows, int64_t categories,
                           Checks checks) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    double carry = 0;
    int is_valid = 1;
    for (int64_t begin = 0; begin < categories; begin += kThreads) {
      int64_t i = begin + threadIdx.x;
      double own = i < categories ? static_cast<double>(load(p[row * categories + i])) : 0;
      if (!is_weight(own)) {
        is_valid = 0;
        own = 0;
      }
      double total;
      double before = block_exclusive_scan<Sum<double>>(own, &total);
      if (i < categories) cumulative[row * categories + i] = carry + (before + own);
      carry += total;
    }
    if (checks.value == 0) continue;
    is_valid = __syncthreads_and(is_valid);
    if (threadIdx.x == 0) checks.look(row, is_valid != 0, carry);
  }
}

// Returns the category of the uniform value u: the first whose cumulative sum reaches it. Because
// of rounding, or for u = 0, this may be a category with probability 0; then the next possible
// category, or the last one, is returned.
template <class T>
__device__ int64_t find(const T* p, const double* cumulative, int64_t categories, double u) {
  double total = cumulative[categories - 1];
  int64_t low = 0, high = categories;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (cumulative[middle] / total < u) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int64_t i = low;
  while (i < categories && !(load(p[i]) > 0)) ++i;
  if (i < categories) return i;
  for (i = categories - 1; i > 0 && !(load(p[i]) > 0);) --i;
  return i;
}

template <class T>
__global__ void draw(const T* p, const double* cumulative, PhiloxPosition position, int64_t rows,
                     int64_t categories, int64_t samples, int64_t* out, int64_t base) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < rows * samples;
       k += step) {
    int64_t row = k / samples * categories;
    uint64_t offset = position.offset + static_cast<uint64_t>(k);
    double u = unit_of(philox_word({position.key, position.stream, offset}));
    out[k] = find(p + row, cumulative + row, categories, u) + base;
  }
}

// Adjacent categories, which one thread processes in draw_distinct, and their remaining weights.
struct Share {
  double* left;
  int64_t begin, end;

  // The share of a thread of the block.
  __device__ Share of(int thread) const {
    const int64_t length = (end - begin + kThreads - 1) / kThreads;
    const int64_t first = begin + thread * length, last = first + length;
    return {left, first < end ? first : end, last < end ? last : end};
  }
  __device__ double sum() const {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += left[i];
    return sum;
  }
  // Removes and returns the category at which the cumulative sum, starting with before, reaches
  // target; otherwise the last remaining one.
  __device__ int64_t take(double before, double target) const {
    int64_t last = begin;
    for (int64_t i = begin; i < end; ++i) {
      if (!(left[i] > 0)) continue;
      last = i;
      before += left[i];
      if (before >= target) break;
    }
    left[last] = 0;
    return last;
  }
};

// Returns the first thread at which the cumulative sum, which is `before` before the calling
// thread's share, reaches target; otherwise the last one whose share is not empty; -1 if all are.
// All threads of the block must call it.
__device__ inline int choose_thread(double before, double sum, double target) {
  __shared__ int first, last;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    first = kThreads;
    last = -1;
  }
  __syncthreads();
  if (sum > 0) {
    if (before + sum >= target) atomicMin(&first, thread);
    atomicMax(&last, thread);
  }
  __syncthreads();
  const int chosen = first < kThreads ? first : last;
  // A later call may write the shared variables.
  __syncthreads();
  return chosen;
}

// Shares up to this length are searched by their thread, longer ones by all threads of the block.
constexpr int64_t kShortShare = 32;

// Without replacement: sampled categories are removed. One block for each row.
template <class T>
__global__ void draw_distinct(const T* p, double* left, PhiloxPosition position, int64_t rows,
                              int64_t categories, int64_t samples, int64_t* out, int64_t base,
                              Checks checks) {
  __shared__ double before_chosen;
  auto thread = static_cast<int>(threadIdx.x);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const Share all = {left + row * categories, 0, categories}, share = all.of(thread);
    int is_valid = 1;
    int64_t possible = 0;
    for (int64_t i = share.begin; i < share.end; ++i) {
      double own = static_cast<double>(load(p[row * categories + i]));
      if (!is_weight(own)) {
        is_valid = 0;
        own = 0;
      }
      share.left[i] = own;
      possible += own > 0;
    }
    double sum = share.sum();
    double total;
    if (checks.value) {
      is_valid = __syncthreads_and(is_valid);
      block_exclusive_scan<Sum<double>>(static_cast<double>(possible), &total);
      bool enough = total >= static_cast<double>(samples);
      block_exclusive_scan<Sum<double>>(sum, &total);
      if (thread == 0) {
        checks.look(row, is_valid != 0, total);
        if (is_valid && total > 0 && !enough) report(checks.assertion, checks.possible, row + 1);
      }
    }
    for (int64_t k = row * samples; k < (row + 1) * samples; ++k) {
      double before = block_exclusive_scan<Sum<double>>(sum, &total);
      uint64_t offset = position.offset + static_cast<uint64_t>(k);
      double target = unit_of(philox_word({position.key, position.stream, offset})) * total;
      const int chosen = choose_thread(before, sum, target);
      if (chosen < 0) {
        if (thread == 0) out[k] = base;
      } else if (categories <= kShortShare * kThreads) {
        if (thread == chosen) {
          out[k] = share.take(before, target) + base;
          sum = share.sum();
        }
      } else {
        if (thread == chosen) before_chosen = before;
        const Share part = all.of(chosen).of(thread);
        double own = part.sum();
        before = block_exclusive_scan<Sum<double>>(own, &total);
        before += before_chosen;
        const int finder = choose_thread(before, own, target);
        if (thread == finder) {
          out[k] = part.take(before, target) + base;
          own = part.sum();
        }
        block_exclusive_scan<Sum<double>>(own, &total);
        if (thread == chosen) sum = total;
      }
    }
  }
}

template <class T>
void multinomial(Queue& queue, const MultinomialCall& call) {
  auto* p = reinterpret_cast<const T*>(call.p);
  Checks checks = {queue.assertion(), call.check_value, call.check_sum, call.check_possible};
  Scratch scratch(queue, static_cast<size_t>(call.rows * call.categories) * sizeof(double));
  auto* sums = scratch.as<double>();
  unsigned row_blocks = at_most(queue, call.rows);
  if (!call.with_replacement) {
    TH_LAUNCH(queue, (draw_distinct<T>), row_blocks, kThreads, 0, p, sums, call.position, call.rows,
              call.categories, call.samples, call.out, call.index_base, checks);
    return;
  }
  TH_LAUNCH(queue, (accumulate<T>), row_blocks, kThreads, 0, p, sums, call.rows, call.categories,
            checks);
  int64_t draws = call.rows * call.samples;
  TH_LAUNCH(queue, (draw<T>), blocks_for(queue, draws), kThreads, 0, p, sums, call.position,
            call.rows, call.categories, call.samples, call.out, call.index_base);
}

// One thread for each sample.
template <class T>
__global__ void draw_by_alias(AliasDrawCall c) {
  const T* q = reinterpret_cast<const T*>(c.q);
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < c.n;
       k += step) {
    PhiloxPosition word = c.position;
    word.offset += 2 * static_cast<uint64_t>(k);
    const double u = unit_of(philox_word(word));
    ++word.offset;
    auto at = static_cast<int64_t>(uniform_of(u, 0, static_cast<double>(c.categories)));
    if (at >= c.categories) at = c.categories - 1;
    const bool own = bernoulli_of(unit_of(philox_word(word)), load(q[at]));
    // The first category, in tables that were made by other rules, has none before it.
    const int64_t alias = c.alias[at] + c.step;
    c.out[k] = own ? at + c.index_base : alias < c.index_base ? c.index_base : alias;
  }
}

}  // namespace

void run_multinomial(Queue& queue, const MultinomialCall& call) {
  if (call.rows * call.samples == 0) return;
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { multinomial<decltype(zero)>(queue, call); });
}

void run_alias_setup(Queue&, const AliasSetupCall&) {
  fail_unsupported("alias tables are set up sequentially");
}
void run_alias_draw(Queue& queue, const AliasDrawCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
    TH_LAUNCH(queue, (draw_by_alias<decltype(zero)>), blocks_for(queue, call.n), kThreads, 0, call);
  });
}

}  // namespace th

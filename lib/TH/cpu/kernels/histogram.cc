// Counts of elements in bins.

#include <algorithm>
#include <cmath>

#include "backend/cpu_backend.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

constexpr int64_t kBlock = 1024;  // elements, which stay in the L1 cache
// Up to this number of edges, comparing with each takes less time than a search.
constexpr int64_t kFewEdges = 20;

// Divides n elements among threads: calls count(begin, end, counts), which adds to the counts of
// `bins` bins of its own. Adds up all of them in call.counts.
template <class F>
void count_in_parts(const HistogramCall& call, const F& count) {
  std::fill_n(call.counts, call.bins, int64_t{0});
  // Clearing and adding counts takes as long as counting as many elements.
  const int64_t grain = std::max(Grain::cheap, 4 * call.bins);
  const int64_t parts = std::max<int64_t>(1, std::min<int64_t>(num_threads(), call.n / grain));
  if (parts == 1) return count(int64_t{0}, call.n, call.counts);
  Workspace<int64_t> own(parts * call.bins);
  std::fill_n(own.data(), parts * call.bins, int64_t{0});
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      const int64_t length = call.n / parts, begin = p * length;
      count(begin, p + 1 < parts ? begin + length : call.n, own.data() + p * call.bins);
    }
  });
  for (int64_t p = 0; p < parts; ++p) {
    for (int64_t k = 0; k < call.bins; ++k) call.counts[k] += own[p * call.bins + k];
  }
}

// Counters have the size of the elements, so that the loops are vectorized. n <= kBlock.
template <class T>
using Counter = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

template <class T>
int64_t count_from(const T* x, int64_t n, T edge) {
  Counter<T> found = 0;
  for (int64_t i = 0; i < n; ++i) found += x[i] >= edge;
  return found;
}
template <class T>
int64_t count_above(const T* x, int64_t n, T edge) {
  Counter<T> found = 0;
  for (int64_t i = 0; i < n; ++i) found += x[i] > edge;
  return found;
}

template <class T>
void count_by_comparing(const T* x, int64_t n, const T* edges, int64_t bins, int64_t* counts) {
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t m = std::min(kBlock, n - begin);
    int64_t from = count_from(x + begin, m, edges[0]);
    for (int64_t k = 0; k < bins; ++k) {
      const int64_t next = k + 1 < bins ? count_from(x + begin, m, edges[k + 1])
                                        : count_above(x + begin, m, edges[bins]);
      counts[k] += from - next;
      from = next;
    }
  }
}

// Returns the last bin whose lower edge is at most x, or 0.
template <class T>
int64_t find_bin(const T* edges, int64_t bins, T x) {
  int64_t bin = 0;
  for (int64_t left = bins; left > 1;) {
    const int64_t half = left / 2;
    if (edges[bin + half] <= x) bin += half;
    left -= half;
  }
  return bin;
}

// Bins of about equal width: guesses the bin of an element, and checks it by the edges.
template <class T>
class EqualBins {
 public:
  EqualBins(const T* edges, int64_t bins)
      : edges_(edges), bins_(bins), scale_(static_cast<T>(bins) / (edges[bins] - edges[0])) {}

  // Returns true if the guesses are right, or wrong by one bin, for nearly all elements.
  bool fit() const {
    if (!(scale_ > 0) || !std::isfinite(scale_) || bins_ > kMostBins) return false;
    for (int64_t k = 0; k <= bins_; ++k) {
      if (!(std::fabs((edges_[k] - edges_[0]) * scale_ - static_cast<T>(k)) < T(0.5))) return false;
    }
    return true;
  }

  void count(const T* x, int64_t n, int64_t* counts) const {
    int32_t guesses[kBlock];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t m = std::min(kBlock, n - begin);
      guess(x + begin, m, guesses);
      for (int64_t i = 0; i < m; ++i) {
        if (guesses[i] < 0) continue;
        ++counts[corrected(x[begin + i], guesses[i])];
      }
    }
  }

 private:
  // float represents these numbers exactly.
  static constexpr int64_t kMostBins = 1 << 22;

  // The guesses for elements outside are negative.
  void guess(const T* x, int64_t n, int32_t* guesses) const {
    const T low = edges_[0], high = edges_[bins_], last = static_cast<T>(bins_ - 1), scale = scale_;
    for (int64_t i = 0; i < n; ++i) {
      const bool inside = (x[i] >= low) & (x[i] <= high);
      const T at = (x[i] - low) * scale, limited = at < last ? at : last;
      guesses[i] = static_cast<int32_t>(inside ? limited : T(-1));
    }
  }

  int64_t corrected(T x, int64_t k) const {
    k -= x < edges_[k];
    k += k + 1 < bins_ && x >= edges_[k + 1];
    if (x >= edges_[k] && (k + 1 == bins_ || x < edges_[k + 1])) return k;
    return find_bin(edges_, bins_, x);
  }

  const T* edges_;
  int64_t bins_;
  T scale_;
};

// Finds the bins of several elements together: each waits for memory, but not for another one.
// There are no branches, which would be mispredicted.
template <class T>
void count_by_searching(const T* x, int64_t n, const T* edges, int64_t bins, int64_t* counts) {
  constexpr int kTogether = 8;
  for (int64_t begin = 0; begin < n; begin += kTogether) {
    const auto m = static_cast<int>(std::min<int64_t>(kTogether, n - begin));
    T values[kTogether];
    int64_t bin[kTogether] = {};
    for (int j = 0; j < kTogether; ++j) values[j] = x[begin + (j < m ? j : 0)];
    for (int64_t left = bins; left > 1;) {
      const int64_t half = left / 2;
      for (int j = 0; j < kTogether; ++j) {
        bin[j] += half & -int64_t{edges[bin[j] + half] <= values[j]};
      }
      left -= half;
    }
    for (int j = 0; j < m; ++j) {
      counts[bin[j]] += (values[j] >= edges[0]) & (values[j] <= edges[bins]);
    }
  }
}

template <class T>
void count_by_edges(const HistogramCall& call) {
  const T *x = reinterpret_cast<const T*>(call.x), *edges = reinterpret_cast<const T*>(call.edges);
  const int64_t bins = call.bins;
  if (bins < kFewEdges) {
    return count_in_parts(call, [&](int64_t begin, int64_t end, int64_t* counts) {
      count_by_comparing(x + begin, end - begin, edges, bins, counts);
    });
  }
  const EqualBins<T> equal(edges, bins);
  if (equal.fit()) {
    return count_in_parts(call, [&](int64_t begin, int64_t end, int64_t* counts) {
      equal.count(x + begin, end - begin, counts);
    });
  }
  count_in_parts(call, [&](int64_t begin, int64_t end, int64_t* counts) {
    count_by_searching(x + begin, end - begin, edges, bins, counts);
  });
}

// The bins of n elements, which are at most kBlock: negative for those outside.
template <class T>
void find_bins(const T* x, int64_t n, const HistogramCall& call, Counter<T>* found) {
  const auto low = static_cast<T>(call.low), high = static_cast<T>(call.high), width = high - low;
  const auto bins = static_cast<T>(call.bins), last = static_cast<T>(call.bins - 1);
  for (int64_t i = 0; i < n; ++i) {
    const bool inside = (x[i] >= low) & (x[i] <= high);
    const T at = (x[i] - low) / width * bins, limited = at < last ? at : last;
    found[i] = static_cast<Counter<T>>(inside ? limited : T(-1));
  }
}

template <class T>
void count_by_range(const HistogramCall& call) {
  const T* x = reinterpret_cast<const T*>(call.x);
  const auto count = [&](int64_t begin, int64_t end, int64_t* counts) {
    Counter<T> found[kBlock];
    for (; begin < end; begin += kBlock) {
      const int64_t n = std::min(kBlock, end - begin);
      find_bins(x + begin, n, call, found);
      for (int64_t i = 0; i < n; ++i) {
        if (found[i] >= 0) ++counts[found[i]];
      }
    }
  };
  if (call.rows == 1) return count_in_parts(call, count);
  std::fill_n(call.counts, call.rows * call.bins, int64_t{0});
  parallel_for(call.rows, Grain::cheap / call.n + 1, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      count(row * call.n, (row + 1) * call.n, call.counts + row * call.bins);
    }
  });
}

// Equal elements in succession wait for each other's count, so there are several tables.
template <class T>
void count_bytes(const T* x, int64_t n, int64_t first, int64_t bins, int64_t* counts) {
  constexpr int kTables = 4;
  int64_t tables[kTables][256] = {};
  int64_t i = 0;
  for (; i + kTables <= n; i += kTables) {
    for (int t = 0; t < kTables; ++t) ++tables[t][static_cast<uint8_t>(x[i + t])];
  }
  for (; i < n; ++i) ++tables[0][static_cast<uint8_t>(x[i])];
  for (int64_t k = 0; k < std::min<int64_t>(bins, 256); ++k) {
    for (const auto& table : tables) counts[k] += table[static_cast<uint8_t>(first + k)];
  }
}

template <class T>
void count_values(const HistogramCall& call) {
  const T* x = reinterpret_cast<const T*>(call.x);
  const int64_t bins = call.bins, first = call.first;
  count_in_parts(call, [&](int64_t begin, int64_t end, int64_t* counts) {
    if constexpr (sizeof(T) == 1) {
      count_bytes(x + begin, end - begin, first, bins, counts);
    } else {
      for (int64_t i = begin; i < end; ++i) ++counts[static_cast<int64_t>(x[i]) - first];
    }
  });
}

}  // namespace

namespace TH_ISA {

void run_histogram(const HistogramCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      count_values<T>(call);
    } else if constexpr (std::is_floating_point_v<T>) {
      call.edges ? count_by_edges<T>(call) : count_by_range<T>(call);
    }
  });
}

}  // namespace TH_ISA
}  // namespace th

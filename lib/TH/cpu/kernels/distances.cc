// The distances of all pairs of rows.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/kernels/vector_bytes.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "functors/distances.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T, class Norm>
class Distances {
 public:
  Distances(const DistancesCall& call, const Norm& norm) : call_(call), norm_(norm) {}

  void run() const {
    const int64_t panels = (call_.columns + kLanes - 1) / kLanes;
    const int64_t parts = (call_.rows + kRowsOfTask - 1) / kRowsOfTask;
    const int64_t tasks = call_.batches * panels * parts;
    const int64_t rows = call_.rows < kRowsOfTask ? call_.rows : kRowsOfTask;
    const int64_t grain = 1 + Grain::cheap / kLanes / (rows * call_.length);
    // A part of the loop must not throw, so this is the memory of all of them.
    constexpr int64_t kMemory = int64_t{1} << 26;  // bytes
    const int64_t panel_bytes = call_.length * kVectorBytes;
    const Team team(std::min(tasks / grain, kMemory / panel_bytes));
    const Workspace<T> memory(team.size() * call_.length * kLanes);
    parallel_for(tasks, grain, [&](int64_t begin, int64_t end) {
      T* panel = memory.data() + team.index() * call_.length * kLanes;
      for (int64_t task = begin; task < end; ++task) {
        const int64_t batch = task / parts / panels, column = task / parts % panels * kLanes;
        if (task == begin || task % parts == 0) pack(batch, column, panel);
        const int64_t first = task % parts * kRowsOfTask, last = first + kRowsOfTask;
        for (int64_t i = first; i < last && i < call_.rows; i += kRows) {
          find_tile(batch, i, column, panel);
        }
      }
    });
  }

 private:
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
  // A tile of the result: this many rows, and as many columns as a vector has lanes.
  static constexpr int kRows = 6;
  // A panel, the transpose of the rows of b for a tile, is used for this many rows of a.
  static constexpr int64_t kRowsOfTask = 40 * kRows;

  const T* row_of(const char* data, int64_t batch, int64_t rows, int64_t i) const {
    return reinterpret_cast<const T*>(data) + (batch * rows + i) * call_.length;
  }

  // Lanes behind the last column repeat it.
  void pack(int64_t batch, int64_t column, T* panel) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t j = column + lane < call_.columns ? column + lane : call_.columns - 1;
      const T* row = row_of(call_.b, batch, call_.columns, j);
      for (int64_t k = 0; k < call_.length; ++k) panel[k * kLanes + lane] = row[k];
    }
  }

  void find_tile(int64_t batch, int64_t i, int64_t column, const T* panel) const {
    const T* x[kRows];
    for (int64_t q = 0; q < kRows; ++q) {
      x[q] = row_of(call_.a, batch, call_.rows, i + q < call_.rows ? i + q : call_.rows - 1);
    }
    const auto write = [&](const auto& totals) {
      const int64_t left = call_.columns - column, columns = left < kLanes ? left : kLanes;
      T* r = reinterpret_cast<T*>(call_.r) + (batch * call_.rows + i) * call_.columns + column;
      for (int64_t q = 0; q < kRows && i + q < call_.rows; ++q) {
        T distances[kLanes];
        find_roots(totals[q], x[q], panel, distances);
        std::copy_n(distances, columns, r + q * call_.columns);
      }
    };
    T part[kRows][kLanes];
    accumulate(x, panel, 0, part);
    // Square roots of floats have the same bits if they are computed in double and rounded.
    if (call_.length <= kJoinedDifferences) return write(part);
    double total[kRows][kLanes];
    for (int q = 0; q < kRows; ++q) std::copy_n(part[q], kLanes, total[q]);
    for (int64_t k = kJoinedDifferences; k < call_.length; k += kJoinedDifferences) {
      accumulate(x, panel, k, part);
      for (int q = 0; q < kRows; ++q) {
        for (int lane = 0; lane < kLanes; ++lane) {
          total[q][lane] = norm_.joined(total[q][lane], static_cast<double>(part[q][lane]));
        }
      }
    }
    write(total);
  }

  // total: the kLanes sums of a row, of type T or double.
  template <class Total>
  void find_roots(const Total* total, const T* x, const T* panel, T* distances) const {
    int ordinary = 0;
#pragma omp simd reduction(+ : ordinary)
    for (int lane = 0; lane < kLanes; ++lane) {
      ordinary += is_ordinary<T>(norm_, total[lane], call_.length);
      distances[lane] = static_cast<T>(norm_.root(total[lane]));
    }
    if (ordinary == kLanes) return;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_ordinary<T>(norm_, total[lane], call_.length)) continue;
      distances[lane] = scaled_distance(norm_, x, panel + lane, kLanes, call_.length);
    }
  }

  // Accumulates the differences of a tile from k on.
  void accumulate(const T* const* x, const T* panel, int64_t k, T (*part)[kLanes]) const {
    const int64_t left = call_.length - k;
    const int64_t end = k + (left < kJoinedDifferences ? left : kJoinedDifferences);
    Vector sum[kRows] = {};
    for (; k < end; ++k) {
      Vector y;
      __builtin_memcpy(&y, panel + k * kLanes, sizeof(y));
#pragma GCC unroll 6
      for (int q = 0; q < kRows; ++q) sum[q] = norm_.accumulate(sum[q], x[q][k] - y);
    }
    __builtin_memcpy(part, sum, sizeof(sum));
  }

  const DistancesCall& call_;
  const Norm norm_;
};

}  // namespace

namespace TH_ISA {

void run_distances(const DistancesCall& call) {
  dispatch_types<BlasTypes>(call.dtype, [&](auto zero) {
    with_norm(call.p, call.squared, [&](const auto& norm) {
      Distances<decltype(zero), std::decay_t<decltype(norm)>>(call, norm).run();
    });
  });
}

}  // namespace TH_ISA
}  // namespace th

#ifndef TH_SIMT_KERNELS_NORMALIZE_BATCH_H
#define TH_SIMT_KERNELS_NORMALIZE_BATCH_H

// Normalizations of NormKind::batch in three steps: sums of parts of each channel, their totals,
// and the results, element by element.

#include "simt/block_sum.h"
#include "simt/offset_calculator.h"
#include "simt/row.h"

namespace th {

// Returns true if these functions are faster than one kernel with a block or a warp for each
// channel: if the channels do not fit into the registers of a block, or if no two elements of a
// channel are adjacent. For few elements, a single launch is faster.
inline bool has_parts(const NormLayout& l) {
  constexpr int64_t kFew = 1 << 18;
  return l.kind == NormKind::batch &&
         (l.count() > kBlockRow || (l.length == 1 && l.groups * l.count() >= kFew));
}

namespace {

// A layout with fast divisions.
struct NormPositions : NormLayout {
  IntDivider<uint64_t> divider;
  explicit NormPositions(const NormLayout& l) : NormLayout(l), divider(l.length) {}

  __device__ int64_t run_of(int64_t k) const {
    return static_cast<int64_t>(divider.quotient(static_cast<uint64_t>(k)));
  }
  // The position of element k of a group.
  __device__ int64_t position(int64_t group, int64_t k) const {
    const int64_t first = group * group_stride() + k;
    return kind == NormKind::batch ? first + run_of(k) * (run_stride() - length) : first;
  }
  // The position of its weight.
  __device__ int64_t weight_position(int64_t group, int64_t k) const {
    if (kind == NormKind::layer) return k;
    if (kind == NormKind::batch) return group;
    return group % groups * runs + run_of(k);
  }
};

template <class T>
__device__ double weight_at(const T* weight, int64_t k, double otherwise) {
  return weight ? element(weight, k) : otherwise;
}

}  // namespace

void normalize_batch(Queue& queue, const NormalizeCall& call);
void normalize_batch_slopes(Queue& queue, const NormalizeSlopesCall& call);

}  // namespace th

#endif

#include "cpu/iterator.h"

#include <algorithm>

#include "cpu/parallel.h"

namespace th {

namespace {
// Elements along each side of a tile: the lines that a tile touches on its strided side are
// still in the first-level cache when its next row needs them.
constexpr int64_t kTile = 64;
}  // namespace

void plan_dimensions(int* ndim, int64_t* size, int operands, int64_t (*stride)[kMaxDims],
                     bool keep_order) {
  int kept = 0;
  for (int d = 0; d < *ndim; ++d) {
    if (size[d] == 1) continue;
    size[kept] = size[d];
    for (int k = 0; k < operands; ++k) stride[k][kept] = stride[k][d];
    ++kept;
  }
  *ndim = kept;
  if (!keep_order) {
    // Insertion sort: few dimensions, mostly in order already. Operand 0 decides, then the rest.
    auto before = [&](int a, int b) {
      for (int k = 0; k < operands; ++k) {
        if (stride[k][a] != stride[k][b]) return stride[k][a] < stride[k][b];
      }
      return false;
    };
    for (int i = 1; i < *ndim; ++i) {
      for (int j = i; j > 0 && before(j, j - 1); --j) {
        std::swap(size[j], size[j - 1]);
        for (int k = 0; k < operands; ++k) std::swap(stride[k][j], stride[k][j - 1]);
      }
    }
  }
  int merged = 0;
  for (int d = 1; d < *ndim; ++d) {
    bool adjacent = true;
    for (int k = 0; k < operands; ++k) {
      adjacent = adjacent && stride[k][d] == size[merged] * stride[k][merged];
    }
    if (adjacent) {
      size[merged] *= size[d];
    } else {
      ++merged;
      size[merged] = size[d];
      for (int k = 0; k < operands; ++k) stride[k][merged] = stride[k][d];
    }
  }
  if (*ndim > 0) *ndim = merged + 1;
}

void Iterator::plan(bool keep_order) {
  plan_dimensions(&ndim_, size_, operands_, stride_, keep_order);
}

bool Iterator::output_overlaps() const {
  // Sorted by the output's strides, each must clear what the smaller dimensions span.
  int64_t span = 0;
  for (int d = 0; d < ndim_; ++d) {
    if (stride_[0][d] <= span && size_[d] > 1) return true;
    span += (size_[d] - 1) * stride_[0][d];
  }
  return false;
}

bool Iterator::wants_tiles() const {
  if (ndim_ < 2 || size_[0] < kTile / 2 || size_[1] < kTile / 2) return false;
  for (int k = 1; k < operands_; ++k) {
    if (stride_[k][1] != 0 && stride_[k][0] > stride_[k][1]) return true;
  }
  return false;
}

void Iterator::run(Loop loop, const Scalar* params, int64_t grain) {
  if (numel_ == 0) return;
  plan(false);
  if (ndim_ == 0) {
    int64_t zero[kMaxOperands] = {};
    loop(data_, zero, 1, params);
    return;
  }
  if (output_overlaps()) {
    // Several elements of the output are one place in memory: one after the other.
    for_each_run(0, numel_, [&](char* const* data, const int64_t* stride, int64_t n) {
      char* at[kMaxOperands];
      for (int64_t i = 0; i < n; ++i) {
        for (int k = 0; k < operands_; ++k) at[k] = data[k] + i * stride[k];
        loop(at, stride, 1, params);
      }
    });
    return;
  }
  if (wants_tiles()) {
    run_tiles(loop, params, grain);
    return;
  }
  parallel_for(numel_, grain, [&](int64_t begin, int64_t end) {
    for_each_run(begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
      loop(data, stride, n, params);
    });
  });
}

void Iterator::run_in_order(Loop loop, const Scalar* params) {
  if (numel_ == 0) return;
  plan(true);
  for_each_run(0, numel_, [&](char* const* data, const int64_t* stride, int64_t n) {
    loop(data, stride, n, params);
  });
}

void Iterator::run_tiles(Loop loop, const Scalar* params, int64_t grain) {
  int64_t tiles0 = (size_[0] + kTile - 1) / kTile;
  int64_t tiles1 = (size_[1] + kTile - 1) / kTile;
  int64_t tiles = numel_ / (size_[0] * size_[1]) * tiles0 * tiles1;
  parallel_for(tiles, std::max<int64_t>(1, grain / (kTile * kTile)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t tile = begin; tile < end; ++tile) {
                   char* data[kMaxOperands];
                   int64_t inner[kMaxOperands];
                   int64_t first0 = tile % tiles0 * kTile;
                   int64_t first1 = tile / tiles0 % tiles1 * kTile;
                   int64_t outer = tile / (tiles0 * tiles1);
                   for (int k = 0; k < operands_; ++k) {
                     data[k] = data_[k] + first0 * stride_[k][0] + first1 * stride_[k][1];
                     inner[k] = stride_[k][0];
                   }
                   for (int d = 2; d < ndim_; ++d) {
                     for (int k = 0; k < operands_; ++k)
                       data[k] += outer % size_[d] * stride_[k][d];
                     outer /= size_[d];
                   }
                   int64_t n0 = std::min(kTile, size_[0] - first0);
                   int64_t n1 = std::min(kTile, size_[1] - first1);
                   for (int64_t row = 0; row < n1; ++row) {
                     loop(data, inner, n0, params);
                     for (int k = 0; k < operands_; ++k) data[k] += stride_[k][1];
                   }
                 }
               });
}

}  // namespace th

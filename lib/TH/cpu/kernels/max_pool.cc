// Maxima of windows of images.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cpu_backend.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// True also for the first NaN. Without branches, which random elements would mispredict.
template <class V>
bool is_larger(V value, V most) {
  return !(value <= most) & (most == most);
}

// Returns the index of the largest element of a window.
template <class T>
int64_t index_of_largest(const MaxPoolCall& call, const T* in, const int64_t* first,
                         const int64_t* count) {
  const PoolWindows *z = call.windows, *y = z + 1, *x = z + 2;
  int64_t best = (first[0] * y->size + first[1]) * x->size + first[2];
  auto most = load(in[best]);
  for (int64_t i = 0; i < count[0]; ++i) {
    for (int64_t j = 0; j < count[1]; ++j) {
      const int64_t row =
          ((first[0] + i * z->step()) * y->size + first[1] + j * y->step()) * x->size + first[2];
      for (int64_t k = 0; k < count[2]; ++k) {
        const int64_t at = row + k * x->step();
        const auto value = load(in[at]);
        const bool larger = is_larger(value, most);
        most = larger ? value : most;
        best = larger ? at : best;
      }
    }
  }
  return best;
}

// Windows are processed in groups, which fill the registers.
constexpr int64_t kGroup = 8, kMostGroups = 32, kMostElements = 4096;

// The offset of an element from the first one of its window, as wide as the elements.
template <class V>
using OffsetFor = std::conditional_t<sizeof(V) == 4, int32_t, int64_t>;

// Windows that begin `stride` elements after each other and have their elements at the same offsets
// from their first one. Sets the largest element of each and its index. in: the first element of
// the first window, whose index is `first`. kStride: the stride if it is known, otherwise 0.
template <int64_t kStride, class T>
void find_largest(const T* in, int64_t first, const int64_t* offsets, int elements, int64_t stride,
                  int64_t groups, T* values, int64_t* indices) {
  using V = decltype(load(T()));
  using Offset = OffsetFor<V>;
  if (kStride) stride = kStride;
  const int64_t windows = groups * kGroup;
  V most[kGroup * kMostGroups];
  Offset offset[kGroup * kMostGroups];
  for (int64_t w = 0; w < windows; ++w) {
    most[w] = load(in[w * stride]);
    offset[w] = 0;
  }
  for (int e = 1; e < elements; ++e) {
    const T* from = in + offsets[e];
    const auto own = static_cast<Offset>(offsets[e]);
    for (int64_t w = 0; w < windows; ++w) {
      const V value = load(from[w * stride]);
      const bool larger = is_larger(value, most[w]);
      most[w] = larger ? value : most[w];
      offset[w] = larger ? own : offset[w];
    }
  }
  for (int64_t w = 0; w < windows; ++w) values[w] = convert<T>(most[w]);
  for (int64_t w = 0; w < windows; ++w) indices[w] = first + w * stride + offset[w];
}

// The offsets of the elements of windows with `count` elements along the first two dimensions, and
// all along the last one, from the first element.
int set_offsets(const MaxPoolCall& call, const int64_t* count, int64_t* offsets) {
  const PoolWindows *z = call.windows, *y = z + 1, *x = z + 2;
  int elements = 0;
  for (int64_t i = 0; i < count[0]; ++i) {
    for (int64_t j = 0; j < count[1]; ++j) {
      const int64_t row = (i * z->step() * y->size + j * y->step()) * x->size;
      for (int64_t k = 0; k < x->kernel; ++k) offsets[elements++] = row + k * x->step();
    }
  }
  return elements;
}

template <class T>
void pool_plane(const MaxPoolCall& call, const T* in, T* values, int64_t* indices) {
  const PoolWindows *z = call.windows, *y = z + 1, *x = z + 2;
  const auto find = x->stride == 1   ? find_largest<1, T>
                    : x->stride == 2 ? find_largest<2, T>
                                     : find_largest<0, T>;
  // The windows from c_begin to c_end have all of their elements along the last dimension.
  int64_t c_begin = 0, c_end = 0;
  if (x->kernel > 0) {
    const int64_t last = x->size - 1 - (x->kernel - 1) * x->dilation + x->padding;
    c_begin = std::min((x->padding + x->stride - 1) / x->stride, x->count);
    c_end = last < 0 ? 0 : std::min(last / x->stride + 1, x->count);
  }
  const bool offsets_fit =
      z->size * y->size * x->size <= std::numeric_limits<OffsetFor<decltype(load(T()))>>::max();
  int64_t offsets[kMostElements];
  int64_t rows[2] = {};  // those of the windows that have the offsets
  int elements = 0;
  for (int64_t a = 0; a < z->count; ++a) {
    int64_t first[3], count[3];
    z->window(a, &first[0], &count[0]);
    for (int64_t b = 0; b < y->count; ++b) {
      y->window(b, &first[1], &count[1]);
      int64_t begin = 0, end = 0;  // the windows that are processed in groups
      if (c_end - c_begin >= kGroup && count[0] * count[1] <= kMostElements / x->kernel &&
          offsets_fit) {
        begin = c_begin;
        end = c_end;
        if (count[0] != rows[0] || count[1] != rows[1]) {
          elements = set_offsets(call, count, offsets);
          std::copy_n(count, 2, rows);
        }
      }
      const int64_t row = (first[0] * y->size + first[1]) * x->size - x->padding;
      for (int64_t c = begin; c < end;) {
        c = std::min(c, end - kGroup);  // the last group may overlap the one before
        const int64_t groups = std::min(kMostGroups, (end - c) / kGroup);
        const int64_t start = row + c * x->stride;
        find(in + start, start + call.index_base, offsets, elements, x->stride, groups, values + c,
             indices + c);
        c += groups * kGroup;
      }
      const auto find_one = [&](int64_t c) {
        x->window(c, &first[2], &count[2]);
        const int64_t index = index_of_largest(call, in, first, count);
        values[c] = in[index];
        indices[c] = index + call.index_base;
      };
      for (int64_t c = 0; c < begin; ++c) find_one(c);
      for (int64_t c = end; c < x->count; ++c) find_one(c);
      values += x->count;
      indices += x->count;
    }
  }
}

}  // namespace

namespace TH_ISA {

void run_max_pool(const MaxPoolCall& call) {
  int64_t size = 1, count = 1, work = 1;
  for (const PoolWindows& w : call.windows) {
    size *= w.size;
    count *= w.count;
    work *= w.kernel ? w.count * w.kernel : w.size + w.count;
  }
  parallel_for(
      call.planes, std::max<int64_t>(1, Grain::cheap / work), [&](int64_t begin, int64_t end) {
        dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) {
          using T = decltype(zero);
          for (int64_t k = begin; k < end; ++k) {
            pool_plane(call, reinterpret_cast<const T*>(call.in) + k * size,
                       reinterpret_cast<T*>(call.values) + k * count, call.indices + k * count);
          }
        });
      });
}

}  // namespace TH_ISA
}  // namespace th

// Maxima of windows of images.

#include <algorithm>

#include "backend/cpu_backend.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
void pool_plane(const MaxPoolCall& call, const T* in, T* values, int64_t* indices) {
  const PoolWindows *z = call.windows, *y = z + 1, *x = z + 2;
  const int64_t step[] = {z->step(), y->step(), x->step()};
  for (int64_t a = 0; a < z->count; ++a) {
    int64_t first[3], count[3];
    z->window(a, &first[0], &count[0]);
    for (int64_t b = 0; b < y->count; ++b) {
      y->window(b, &first[1], &count[1]);
      for (int64_t c = 0; c < x->count; ++c) {
        x->window(c, &first[2], &count[2]);
        int64_t best = (first[0] * y->size + first[1]) * x->size + first[2];
        auto most = load(in[best]);
        for (int64_t i = 0; i < count[0]; ++i) {
          for (int64_t j = 0; j < count[1]; ++j) {
            const int64_t row =
                ((first[0] + i * step[0]) * y->size + first[1] + j * step[1]) * x->size + first[2];
            for (int64_t k = 0; k < count[2]; ++k) {
              const auto value = load(in[row + k * step[2]]);
              // True also for the first NaN.
              if (!(value <= most) && most == most) {
                most = value;
                best = row + k * step[2];
              }
            }
          }
        }
        *values++ = in[best];
        *indices++ = best + call.index_base;
      }
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

// Running sums and products against plain loops.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core_tensors.h"
#include "ops/ops.h"
#include "reduce_expect.h"
#include "tensor/tensor.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

TEST(Scan, AgainstLoops) {
  int round = 0;
  for (DType type : kAllTypes) {
    for (const Shape& size :
         {Shape{1}, Shape{1000}, Shape{3, 5}, Shape{40, 600}, Shape{600, 3}, Shape{4, 30, 5}}) {
      for (Layout layout : kLayouts) {
        if (left_out(round++)) continue;
        for (bool product : {false, true}) {
          TensorRef t = make(type, size, layout);
          fill(
              *t, product ? near_one : [](int64_t i) { return std::floor(noise(i) * 2); });
          for (int dim = 0; dim < t->nDimension; ++dim) {
            TensorRef r = empty(type);
            (product ? ops::cumprod : ops::cumsum)(r.get(), t.get(), dim);
            auto in = lines(*t, dim), out = lines(*r, dim);
            for (size_t k = 0; k < in.size(); ++k) {
              double a = product ? 1 : 0;
              for (size_t i = 0; i < in[k].size(); ++i) {
                a = product ? a * in[k][i] : a + in[k][i];
                expect_near(held(type, a), out[k][i], type, label("scan", *t, dim));
              }
              if (testing::Test::HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

}  // namespace

// Which convolutions are products of matrices.

#include <gtest/gtest.h>

#include "cpu/convolution_product.h"

namespace {

using th::DType;

TEST(ConvolutionProduct, ProductsAreForManyPlanes) {
  th::ConvolutionCall c = {};
  c.dtype = DType::Float;
  c.kind = th::ConvolutionKind::valid;
  c.groups = 1;
  c.outputs = c.inputs = 32;
  for (int d = 0; d < 3; ++d) {
    c.result[d] = d ? 12 : 1;
    c.image[d] = d ? 14 : 1;
    c.kernel[d] = d ? 3 : 1;
    c.step[d] = 1;
  }
  c.t = {nullptr, 0, 0, 196, {196, 14, 1}};
  c.w = {nullptr, 0, 288, 9, {9, 3, 1}};
  c.r = {nullptr, 0, 144, 0, {144, 12, 1}};
  EXPECT_TRUE(th::is_product_faster(c));
  auto refused = [&](auto change) {
    th::ConvolutionCall other = c;
    change(&other);
    return !th::is_product_faster(other);
  };
  EXPECT_TRUE(refused([](auto* o) { o->kind = th::ConvolutionKind::full; }));
  EXPECT_TRUE(refused([](auto* o) { o->dtype = DType::Int; }));
  EXPECT_TRUE(refused([](auto* o) { o->outputs = 2; }));
  EXPECT_TRUE(refused([](auto* o) { o->inputs = 4; }));
  EXPECT_TRUE(refused([](auto* o) {  // a row's part of the matrix is too large
    o->result[2] = 10000;
    o->r = {nullptr, 0, 120000, 0, {120000, 10000, 1}};
  }));
  EXPECT_TRUE(refused([](auto* o) { o->r.output = 100; }));  // results overlap as matrices
  EXPECT_TRUE(refused([](auto* o) { o->w.plane[1] = 4; }));
}

}  // namespace

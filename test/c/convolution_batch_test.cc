// Which of Torch7's convolutions are computed as batches.

#include <gtest/gtest.h>

#include "cpu/convolution_batch.h"

namespace {

using th::DType;

TEST(ConvolutionBatch, BatchesAreForManyPlanes) {
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
  EXPECT_TRUE(th::is_batch_faster(c));
  auto refused = [&](auto change) {
    th::ConvolutionCall other = c;
    change(&other);
    return !th::is_batch_faster(other);
  };
  EXPECT_TRUE(refused([](auto* o) { o->kind = th::ConvolutionKind::full; }));
  EXPECT_TRUE(refused([](auto* o) { o->dtype = DType::Int; }));
  EXPECT_TRUE(refused([](auto* o) { o->outputs = 2; }));
  EXPECT_TRUE(refused([](auto* o) { o->result[1] = 1; }));
  EXPECT_TRUE(refused([](auto* o) { o->w.output = 0; }));
  EXPECT_TRUE(refused([](auto* o) { o->t.output = 196; }));
  EXPECT_TRUE(refused([](auto* o) { o->t.input = 0; }));
  // Groups of one image and the same kernels.
  EXPECT_TRUE(refused([](auto* o) { o->groups = 2; }));
}

}  // namespace

// Fused expressions on a device against the CPU: one call of the device's
// kernel gives the CPU's bits. The functions in the expressions are exact on
// all devices.

#include <cmath>
#include <limits>
#include <stdexcept>

#include "fuse/expression.h"
#include "fuse/fuse_program.h"
#include "on_soft_device.h"

namespace {

using namespace core;

class FusedDevice : public OnSoftDevice {
 protected:
  // Runs the expression, whose operands a, b and c occur in this order, by one
  // call.
  void check(const char* text, DType type, const Shape& size, Layout layout) {
    const th::Expression e(text);
    TensorRef expected = run(e, type, size, layout, nullptr);
    TensorRef got = run(e, type, size, layout, device_);
    ASSERT_TRUE(is_there(*got)) << text;
    ASSERT_EQ(shape(*expected), shape(*got));
    const std::vector<double> a = values(*expected), b = values(*got);
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE((a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])) ||
                  (std::isnan(a[i]) && std::isnan(b[i])))
          << text << " of " << th::name(type) << shape_text(*got) << " at " << i << ": " << a[i]
          << " and " << b[i];
    }
  }

 private:
  TensorRef run(const th::Expression& e, DType type, const Shape& size, Layout layout,
                th::Device* device) {
    const int64_t columns = size.back();
    std::vector<TensorRef> operands;
    operands.push_back(make(type, size, layout));
    operands.push_back(make(type, size, Layout::contiguous));
    operands.push_back(make(type, {columns}, Layout::spaced));
    std::vector<TensorRef> leaves(e.nodes.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      fill(*operands[k], [&](int64_t i) {
        const int64_t n = static_cast<int64_t>(k) * 1000 + i;
        return th::is_integral(type) ? static_cast<double>(n * 37 % 120) : element(n);
      });
      if (device) operands[k] = sent(std::move(operands[k]));
    }
    for (size_t k = 0; k < e.nodes.size(); ++k) {
      if (e.nodes[k].kind != th::ExpressionNode::operand) continue;
      leaves[k] = TensorRef(th::tensor_new_view(operands[e.nodes[k].index].get()));
    }
    th::FusedProgram program(e, e.root, leaves);
    if (!program.fits()) throw std::runtime_error("the expression is too long");
    TensorRef r = make(type, size, Layout::contiguous);
    EXPECT_TRUE(program.run(r.get(), static_cast<int>(size.size()), size.data(), device));
    return r;
  }
  static double element(int64_t i) {
    if (i % 11 == 3) return std::numeric_limits<double>::quiet_NaN();
    return i % 5 ? (noise(i) - 0.5) * 8 : 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, FusedDevice, testing::ValuesIn(kSettings), setting_name);

TEST_P(FusedDevice, ElementsOfEveryTypeAndLayout) {
  const char* const texts[] = {"a*b + c", "where(a > b, sqrt(abs(a))*c, a - b)",
                               "cmax(a, b)*cmin(b, c) - floor(a*3)/(b + 2)", "(a < c) + (b >= c)*2",
                               "a + b*c + (a + b)*(a + c)*(b + c)"};
  for (const char* text : texts) {
    for (DType type : {DType::Half, DType::BFloat16, DType::Float, DType::Double}) {
      for (Layout layout : kLayouts) {
        for (const Shape& size : {Shape{1}, Shape{5}, Shape{64}, Shape{7, 30}, Shape{2, 3, 8}}) {
          check(text, type, size, layout);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// All sums are needed until the end, so a block has fewer threads.
TEST_P(FusedDevice, ManyBuffers) {
  std::string product, sum;
  for (int k = 1; k <= 20; ++k) {
    const std::string term = "(a + " + std::to_string(k) + ")";
    product += (k > 1 ? "*" : "") + term;
    sum += (k > 1 ? " + " : "") + term;
  }
  const std::string text = product + " - (" + sum + ")*b + c";
  check(text.c_str(), DType::Double, {300}, Layout::contiguous);
  check(text.c_str(), DType::Float, {3, 1001}, Layout::spaced);
}

// Their results wrap around after each step.
TEST_P(FusedDevice, Integers) {
  const char* const texts[] = {"a*b + c", "where(a > b, abs(a)*c, a - b)*2",
                               "cmax(a, b) - cmin(b, c) + (a < c)",
                               "(a*b*c == a) + cbitand(b, c)/3", "clamp(a + b*c, 3, 50) % 7"};
  for (const char* text : texts) {
    for (DType type : {DType::Byte, DType::Char, DType::Short, DType::Int, DType::Long}) {
      if (type == DType::Byte && std::string(text).find("abs") != std::string::npos) continue;
      for (Layout layout : kLayouts) {
        for (const Shape& size : {Shape{1}, Shape{7, 30}, Shape{2, 3, 8}}) {
          check(text, type, size, layout);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace

// Indices that Lua numbers cannot represent. Lua tests compare all other results with references.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "elements.h"
#include "ops/ops.h"

namespace {

using namespace elements;

// Returns a tensor with the elements 1, 2, ...
TensorRef counting(DType type, const Shape& size) {
  TensorRef t = make(type, size);
  fill(t, [](int64_t i) { return i + 1; });
  return t;
}

// Returns the error's text. The tensor must be unchanged.
std::string error_of(const TensorRef& untouched, const std::function<void()>& call) {
  Values before = values(untouched);
  try {
    call();
  } catch (const th::Error& error) {
    EXPECT_EQ(values(untouched), before);
    return error.what();
  }
  return "no error";
}

TEST(Index, BadIndicesAreNamedBeforeAnythingIsWritten) {
  TensorRef t = counting(DType::Float, {2, 2}), src = counting(DType::Float, {2, 2});
  TensorRef r = counting(DType::Float, {2, 2});
  for (int64_t wrong : {int64_t{3}, int64_t{0}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    TensorRef index = make(DType::Long, {2}), square = make(DType::Long, {1, 2});
    for (const TensorRef* i : {&index, &square}) {
      auto* data = (*i)->data_as<int64_t>(th::Access::write);
      data[0] = 1;
      data[1] = wrong;
    }
    std::string wanted = "index " + std::to_string(wrong) + " is out of range of dimension 2";
    auto check = [&](const TensorRef& untouched, const std::function<void()>& call) {
      EXPECT_NE(error_of(untouched, call).find(wanted), std::string::npos)
          << error_of(untouched, call);
    };
    check(r, [&] { th::ops::indexSelect(r.get(), t.get(), 1, index.get()); });
    check(t, [&] { th::ops::indexCopy(t.get(), 1, index.get(), src.get()); });
    check(t, [&] { th::ops::indexAdd(t.get(), 1, index.get(), src.get()); });
    check(t, [&] { th::ops::indexFill(t.get(), 1, index.get(), 0); });
    check(r, [&] { th::ops::gather(r.get(), t.get(), 1, square.get()); });
    check(t, [&] { th::ops::scatter(t.get(), 1, square.get(), src.get()); });
    check(t, [&] { th::ops::scatterAdd(t.get(), 1, square.get(), src.get()); });
    check(t, [&] { th::ops::scatterFill(t.get(), 1, square.get(), 0); });
  }
}

}  // namespace

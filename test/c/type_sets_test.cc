// Tables and dispatch over sets of element types.

#include "tensor/type_sets.h"

#include <gtest/gtest.h>

#include <string>

namespace th {
namespace {

template <class T>
DType type_of() {
  return DTypeOf<T>::value;
}

template <class Set>
void expect_table() {
  constexpr auto table = for_types<Set>([](auto zero) { return &type_of<decltype(zero)>; });
  for (int i = 0; i < kDTypes; ++i) {
    auto type = static_cast<DType>(i);
    ASSERT_EQ(table[type] != nullptr, Set::contains(type)) << name(type);
    EXPECT_EQ(table[type] ? table[type]() : type, type);
  }
}

template <class Set>
std::string names() {
  std::string all;
  for (int i = 0; i < kDTypes; ++i) {
    dispatch_types<Set>(static_cast<DType>(i), [&](auto zero) {
      all += std::string(name(DTypeOf<decltype(zero)>::value)) + " ";
    });
  }
  return all;
}

TEST(TypeSets, TablesHoldTheTypesOfTheSet) {
  expect_table<AllTypes>();
  expect_table<IntegralTypes>();
  expect_table<FloatingTypes>();
  expect_table<BlasTypes>();
}

TEST(TypeSets, DispatchCallsForTheTypesOfTheSet) {
  EXPECT_EQ(names<AllTypes>(), "Byte Char Short Int Long Half BFloat16 Float Double ");
  EXPECT_EQ(names<IntegralTypes>(), "Byte Char Short Int Long ");
  EXPECT_EQ(names<FloatingTypes>(), "Half BFloat16 Float Double ");
  EXPECT_EQ(names<BlasTypes>(), "Float Double ");
}

TEST(TypeSets, DispatchBySize) {
  for (size_t bytes : {1, 2, 4, 8, 16}) {
    size_t got = 0;
    dispatch_size<16>(bytes, [&](auto zero) { got = sizeof(zero); });
    EXPECT_EQ(got, bytes);
    if (bytes == 16) continue;
    got = 0;
    dispatch_size(bytes, [&](auto zero) { got = sizeof(zero); });
    EXPECT_EQ(got, bytes);
  }
}

}  // namespace
}  // namespace th

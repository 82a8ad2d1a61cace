#ifndef TH_TEST_MATRIX_TENSORS_H
#define TH_TEST_MATRIX_TENSORS_H

// Tensors in all layouts, and matrix products by their definition, for the tests of the products.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "amount.h"
#include "ops/ops.h"
#include "tensor/convert.h"

namespace {

using namespace th;

using Sizes64 = std::vector<int64_t>;

inline TensorRef make(DType type, const Sizes64& size) {
  return TensorRef(tensor_new_sized(type, static_cast<int>(size.size()), size.data()));
}

enum Layout { plain, transposed, offset, strided, expanded, kLayouts };

// A tensor of these sizes lying in memory in one of the ways there are.
inline TensorRef make(DType type, Sizes64 size, Layout layout) {
  size_t last = size.size() - 1;
  TensorRef view(tensor_new(type));
  if (layout == transposed && last > 0) {
    std::swap(size[last], size[last - 1]);
    TensorRef t = make(type, size);
    ops::transpose(view.get(), t.get(), -1, -2);
  } else if (layout == offset) {
    Sizes64 wider = size;
    for (int64_t& s : wider) s += 3;
    TensorRef t = make(type, wider);
    ops::zero(t.get());
    ops::set(view.get(), t.get());
    for (size_t d = 0; d <= last; ++d) ops::narrow(view.get(), view.get(), d, 2, size[d]);
  } else if (layout == strided) {
    Sizes64 wider = size;
    wider.push_back(2);
    TensorRef t = make(type, wider);
    ops::select(view.get(), t.get(), -1, 1);
  } else if (layout == expanded) {
    Sizes64 narrower = size;
    narrower[0] = 1;
    TensorRef t = make(type, narrower);
    ops::expand(view.get(), t.get(), {static_cast<int>(size.size()), size.data()});
  } else {
    return make(type, size);
  }
  return view;
}

template <class F>
void for_each_element(Tensor* t, const F& f) {
  char* data = t->data(Access::write);
  int64_t index[3] = {};
  for (int64_t i = 0; i < t->numel(); ++i) {
    int64_t rest = i, place = 0;
    for (int d = t->nDimension - 1; d >= 0; --d) {
      index[d] = rest % t->size[d];
      rest /= t->size[d];
      place += index[d] * t->stride[d];
    }
    f(data + place * static_cast<int64_t>(item_size(t->dtype)), i);
  }
}

// Small integers, whose products every type holds exactly, or numbers that overflow.
inline void fill_random(Tensor* t, std::mt19937& engine, bool small = true) {
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element(t, [&](char* p, int64_t) {
      int64_t bits = static_cast<int64_t>(engine()) << 32 | engine();
      T value;
      if constexpr (std::is_integral_v<T>) {
        value = small ? static_cast<T>(bits % 5 - 2) : static_cast<T>(bits);
      } else {
        value = small ? convert<T>(static_cast<double>(bits % 5 - 2))
                      : convert<T>(static_cast<double>(bits) / 9e18);
      }
      std::memcpy(p, &value, sizeof value);
    });
  });
}

// The elements in order: exact for integers (as their wrapped bits), double otherwise.
struct Values {
  Sizes64 size;
  std::vector<int64_t> i;
  std::vector<double> d;
};

inline Values values(Tensor* t) {
  Values v;
  v.size.assign(t->size, t->size + t->nDimension);
  dispatch(t->dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_element(t, [&](char* p, int64_t) {
      T value;
      std::memcpy(&value, p, sizeof value);
      if constexpr (std::is_integral_v<T>) {
        v.i.push_back(value);
      } else {
        v.d.push_back(load(value));
      }
    });
  });
  return v;
}

struct Dims {
  int64_t batches, m, n, k;
};

// beta t + alpha a b by the definition; sum: over the batches.
inline Values naive(DType type, const Sizes64& size, double beta, const Values* t, double alpha,
                    const Values& a, const Values& b, Dims s, bool sum) {
  Values r;
  r.size = size;
  int64_t results = sum ? 1 : s.batches;
  for (int64_t batch = 0; batch < results; ++batch) {
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        uint64_t whole = 0;
        double real = 0;
        for (int64_t p = sum ? 0 : batch; p < (sum ? s.batches : batch + 1); ++p) {
          for (int64_t k = 0; k < s.k; ++k) {
            size_t x = (p * s.m + i) * s.k + k, y = (p * s.k + k) * s.n + j;
            if (is_integral(type)) {
              whole += static_cast<uint64_t>(a.i[x]) * static_cast<uint64_t>(b.i[y]);
            } else {
              real += a.d[x] * b.d[y];
            }
          }
        }
        size_t at = (batch * s.m + i) * s.n + j;
        if (is_integral(type)) {
          uint64_t value = static_cast<uint64_t>(static_cast<int64_t>(alpha)) * whole;
          if (t && beta != 0) {
            value +=
                static_cast<uint64_t>(static_cast<int64_t>(beta)) * static_cast<uint64_t>(t->i[at]);
          }
          dispatch(type, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_integral_v<T>) r.i.push_back(static_cast<T>(value));
          });
        } else {
          r.d.push_back(alpha * real + (t && beta != 0 ? beta * t->d[at] : 0));
        }
      }
    }
  }
  return r;
}

inline double tolerance(DType type, int64_t terms) {
  double epsilon = type == DType::Half       ? 1.0 / 1024
                   : type == DType::BFloat16 ? 1.0 / 128
                   : type == DType::Float    ? 1.2e-7 * static_cast<double>(terms + 4)
                                             : 2.3e-16 * static_cast<double>(terms + 4);
  return epsilon;
}

inline void expect_values(const Values& got, const Values& wanted, DType type, int64_t terms,
                          const std::string& what) {
  ASSERT_EQ(got.size, wanted.size) << what;
  ASSERT_EQ(got.i, wanted.i) << what;
  ASSERT_EQ(got.d.size(), wanted.d.size()) << what;
  for (size_t k = 0; k < got.d.size(); ++k) {
    double bound = tolerance(type, terms) * (1 + std::fabs(wanted.d[k]));
    ASSERT_NEAR(got.d[k], wanted.d[k], bound) << what << ", element " << k;
  }
}

class Matrix : public ::testing::TestWithParam<DType> {
 protected:
  DType type() const { return GetParam(); }
  std::mt19937 engine{7};
};
inline std::string type_name(const ::testing::TestParamInfo<DType>& info) {
  return name(info.param);
}

const auto kIntegers =
    ::testing::Values(DType::Byte, DType::Char, DType::Short, DType::Int, DType::Long);
const auto kFloats = ::testing::Values(DType::Half, DType::BFloat16, DType::Float, DType::Double);
}  // namespace

#endif

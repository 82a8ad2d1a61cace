// Convolutions of tensors and of plain memory against plain loops.

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "TH.h"
#include "base/error.h"
#include "core_tensors.h"
#include "cpu/parallel.h"
#include "reduce_expect.h"

namespace {

using namespace core;
namespace ops = th::ops;
using List = std::vector<double>;

struct Plane {
  int64_t size[3];
  List data;
  double at(int64_t z, int64_t y, int64_t x) const {
    bool inside = z >= 0 && y >= 0 && x >= 0 && z < size[0] && y < size[1] && x < size[2];
    return inside ? data[static_cast<size_t>((z * size[1] + y) * size[2] + x)] : 0;
  }
};

enum class Kind { valid, full, dilated };
struct Mode {
  Kind kind;
  bool convolution;
  int64_t step[3];
};

// The definition: which image element meets a kernel element at a result, if any.
Plane convolve(const Plane& t, const Plane& k, const Mode& m) {
  Plane r;
  for (int d = 0; d < 3; ++d) {
    r.size[d] = m.kind == Kind::valid  ? (t.size[d] - k.size[d]) / m.step[d] + 1
                : m.kind == Kind::full ? (t.size[d] - 1) * m.step[d] + k.size[d]
                                       : t.size[d] - (k.size[d] - 1) * m.step[d];
  }
  auto meets = [&](int d, int64_t o, int64_t i) -> int64_t {
    if (m.kind == Kind::valid) return o * m.step[d] + i;
    if (m.kind == Kind::dilated) return o + i * m.step[d];
    return (o - i) % m.step[d] ? -1 : (o - i < 0 ? -1 : (o - i) / m.step[d]);
  };
  bool turned = m.kind == Kind::full ? !m.convolution : m.convolution;
  for (int64_t z = 0; z < r.size[0]; ++z) {
    for (int64_t y = 0; y < r.size[1]; ++y) {
      for (int64_t x = 0; x < r.size[2]; ++x) {
        double sum = 0;
        for (int64_t a = 0; a < k.size[0]; ++a) {
          for (int64_t b = 0; b < k.size[1]; ++b) {
            for (int64_t c = 0; c < k.size[2]; ++c) {
              double w = turned ? k.at(k.size[0] - 1 - a, k.size[1] - 1 - b, k.size[2] - 1 - c)
                                : k.at(a, b, c);
              sum += w * t.at(meets(0, z, a), meets(1, y, b), meets(2, x, c));
            }
          }
        }
        r.data.push_back(sum);
      }
    }
  }
  return r;
}

int64_t last(const Tensor& t, int dims, int d) {
  return d < 3 - dims ? 1 : t.size[t.nDimension - 3 + d];
}
// Plane number p of t.
Plane plane_of(const Tensor& t, int dims, int64_t p) {
  Plane plane = {{last(t, dims, 0), last(t, dims, 1), last(t, dims, 2)}, {}};
  int64_t n = plane.size[0] * plane.size[1] * plane.size[2];
  for (int64_t i = 0; i < n; ++i) plane.data.push_back(get(t, p * n + i));
  return plane;
}

double small(int64_t i) { return static_cast<double>(i * 7 % 4); }
double one_or_two(int64_t i) { return static_cast<double>(1 + i * 5 % 2); }

using Pairs = std::vector<std::vector<std::pair<int64_t, int64_t>>>;  // image, kernel; by result

struct Case {
  const char* name;
  int dims;
  Shape image, kernel, leading;  // leading: the result's planes
  bool dilated;
  void (*images)(Tensor*, th::Scalar, th::Scalar, Tensor*, Tensor*, int64_t, int64_t, char, char);
  void (*volumes)(Tensor*, th::Scalar, th::Scalar, Tensor*, Tensor*, int64_t, int64_t, int64_t,
                  char, char);
};

Pairs pairs_of(const Case& c) {
  Pairs pairs;
  const Shape &t = c.image, &k = c.kernel;
  int64_t planes = 1;
  for (int64_t n : c.leading) planes *= n;
  std::string name = std::string(c.name).substr(6);
  for (int64_t o = 0; o < planes; ++o) {
    pairs.emplace_back();
    auto add = [&](int64_t p, int64_t q) { pairs.back().push_back({p, q}); };
    if (name == "mul" || name == "cmul") add(o, o);
    for (int64_t p = 0; name == "mv" && p < t[0]; ++p) add(p, o * t[0] + p);
    for (int64_t p = 0; name == "mm" && p < t[1]; ++p) {
      add(o / k[0] * t[1] + p, o % k[0] * t[1] + p);
    }
    if (name == "ger" || name == "Revger") add(o % t[0], o / t[0]);
    for (int64_t b = 0; name == "Revgerm" && b < t[0]; ++b) {
      add(b * t[1] + o % t[1], b * k[1] + o / t[1]);
    }
  }
  return pairs;
}

template <auto operation>
void without_mode(Tensor* r, th::Scalar beta, th::Scalar alpha, Tensor* t, Tensor* k, int64_t y,
                  int64_t x, char, char) {
  operation(r, beta, alpha, t, k, y, x);
}
template <auto operation>
void without_mode_3d(Tensor* r, th::Scalar beta, th::Scalar alpha, Tensor* t, Tensor* k, int64_t z,
                     int64_t y, int64_t x, char, char) {
  operation(r, beta, alpha, t, k, z, y, x);
}

const Case kCases[] = {
    {"conv2Dmul", 2, {7, 24}, {2, 3}, {}, false, ops::conv2Dmul, nullptr},
    {"conv2Dcmul", 2, {2, 6, 5}, {2, 3, 2}, {2}, false, ops::conv2Dcmul, nullptr},
    {"conv2Dmv", 2, {3, 5, 19}, {5, 3, 2, 3}, {5}, false, ops::conv2Dmv, nullptr},
    {"conv2Dmv", 2, {2, 2, 71}, {5, 2, 1, 3}, {5}, false, ops::conv2Dmv, nullptr},
    {"conv2Dmm", 2, {2, 3, 5, 4}, {6, 3, 2, 2}, {2, 6}, false, ops::conv2Dmm, nullptr},
    {"conv2Dger", 2, {3, 5, 6}, {4, 2, 3}, {4, 3}, false, ops::conv2Dger, nullptr},
    {"conv2DRevger",
     2,
     {3, 7, 9},
     {2, 2, 3},
     {2, 3},
     true,
     without_mode<ops::conv2DRevger>,
     nullptr},
    {"conv2DRevgerm",
     2,
     {2, 3, 7, 9},
     {2, 4, 2, 3},
     {4, 3},
     true,
     without_mode<ops::conv2DRevgerm>,
     nullptr},
    {"conv3Dmul", 3, {4, 5, 18}, {2, 3, 2}, {}, false, nullptr, ops::conv3Dmul},
    {"conv3Dcmul", 3, {2, 3, 4, 5}, {2, 2, 1, 3}, {2}, false, nullptr, ops::conv3Dcmul},
    {"conv3Dmv", 3, {2, 3, 4, 5}, {5, 2, 2, 2, 3}, {5}, false, nullptr, ops::conv3Dmv},
    {"conv3Dger", 3, {2, 3, 4, 5}, {3, 2, 2, 2}, {3, 2}, false, nullptr, ops::conv3Dger},
    {"conv3DRevger",
     3,
     {2, 4, 5, 7},
     {3, 2, 2, 3},
     {3, 2},
     true,
     nullptr,
     without_mode_3d<ops::conv3DRevger>},
};

void call(const Case& c, Tensor* r, double beta, double alpha, Tensor* t, Tensor* k,
          const Mode& m) {
  char vf = m.kind == Kind::full ? 'F' : 'V', xc = m.convolution ? 'C' : 'X';
  if (c.images) {
    c.images(r, beta, alpha, t, k, m.step[1], m.step[2], vf, xc);
  } else {
    c.volumes(r, beta, alpha, t, k, m.step[0], m.step[1], m.step[2], vf, xc);
  }
}

void check(const Case& c, DType type, Layout layout, const Mode& m) {
  // Char holds no more than 127.
  bool narrow = type == DType::Char;
  TensorRef t = make(type, c.image, layout), k = make(type, c.kernel, layout);
  fill(*t, narrow ? [](int64_t i) { return small(i) > 1 ? 1.0 : 0.0; } : small);
  fill(*k, narrow ? [](int64_t i) { return static_cast<double>(i % 2); } : one_or_two);
  List sums;
  Shape size = c.leading;
  Plane plane;
  for (const auto& list : pairs_of(c)) {
    List sum;
    for (auto [p, q] : list) {
      plane = convolve(plane_of(*t, c.dims, p), plane_of(*k, c.dims, q), m);
      sum.resize(plane.data.size());
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += plane.data[i];
    }
    sums.insert(sums.end(), sum.begin(), sum.end());
  }
  for (int d = 3 - c.dims; d < 3; ++d) size.push_back(plane.size[d]);
  std::string what = std::string(c.name) + " of " + th::name(type) + ", layout " +
                     std::to_string(static_cast<int>(layout)) + ", kind " +
                     std::to_string(static_cast<int>(m.kind)) + ", step " +
                     std::to_string(m.step[2]);
  TensorRef fresh = empty(type);
  call(c, fresh.get(), 1, 2, t.get(), k.get(), m);
  ASSERT_EQ(size, shape(*fresh)) << what;
  for (size_t i = 0; i < sums.size(); ++i) {
    expect_near(held(type, 2 * sums[i]), get(*fresh, static_cast<int64_t>(i)), type, what);
  }
  TensorRef added = make(type, size, layout == Layout::expanded ? Layout::contiguous : layout);
  fill(*added, [](int64_t i) { return static_cast<double>(i % 5); });
  call(c, added.get(), 3, 1, t.get(), k.get(), m);
  for (size_t i = 0; i < sums.size(); ++i) {
    double want = held(type, sums[i] + 3 * static_cast<double>(i % 5));
    expect_near(want, get(*added, static_cast<int64_t>(i)), type, what + ", added");
  }
}

TEST(Convolution, OfTensorsAgainstLoops) {
  int round = 0;
  for (const Case& c : kCases) {
    for (DType type : kAllTypes) {
      for (Layout layout : kLayouts) {
        for (Kind kind : {Kind::valid, Kind::full, Kind::dilated}) {
          if (c.dilated != (kind == Kind::dilated)) continue;
          for (const auto& step : {Shape{1, 1, 1}, Shape{2, 3, 2}, Shape{1, 2, 5}}) {
            if (kind == Kind::dilated && step[2] == 5) continue;  // larger than the images
            for (bool convolution : {false, true}) {
              if (convolution && kind == Kind::dilated) continue;
              if (left_out(round++, 13)) continue;
              check(c, type, layout, {kind, convolution, {step[0], step[1], step[2]}});
              if (testing::Test::HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

// Enough planes for matrix products to be faster.
const Case kManyPlanes[] = {
    {"conv2Dmv", 2, {64, 12, 13}, {48, 64, 3, 2}, {48}, false, ops::conv2Dmv, nullptr},
    {"conv2Dmm", 2, {2, 64, 9, 11}, {40, 64, 2, 3}, {2, 40}, false, ops::conv2Dmm, nullptr},
    {"conv3Dmv", 3, {40, 5, 6, 7}, {32, 40, 2, 2, 3}, {32}, false, nullptr, ops::conv3Dmv},
};

TEST(Convolution, OfManyPlanesAgainstLoops) {
  int round = 0;
  for (const Case& c : kManyPlanes) {
    for (DType type : {DType::Float, DType::Double}) {
      for (Layout layout : {Layout::contiguous, Layout::permuted, Layout::spaced}) {
        for (const auto& step : {Shape{1, 1, 1}, Shape{1, 2, 3}}) {
          for (bool convolution : {false, true}) {
            bool plain = step[2] == 1 && !convolution;
            if (layout != Layout::contiguous && !plain) continue;
            if (left_out(round++, 5)) continue;
            check(c, type, layout, {Kind::valid, convolution, {step[0], step[1], step[2]}});
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Convolution, OfManyPlanesDoNotDependOnThreads) {
  for (const Case& c : kManyPlanes) {
    TensorRef t = make(DType::Float, c.image), k = make(DType::Float, c.kernel);
    fill(*t, [](int64_t i) { return std::sin(static_cast<double>(i)); });
    fill(*k, [](int64_t i) { return std::cos(static_cast<double>(i)); });
    TensorRef r[] = {empty(DType::Float), empty(DType::Float)};
    for (int threads : {1, 2}) {
      th::set_num_threads(threads);
      call(c, r[threads - 1].get(), 0, 1, t.get(), k.get(), {Kind::valid, false, {1, 1, 1}});
    }
    for (int64_t i = 0; i < r[0]->numel(); ++i) ASSERT_EQ(get(*r[0], i), get(*r[1], i)) << c.name;
  }
}

TEST(Convolution, InfinityMeetsOnlyWhatItMeets) {
  double infinity = std::numeric_limits<double>::infinity();
  for (DType type : kRealTypes) {
    TensorRef t = vector(type, {1, 2, 3}), k = vector(type, {1, infinity}), r = empty(type);
    int64_t row[] = {1, 3}, pair[] = {1, 2};
    ops::view(t.get(), t.get(), {2, row});
    ops::view(k.get(), k.get(), {2, pair});
    ops::conv2(r.get(), t.get(), k.get(), 'F');
    EXPECT_EQ((List{1, infinity, infinity, infinity}), values(*r));
  }
}

TEST(Convolution, ResultsThatAreOperands) {
  for (int which : {0, 1}) {
    TensorRef t = make(DType::Float, {4, 4}), k = make(DType::Float, {2, 2}),
              want = empty(t->dtype);
    fill(*t, small);
    fill(*k, one_or_two);
    ops::conv2(want.get(), t.get(), k.get(), 'F');
    Tensor* r = which ? k.get() : t.get();
    ops::conv2(r, t.get(), k.get(), 'F');
    EXPECT_EQ(values(*want), values(*r));
    EXPECT_EQ(shape(*want), shape(*r));
  }
}

TEST(Convolution, OldElementsCountWhereTheirNumberAgrees) {
  TensorRef t = make(DType::Float, {3, 3}), k = make(DType::Float, {2, 2});
  fill(*t, [](int64_t) { return 1.0; });
  fill(*k, [](int64_t) { return 1.0; });
  TensorRef r = vector(DType::Float, {1, 2, 3, 4});
  ops::conv2Dmul(r.get(), 10, 1, t.get(), k.get(), 1, 1, 'V', 'X');
  EXPECT_EQ((List{14, 24, 34, 44}), values(*r));
  TensorRef other = vector(DType::Float, {1, 2, 3});
  ops::conv2Dmul(other.get(), 10, 1, t.get(), k.get(), 1, 1, 'V', 'X');
  EXPECT_EQ((List{4, 4, 4, 4}), values(*other));
}

TEST(Convolution, Maps) {
  for (DType type : kAllTypes) {
    TensorRef t = make(type, {3, 4, 5}), k = make(type, {3, 2, 2}), r = make(type, {3, 3, 4});
    fill(*t, small);
    fill(*k, one_or_two);
    fill(*r, [](int64_t) { return 2.0; });
    TensorRef map = vector(type, {3, 1, 1, 1, 2, 3});
    int64_t size[] = {3, 2};
    ops::view(map.get(), map.get(), {2, size});
    ops::conv2Dmap(r.get(), 2, 3, t.get(), k.get(), map.get(), 1, 1, 'V', 'C');
    Mode mode = {Kind::valid, true, {1, 1, 1}};
    int64_t n = 12;
    for (int64_t o = 0; o < 3; ++o) {
      List sum(static_cast<size_t>(n));
      for (int64_t i = 0; i < 3; ++i) {
        if (get(*map, 2 * i + 1) != static_cast<double>(o + 1)) continue;
        auto from = static_cast<int64_t>(get(*map, 2 * i)) - 1;
        Plane part = convolve(plane_of(*t, 2, from), plane_of(*k, 2, i), mode);
        for (size_t x = 0; x < sum.size(); ++x) sum[x] += 3 * part.data[x];
      }
      for (size_t x = 0; x < sum.size(); ++x) {
        double got = get(*r, o * n + static_cast<int64_t>(x));
        EXPECT_EQ(held(type, sum[x] + 4), got) << th::name(type);
      }
    }
  }
  TensorRef t = make(DType::Float, {2, 2, 3, 4}), k = make(DType::Float, {2, 1, 2, 2}),
            r = empty(t->dtype);
  fill(*t, small);
  fill(*k, one_or_two);
  TensorRef map = vector(DType::Float, {2, 1});
  int64_t size[] = {1, 2};
  ops::view(map.get(), map.get(), {2, size});
  ops::conv3Dmap(r.get(), 0, 1, t.get(), k.get(), map.get(), 1, 1, 1, 'F', 'X');
  Plane want = convolve(plane_of(*t, 3, 1), plane_of(*k, 3, 0), {Kind::full, false, {1, 1, 1}});
  EXPECT_EQ(want.data, plane_of(*r, 3, 0).data);
  EXPECT_EQ(List(want.data.size(), 0), plane_of(*r, 3, 1).data);
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const th::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Convolution, Errors) {
  TensorRef r = vector(DType::Float, {5}), image = make(DType::Float, {3, 4}),
            kernel = make(DType::Float, {2, 5}), planes = make(DType::Float, {2, 5, 5}),
            kernels = make(DType::Float, {4, 3, 2, 2}), none = make(DType::Float, {0, 2});
  fill(*r, [](int64_t) { return 5.0; });
  auto mul = [&](Tensor* t, Tensor* k, int64_t step, char vf, char xc) {
    return error_of([&] { ops::conv2Dmul(r.get(), 0, 1, t, k, step, 1, vf, xc); });
  };
  EXPECT_EQ("the image is smaller than the kernel: image [3 x 4], kernel [2 x 5]",
            mul(image.get(), kernel.get(), 1, 'V', 'X'));
  EXPECT_EQ("type of convolution can be 'V' or 'F', got 'Q'",
            mul(image.get(), kernel.get(), 1, 'Q', 'X'));
  EXPECT_EQ("type of convolution can be 'X' or 'C', got 'V'",
            mul(image.get(), kernel.get(), 1, 'V', 'V'));
  EXPECT_EQ("steps of 1 or more expected, got 0", mul(image.get(), kernel.get(), 0, 'F', 'X'));
  EXPECT_EQ("image and kernel need elements, got image [3 x 4], kernel [0 x 2]",
            mul(image.get(), none.get(), 1, 'F', 'X'));
  EXPECT_EQ("a 2D image and a 2D kernel expected, got image [2 x 5 x 5], kernel [2 x 5]",
            mul(planes.get(), kernel.get(), 1, 'F', 'X'));
  EXPECT_NE(std::string::npos,
            mul(image.get(), kernel.get(), INT64_MAX / 2, 'F', 'X').find("is too large"));
  EXPECT_EQ("invalid number of planes: image [2 x 5 x 5], kernel [4 x 3 x 2 x 2]", error_of([&] {
              ops::conv2Dmv(r.get(), 0, 1, planes.get(), kernels.get(), 1, 1, 'V', 'X');
            }));
  EXPECT_EQ(
      "the image is smaller than the kernel in these steps: image [2 x 5 x 5], kernel "
      "[2 x 5 x 5]",
      error_of([&] { ops::conv2DRevger(r.get(), 0, 1, planes.get(), planes.get(), 2, 2); }));
  TensorRef map = vector(DType::Float, {1, 3});
  int64_t size[] = {1, 2};
  ops::view(map.get(), map.get(), {2, size});
  EXPECT_EQ("plane 3 of the map is out of range of 2 planes", error_of([&] {
              ops::conv2Dmap(r.get(), 0, 1, planes.get(), planes.get(), map.get(), 1, 1, 'V', 'X');
            }));
  EXPECT_EQ((List{5}), values(*r));
}

// The C functions, of tensors and of plain memory.
template <class T>
std::vector<T> numbers(size_t n, double (*f)(int64_t)) {
  std::vector<T> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = th::convert<T>(f(static_cast<int64_t>(i)));
  return all;
}
template <class T>
Plane plane_from(const std::vector<T>& data, std::initializer_list<int64_t> size) {
  Plane plane;
  std::copy(size.begin(), size.end(), plane.size);
  for (T x : data) plane.data.push_back(static_cast<double>(th::load(x)));
  return plane;
}

template <class T, class F>
void check_pointers(const char* name, const Plane& want, const F& function) {
  std::vector<T> r(want.data.size() + 1, th::convert<T>(1.0));
  function(r.data());
  for (size_t i = 0; i < want.data.size(); ++i) {
    EXPECT_EQ(th::load(th::convert<T>(1 + 2 * want.data[i])), th::load(r[i])) << name << ' ' << i;
  }
  EXPECT_EQ(1, static_cast<double>(th::load(r.back()))) << name;
}

#define CHECK_POINTERS_2D(Name, function, kind, convolution)                                  \
  check_pointers<T>(#function, convolve(image, kernel, {Kind::kind, convolution, {1, 2, 3}}), \
                    [&](T* r) {                                                               \
                      TH##Name##Tensor_##function(cast(r), number, cast(t.data()), 7, 9,      \
                                                  cast(k.data()), 2, 3, 2, 3);                \
                    })
#define CHECK_POINTERS_3D(Name, function, kind, convolution)                                 \
  check_pointers<T>(#function, convolve(volume, cube, {Kind::kind, convolution, {2, 1, 3}}), \
                    [&](T* r) {                                                              \
                      TH##Name##Tensor_##function(cast(r), number, cast(t.data()), 3, 3, 7,  \
                                                  cast(k.data()), 2, 1, 3, 2, 1, 3);         \
                    })
#define TH_TYPE(Name, real, ...)                                               \
  TEST(ConvolutionPointers, Name) {                                            \
    using T = th::ElementOf<DType::Name>::Type;                                \
    auto cast = [](T* p) { return reinterpret_cast<real*>(p); };               \
    real number;                                                               \
    T two = th::convert<T>(2.0);                                               \
    std::memcpy(&number, &two, sizeof(two));                                   \
    std::vector<T> t = numbers<T>(63, small), k = numbers<T>(6, one_or_two);   \
    Plane image = plane_from(t, {1, 7, 9}), kernel = plane_from(k, {1, 2, 3}); \
    Plane volume = plane_from(t, {3, 3, 7}), cube = plane_from(k, {2, 1, 3});  \
    CHECK_POINTERS_2D(Name, validXCorr2Dptr, valid, false);                    \
    CHECK_POINTERS_2D(Name, validConv2Dptr, valid, true);                      \
    CHECK_POINTERS_2D(Name, fullXCorr2Dptr, full, false);                      \
    CHECK_POINTERS_2D(Name, fullConv2Dptr, full, true);                        \
    CHECK_POINTERS_2D(Name, validXCorr2DRevptr, dilated, false);               \
    CHECK_POINTERS_3D(Name, validXCorr3Dptr, valid, false);                    \
    CHECK_POINTERS_3D(Name, validConv3Dptr, valid, true);                      \
    CHECK_POINTERS_3D(Name, fullXCorr3Dptr, full, false);                      \
    CHECK_POINTERS_3D(Name, fullConv3Dptr, full, true);                        \
    CHECK_POINTERS_3D(Name, validXCorr3DRevptr, dilated, false);               \
  }
#include "THTypes.def"
#undef TH_TYPE

TEST(ConvolutionPointers, TensorsOfC) {
  THFloatTensor *t = THFloatTensor_newWithSize3d(2, 4, 4),
                *k = THFloatTensor_newWithSize4d(3, 2, 2, 2), *r = THFloatTensor_new();
  THFloatTensor_fill(t, 1);
  THFloatTensor_fill(k, 0.5F);
  THFloatTensor_conv2Dmv(r, 0, 1, t, k, 1, 1, "V", "X");
  EXPECT_EQ(3, r->size[0]);
  EXPECT_EQ(3, r->size[2]);
  EXPECT_EQ(4, THFloatTensor_get3d(r, 2, 2, 2));
  THFloatTensor_free(t);
  THFloatTensor_free(k);
  THFloatTensor_free(r);
}

}  // namespace

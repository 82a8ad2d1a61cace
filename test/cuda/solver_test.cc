// The CUDA plugin's calls of cuSOLVER, cuBLAS and cuFFT, on fake libraries that compute with
// LAPACK: arguments, workspaces and errors.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cuda/batch_pointers.h"
#include "cuda/dynamic_library.h"
#include "cuda/solver.h"
#include "fake_runtime.h"
#include "fake_solver.h"
#include "simt/device_lapack.h"
#include "simt/device_matrices.h"

namespace th {

// Kernels, which need a compiler for GPUs.
cudaError_t probe_kernel() { return cudaSuccess; }
void run_device_op(Queue&, int, const void*) {}
void write_pointers(Queue&, void** to, char* first, int64_t step, int64_t count) {
  for (int64_t k = 0; k < count; ++k) to[k] = first + k * step;
}

namespace device_matrices {

TemporaryMatrices::TemporaryMatrices(Queue& queue, DType dtype, int64_t count, int rows, int cols)
    : memory_(queue, static_cast<size_t>(count * rows * cols) * item_size(dtype)),
      matrices_{dtype, memory_.as<char>(), count, int64_t{rows} * cols, rows, cols, rows} {}

void copy(Queue&, const Matrices& to, const Matrices& from, bool transpose, Part) {
  const size_t item = item_size(to.dtype);
  auto at = [&](const Matrices& a, int64_t k, int64_t i, int64_t j) {
    return a.data + static_cast<size_t>(k * a.step + i + j * a.ld) * item;
  };
  for (int64_t k = 0; k < to.count; ++k) {
    for (int64_t i = 0; i < to.rows; ++i) {
      for (int64_t j = 0; j < to.cols; ++j) {
        std::copy_n(transpose ? at(from, k, j, i) : at(from, k, i, j), item, at(to, k, i, j));
      }
    }
  }
}

}  // namespace device_matrices

namespace {

namespace lapack = device_lapack;

// Column-major matrices with a number of unused rows.
template <class T>
struct Batch {
  std::vector<T> data;
  Matrices view;
  Batch(int64_t count, int rows, int cols, int unused = 0)
      : data(static_cast<size_t>(count * (rows + unused) * cols)),
        view{sizeof(T) == 4 ? DType::Float : DType::Double,
             reinterpret_cast<char*>(data.data()),
             count,
             int64_t{rows + unused} * cols,
             rows,
             cols,
             rows + unused} {}
  Batch(const Batch& other) : data(other.data), view(other.view) {
    view.data = reinterpret_cast<char*>(data.data());
  }
  Batch& operator=(const Batch& other) {
    data = other.data;
    view = other.view;
    view.data = reinterpret_cast<char*>(data.data());
    return *this;
  }
  T& at(int64_t k, int64_t i, int64_t j) {
    return data[static_cast<size_t>(k * view.step + i + j * view.ld)];
  }
  char* bytes() { return view.data; }
};

template <class T>
class CudaSolver : public testing::Test {
 protected:
  CudaSolver() : queue(*CudaDevice::open(0)) {}
  void TearDown() override {
    const int handles = solver.handles;
    solver = {};
    solver.handles = handles;
  }

  Batch<T> random(int64_t count, int rows, int cols, double diagonal, int unused = 0) {
    Batch<T> a(count, rows, cols, unused);
    for (int64_t k = 0; k < count; ++k) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          const double noise = std::sin(7.0 * k + 3 * (i + j) + i * j);  // symmetric
          a.at(k, i, j) = static_cast<T>(noise + (i == j ? diagonal : 0));
        }
      }
    }
    return a;
  }
  // op(a) * b, for the products of a test.
  Batch<T> product(Batch<T>& a, bool transpose, Batch<T>& b) {
    const int rows = transpose ? a.view.cols : a.view.rows;
    Batch<T> c(a.view.count, rows, b.view.cols);
    for (int64_t k = 0; k < a.view.count; ++k) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < b.view.cols; ++j) {
          double sum = 0;
          for (int p = 0; p < b.view.rows; ++p) {
            sum += static_cast<double>(transpose ? a.at(k, p, i) : a.at(k, i, p)) * b.at(k, p, j);
          }
          c.at(k, i, j) = static_cast<T>(sum);
        }
      }
    }
    return c;
  }
  void expect_same(Batch<T> a, Batch<T> b) {
    for (int64_t k = 0; k < a.view.count; ++k) {
      for (int i = 0; i < a.view.rows; ++i) {
        for (int j = 0; j < a.view.cols; ++j) {
          ASSERT_NEAR(a.at(k, i, j), b.at(k, i, j), sizeof(T) == 4 ? 1e-4 : 1e-12);
        }
      }
    }
  }
  void expect_identity(Batch<T> a) {
    Batch<T> one(a.view.count, a.view.rows, a.view.cols);
    for (int64_t k = 0; k < a.view.count; ++k) {
      for (int i = 0; i < a.view.rows; ++i) one.at(k, i, i) = 1;
    }
    expect_same(a, one);
  }

  Queue& queue;
  FakeSolver& solver = fake(TH_FAKE_SOLVER, "fake_solver");
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaSolver, Types);

// One matrix, a batch of small ones, and a batch of large ones.
constexpr int kBatches[][2] = {{1, 5}, {3, 5}, {2, 260}};

TYPED_TEST(CudaSolver, Systems) {
  for (const auto& batch : kBatches) {
    const int count = batch[0], n = batch[1];
    auto a = this->random(count, n, n, 2.0 * n, 2), b = this->random(count, n, 3, 0, 1);
    auto lu = a, x = b;
    std::vector<int> pivots(static_cast<size_t>(count * n)), info(static_cast<size_t>(count), 7);
    lapack::getrf(this->queue, lu.view, pivots.data(), info.data());
    EXPECT_EQ(info, std::vector<int>(info.size()));
    for (char trans : {'N', 'T'}) {
      x = b;
      lapack::getrs(this->queue, trans, lu.view, pivots.data(), x.view);
      this->expect_same(this->product(a, trans == 'T', x), b);
    }
    for (Part part : {Part::upper, Part::lower}) {
      auto factor = a;
      x = b;
      lapack::potrf(this->queue, factor.view, part, info.data());
      EXPECT_EQ(info, std::vector<int>(info.size()));
      const bool upper = part == Part::upper;
      lapack::trsm(this->queue, part, upper ? 'T' : 'N', 'N', factor.view, x.view);
      lapack::trsm(this->queue, part, upper ? 'N' : 'T', 'N', factor.view, x.view);
      this->expect_same(this->product(a, false, x), b);
    }
  }
}

TYPED_TEST(CudaSolver, Reflectors) {
  for (const auto& batch : kBatches) {
    const int count = batch[0], m = batch[1] + 2, n = batch[1];
    auto a = this->random(count, m, n, 3, 1), q = a;
    Batch<TypeParam> tau(count, n, 1);
    lapack::geqrf(this->queue, q.view, tau.bytes());
    auto r = q, reflectors = q, product = a;
    r.view.rows = n;
    for (int64_t k = 0; k < count; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = j + 1; i < m; ++i) r.at(k, i, j) = 0;
      }
    }
    lapack::orgqr(this->queue, q.view, n, tau.bytes());
    this->expect_identity(this->product(q, true, q));
    this->expect_same(this->product(q, false, r), a);
    lapack::ormqr(this->queue, 'L', 'T', reflectors.view, n, tau.bytes(), product.view);
    product.view.rows = n;
    this->expect_same(product, r);
  }
}

TYPED_TEST(CudaSolver, Eigenvalues) {
  for (int count : {1, 3}) {
    constexpr int n = 6;
    auto a = this->random(count, n, n, 0), v = a, image = a, general = a, vectors = a;
    Batch<TypeParam> values(count, n, 1), pairs(count, 2 * n, 1);
    std::vector<int> info(static_cast<size_t>(count), 7);
    lapack::syevd(this->queue, v.view, Part::upper, true, values.bytes(), info.data());
    EXPECT_EQ(info, std::vector<int>(info.size()));
    this->expect_identity(this->product(v, true, v));
    lapack::geev(this->queue, general.view, pairs.bytes(), vectors.view, info.data());
    EXPECT_EQ(info, std::vector<int>(info.size()));
    auto scaled = v, scaled_vectors = vectors;
    for (int64_t k = 0; k < count; ++k) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          scaled.at(k, i, j) *= values.at(k, j, 0);
          scaled_vectors.at(k, i, j) *= pairs.at(k, j, 0);
          EXPECT_EQ(pairs.at(k, n + j, 0), 0);
        }
      }
    }
    this->expect_same(this->product(a, false, v), scaled);
    this->expect_same(this->product(a, false, vectors), scaled_vectors);
  }
}

// Batches are computed in parts that cuSOLVER accepts and whose workspace is not too large.
TYPED_TEST(CudaSolver, ManySymmetricMatrices) {
  struct {
    int count;
    int64_t most;
    size_t bytes;
    int64_t wanted;
  } cases[] = {{20000, INT64_MAX, 1, 8192}, {8, 4, 1, 4}, {8, 0, 1, 1}, {5, 8, 1 << 27, 2}};
  for (const auto& each : cases) {
    constexpr int n = 3;
    const int count = each.count;
    this->solver.most_matrices = each.most;
    this->solver.rejection = CUSOLVER_STATUS_INVALID_VALUE;
    this->solver.batch_bytes = each.bytes;
    this->solver.largest_batch = 0;
    auto a = this->random(count, n, n, 0), v = a, scaled = a;
    Batch<TypeParam> values(count, n, 1);
    std::vector<int> info(static_cast<size_t>(count), 7);
    lapack::syevd(this->queue, v.view, Part::upper, true, values.bytes(), info.data());
    EXPECT_EQ(this->solver.largest_batch, each.wanted);
    EXPECT_EQ(info, std::vector<int>(info.size()));
    scaled = v;
    for (int64_t k = 0; k < count; ++k) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) scaled.at(k, i, j) *= values.at(k, j, 0);
      }
    }
    this->expect_same(this->product(a, false, v), scaled);
  }
}

// Matrices that cuSOLVER rejects are unsupported on the device, unless the operation has queued
// work.
TYPED_TEST(CudaSolver, LargeMatrices) {
  this->solver.largest_side = 4;
  for (int status : {CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_NOT_SUPPORTED}) {
    this->solver.rejection = status;
    for (bool queued : {false, true}) {
      auto a = this->random(1, 5, 5, 0), before = a;
      Batch<TypeParam> values(1, 5, 1);
      int info = 7;
      work_queued() = queued;
      try {
        lapack::syevd(this->queue, a.view, Part::upper, true, values.bytes(), &info);
        ADD_FAILURE() << "no error";
      } catch (const DeviceFailure& found) {
        EXPECT_EQ(found.status, queued ? kDeviceFailed : kDeviceUnsupported) << found.text;
      }
      EXPECT_EQ(a.data, before.data);
    }
  }
}

TYPED_TEST(CudaSolver, SingularValues) {
  for (const auto& batch : {std::pair{1, 7}, {3, 7}, {2, 40}}) {
    for (int form = 0; form < 3; ++form) {
      const int count = batch.first, m = batch.second, n = 5;
      auto a = this->random(count, m, n, 2), given = a;
      Batch<TypeParam> u(count, m, form == 1 ? m : n), vt(count, n, n), s(count, n, 1);
      std::vector<int> info(static_cast<size_t>(count), 7);
      lapack::gesvd(this->queue, a.view, form == 1, form == 2 ? Matrices() : u.view, s.bytes(),
                    form == 2 ? Matrices() : vt.view, info.data());
      EXPECT_EQ(info, std::vector<int>(info.size()));
      double squares = 0;
      for (TypeParam x : given.data) squares += static_cast<double>(x) * x;
      for (TypeParam x : s.data) squares -= static_cast<double>(x) * x;
      EXPECT_NEAR(squares, 0, 1e-3);
      if (form == 2) continue;
      this->expect_identity(this->product(u, true, u));
      for (int64_t k = 0; k < count; ++k) {
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) vt.at(k, i, j) *= s.at(k, i, 0);
        }
      }
      u.view.cols = n;
      this->expect_same(this->product(u, false, vt), given);
    }
  }
}

// More matrices than a call of cuBLAS accepts.
TYPED_TEST(CudaSolver, ManyMatrices) {
  constexpr int count = 65537, n = 1;
  auto a = this->random(count, n, n, 3), b = this->random(count, n, 2, 0), x = b, lu = a;
  std::vector<int> pivots(count), info(count, 7);
  lapack::getrf(this->queue, lu.view, pivots.data(), info.data());
  EXPECT_EQ(info, std::vector<int>(count));
  lapack::getrs(this->queue, 'N', lu.view, pivots.data(), x.view);
  this->expect_same(this->product(a, false, x), b);
  x = b;
  lapack::trsm(this->queue, Part::upper, 'N', 'N', a.view, x.view);
  this->expect_same(this->product(a, false, x), b);
  auto factor = a;
  info.assign(count, 7);
  lapack::potrf(this->queue, factor.view, Part::upper, info.data());
  EXPECT_EQ(info, std::vector<int>(count));
  this->expect_same(this->product(factor, true, factor), a);
}

// Before its first work an operation can be repeated as it is, later only with new operands.
TYPED_TEST(CudaSolver, OutOfMemory) {
  CudaDevice& device = cuda_device(this->queue);
  FakeRuntime& runtime = fake_runtime();
  for (int count : {1, 3}) {
    auto a = this->random(count, 5, 5, 9), before = a;
    std::vector<int> pivots(static_cast<size_t>(5 * count)), info(static_cast<size_t>(count));
    lapack::getrf(this->queue, a.view, pivots.data(), info.data());  // opens the library
    for (DeviceStatus status : {kDeviceOutOfMemory, kDeviceInterrupted}) {
      a = before;
      device.empty_cache();
      device.begin_operation();
      work_queued() = status == kDeviceInterrupted;
      runtime.memory = runtime.used[0];
      try {
        lapack::getrf(this->queue, a.view, pivots.data(), info.data());
        ADD_FAILURE() << "no error";
      } catch (const DeviceFailure& found) {
        EXPECT_EQ(found.status, status);
        EXPECT_NE(std::string(found.text).find("out of memory"), std::string::npos) << found.text;
      }
      runtime.memory = size_t{1} << 30;
      EXPECT_EQ(a.data, before.data);
    }
  }
}

TYPED_TEST(CudaSolver, Errors) {
  auto a = this->random(1, 4, 4, 5);
  std::vector<int> pivots(4), info(1);
  lapack::getrf(this->queue, a.view, pivots.data(), info.data());
  const int failures[][2] = {{CUSOLVER_STATUS_ALLOC_FAILED, kDeviceInterrupted},
                             {CUSOLVER_STATUS_EXECUTION_FAILED, kDeviceFailed}};
  for (const auto& failure : failures) {
    this->solver.failure = failure[0];
    try {
      lapack::getrf(this->queue, a.view, pivots.data(), info.data());
      ADD_FAILURE() << "no error";
    } catch (const DeviceFailure& found) {
      EXPECT_EQ(found.status, failure[1]);
      EXPECT_NE(std::string(found.text).find("cuSOLVER: getrf: status"), std::string::npos);
    }
  }
}

TEST(CudaLibraries, AMissingOneIsUnsupported) {
  for (const char* file : {"libtensor_none.so.1", TH_FAKE_SOLVER}) {
    DynamicLibrary library(file);
    EXPECT_FALSE(library.find("no_such_function"));
    try {
      library.require();
      ADD_FAILURE() << file;
    } catch (const DeviceFailure& found) {
      EXPECT_EQ(found.status, kDeviceUnsupported);
    }
  }
}

template <class T>
void check_transforms() {
  Queue& queue = *CudaDevice::open(0);
  FakeSolver& transforms = fake(TH_FAKE_TRANSFORMS, "fake_transforms");
  const DType type = sizeof(T) == 4 ? DType::Float : DType::Double;
  for (int64_t n : {2, 5, 8}) {
    constexpr int64_t count = 3;
    const int64_t half = n / 2 + 1;
    std::vector<T> real(static_cast<size_t>(count * n)), back(real.size());
    for (size_t i = 0; i < real.size(); ++i) real[i] = static_cast<T>(std::sin(3.0 * i + 1));
    std::vector<T> from = real, bins(static_cast<size_t>(count * half * 2));
    auto bytes = [](std::vector<T>& data) { return reinterpret_cast<char*>(data.data()); };
    device_fourier::transform(
        queue, {type, FourierKind::real_to_complex, false, n, count, bytes(bins), bytes(from)});
    EXPECT_NEAR(bins[1], 0, 1e-5);
    device_fourier::transform(
        queue, {type, FourierKind::complex_to_real, true, n, count, bytes(back), bytes(bins)});
    for (size_t i = 0; i < real.size(); ++i) {
      EXPECT_NEAR(back[i], real[i] * static_cast<double>(n), 1e-4);
    }
    // In place. The inverse of the transform is n times the input.
    std::vector<T> pairs(static_cast<size_t>(count * n * 2));
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = static_cast<T>(std::cos(2.0 * i));
    std::vector<T> complex = pairs, result(pairs.size());
    for (bool inverse : {false, true}) {
      device_fourier::transform(
          queue, {type, FourierKind::complex, inverse, n, count, bytes(result), bytes(complex)});
      complex = result;
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_NEAR(result[i], pairs[i] * static_cast<double>(n), 1e-4);
    }
  }
  std::vector<T> data(2 * 101);
  const device_fourier::Transforms too_long = {type,
                                               FourierKind::complex,
                                               false,
                                               101,
                                               1,
                                               reinterpret_cast<char*>(data.data()),
                                               reinterpret_cast<char*>(data.data())};
  EXPECT_THROW(device_fourier::transform(queue, too_long), DeviceFailure);
  EXPECT_GT(transforms.calls, 0);
}

TEST(CudaFourier, Transforms) {
  check_transforms<float>();
  check_transforms<double>();
}

// More plans than are kept.
TEST(CudaFourier, ManyLengths) {
  Queue& queue = *CudaDevice::open(0);
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 2; n < 90; ++n) {
      std::vector<double> data(static_cast<size_t>(2 * n), 1);
      char* bytes = reinterpret_cast<char*>(data.data());
      device_fourier::transform(queue,
                                {DType::Double, FourierKind::complex, false, n, 1, bytes, bytes});
    }
  }
}

}  // namespace
}  // namespace th

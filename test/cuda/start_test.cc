// How cuBLAS, cuSOLVER and cuFFT start with little memory, on fake libraries.

#include <cufft.h>
#include <gtest/gtest.h>

#include "cuda/solver.h"
#include "fake_runtime.h"
#include "fake_solver.h"
#include "simt/device_lapack.h"

namespace th {
namespace {

// Expects a failure of f with this status.
template <class F>
void expect_failure(DeviceStatus status, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const DeviceFailure& found) {
    EXPECT_EQ(found.status, status) << found.text;
  }
}

// Libraries report different errors if they have too little memory to start.
class CudaStart : public testing::Test {
 protected:
  CudaStart() : device(*CudaDevice::open(3)) { device.begin_operation(); }
  void TearDown() override { runtime.memory = size_t{1} << 30; }
  void solve() {
    double a[] = {4};
    int pivot = 0, info = 0;
    device_lapack::getrf(device, {DType::Double, reinterpret_cast<char*>(a), 1, 1, 1, 1, 1}, &pivot,
                         &info);
  }
  void transform() {
    double pair[] = {1, 2, 3, 4};
    char* bytes = reinterpret_cast<char*>(pair);
    device_fourier::transform(device,
                              {DType::Double, FourierKind::complex, false, 2, 1, bytes, bytes});
  }
  // f fails with a status that depends on the free memory.
  template <class F>
  void expect_shortage(const F& f) {
    runtime.memory = size_t{512} << 20;
    expect_failure(kDeviceOutOfMemory, f);
    runtime.memory = size_t{4} << 30;
    expect_failure(kDeviceFailed, f);
  }

  CudaDevice& device;
  FakeRuntime& runtime = fake_runtime();
};

TEST_F(CudaStart, Cublas) {
  const auto open = [&] { device.with_cublas([](cublasHandle_t) {}); };
  const int handles = runtime.cublas_handles;
  for (cublasStatus_t status : {CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_INTERNAL_ERROR}) {
    runtime.cublas_creation = status;
    expect_shortage(open);
  }
  EXPECT_EQ(runtime.cublas_handles, handles) << "nothing is destroyed after a failed creation";
  runtime.cublas_creation = CUBLAS_STATUS_SUCCESS;
  runtime.cublas_setup = CUBLAS_STATUS_ALLOC_FAILED;
  static int64_t in_use;
  runtime.before_cublas_destroy = [] { in_use = CudaDevice::open(3)->usage().in_use; };
  const int64_t unused = device.usage().in_use;
  expect_failure(kDeviceOutOfMemory, open);
  runtime.before_cublas_destroy = nullptr;
  EXPECT_GT(in_use, unused) << "the handle is destroyed before its workspace is released";
  EXPECT_EQ(device.usage().in_use, unused);
  EXPECT_EQ(runtime.cublas_handles, handles);
  runtime.cublas_setup = CUBLAS_STATUS_SUCCESS;
  open();
  EXPECT_EQ(runtime.cublas_handles, handles + 1);
}

TEST_F(CudaStart, Cusolver) {
  FakeSolver& solver = fake(TH_FAKE_SOLVER, "fake_solver");
  const auto open = [&] { solve(); };
  const int handles = solver.handles;
  for (int status : {CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_INTERNAL_ERROR}) {
    solver.creation = status;
    expect_shortage(open);
  }
  EXPECT_EQ(solver.handles, handles) << "nothing is destroyed after a failed creation";
  solver.creation = 0;
  solver.parameters = CUSOLVER_STATUS_ALLOC_FAILED;
  expect_failure(kDeviceOutOfMemory, open);
  EXPECT_EQ(solver.handles, handles);
  solver.parameters = 0;
  solver.setup = CUSOLVER_STATUS_ALLOC_FAILED;
  expect_failure(kDeviceOutOfMemory, open);
  EXPECT_EQ(solver.handles, handles);
  solver.setup = 0;
  open();
  EXPECT_EQ(solver.handles, handles + 2) << "the handle and the parameters";
}

TEST_F(CudaStart, Cufft) {
  FakeSolver& transforms = fake(TH_FAKE_TRANSFORMS, "fake_transforms");
  for (int status : {CUFFT_INTERNAL_ERROR, CUFFT_SETUP_FAILED}) {
    transforms.creation = status;
    expect_shortage([&] { transform(); });
  }
  transforms.creation = 0;
  transform();
}

}  // namespace
}  // namespace th

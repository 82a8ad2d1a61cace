// Fourier transforms by cuFFT, loaded on first use.

#include <cufft.h>

#include <algorithm>
#include <tuple>

#include "cuda/dynamic_library.h"
#include "simt/device_lapack.h"

namespace th::device_fourier {

namespace {

#define TH_FOURIER_FUNCTIONS(X) \
  X(cufftCreate)                \
  X(cufftDestroy)               \
  X(cufftSetAutoAllocation)     \
  X(cufftMakePlanMany64)        \
  X(cufftSetStream)             \
  X(cufftSetWorkArea)           \
  X(cufftExecC2C)               \
  X(cufftExecR2C)               \
  X(cufftExecC2R)               \
  X(cufftExecZ2Z)               \
  X(cufftExecD2Z)               \
  X(cufftExecZ2D)

struct Functions {
  DynamicLibrary library;
  TH_FOURIER_FUNCTIONS(TH_DYNAMIC_MEMBER)
  Functions() : library(TH_LIBRARY_FILE("cufft", CUFFT_VER_MAJOR)) {
    TH_FOURIER_FUNCTIONS(TH_DYNAMIC_FIND)
  }
};

const Functions& functions() {
  static const Functions all;
  all.library.require();
  return all;
}

void check(cufftResult status, const char* function) {
  if (status == CUFFT_SUCCESS) return;
  if (status == CUFFT_INVALID_SIZE || status == CUFFT_NOT_SUPPORTED) {
    fail_unsupported("cuFFT does not support a transform of this size");
  }
  const bool no_memory = status == CUFFT_ALLOC_FAILED;
  fail(no_memory ? status_without_memory() : kDeviceFailed, "cuFFT: %s: status %d%s", function,
       static_cast<int>(status), no_memory ? " (out of memory)" : "");
}

cufftType type_of(const Transforms& t) {
  const bool is_float = t.dtype == DType::Float;
  switch (t.kind) {
    case FourierKind::complex:
      return is_float ? CUFFT_C2C : CUFFT_Z2Z;
    case FourierKind::real_to_complex:
      return is_float ? CUFFT_R2C : CUFFT_D2Z;
    case FourierKind::complex_to_real:
      return is_float ? CUFFT_C2R : CUFFT_Z2D;
  }
  return CUFFT_C2C;
}

struct Plan {
  cufftHandle handle;
  size_t work_bytes;
};

// The plans of a device. Making one takes longer than most transforms.
class Plans {
 public:
  explicit Plans(CudaDevice& device) : device_(device) {}

  const Plan& find(const Transforms& t) {
    const Key key(type_of(t), t.n, t.count);
    auto known = plans_.find(key);
    if (known != plans_.end()) return known->second;
    if (plans_.size() == kMost) clear();
    return plans_.emplace(key, make(t)).first->second;
  }

 private:
  using Key = std::tuple<int, int64_t, int64_t>;
  static constexpr size_t kMost = 64;

  void check_start(cufftResult status, const char* function) const {
    if (status == CUFFT_INTERNAL_ERROR || status == CUFFT_SETUP_FAILED) {
      fail(device_.status_of_failed_start(), "cuFFT: %s: status %d", function,
           static_cast<int>(status));
    }
    check(status, function);
  }
  Plan make(const Transforms& t) const {
    const Functions& call = functions();
    Plan plan = {};
    check_start(call.cufftCreate(&plan.handle), "cufftCreate");
    try {
      // The workspace is allocated for each call.
      check(call.cufftSetAutoAllocation(plan.handle, 0), "cufftSetAutoAllocation");
      long long n = t.n;
      // Without an embedding, transforms are contiguous, one after the other.
      check_start(call.cufftMakePlanMany64(plan.handle, 1, &n, nullptr, 1, 0, nullptr, 1, 0,
                                           type_of(t), t.count, &plan.work_bytes),
                  "cufftMakePlanMany64");
      check(call.cufftSetStream(plan.handle, device_.stream()), "cufftSetStream");
    } catch (...) {
      call.cufftDestroy(plan.handle);
      throw;
    }
    return plan;
  }
  void clear() {
    device_.synchronize();
    for (const auto& plan : plans_) functions().cufftDestroy(plan.second.handle);
    plans_.clear();
  }

  CudaDevice& device_;
  std::map<Key, Plan> plans_;
};

StateOfDevice<Plans>& plans() {
  static auto* all = new StateOfDevice<Plans>;
  return *all;
}

cufftResult execute(cufftHandle plan, const Transforms& t) {
  const Functions& call = functions();
  const int direction = t.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
  auto from = [&](auto type) { return reinterpret_cast<decltype(type)*>(t.from); };
  auto to = [&](auto type) { return reinterpret_cast<decltype(type)*>(t.to); };
  switch (type_of(t)) {
    case CUFFT_C2C:
      return call.cufftExecC2C(plan, from(cufftComplex()), to(cufftComplex()), direction);
    case CUFFT_R2C:
      return call.cufftExecR2C(plan, from(cufftReal()), to(cufftComplex()));
    case CUFFT_C2R:
      return call.cufftExecC2R(plan, from(cufftComplex()), to(cufftReal()));
    case CUFFT_Z2Z:
      return call.cufftExecZ2Z(plan, from(cufftDoubleComplex()), to(cufftDoubleComplex()),
                               direction);
    case CUFFT_D2Z:
      return call.cufftExecD2Z(plan, from(cufftDoubleReal()), to(cufftDoubleComplex()));
    case CUFFT_Z2D:
      return call.cufftExecZ2D(plan, from(cufftDoubleComplex()), to(cufftDoubleReal()));
  }
  return CUFFT_INVALID_TYPE;
}

}  // namespace

void open(Queue&) { functions(); }

void transform(Queue& queue, const Transforms& t) {
  plans().use(cuda_device(queue), [&](Plans& known) {
    const Plan& plan = known.find(t);
    const Scratch work(queue, plan.work_bytes);
    check(functions().cufftSetWorkArea(plan.handle, work.as<void>()), "cufftSetWorkArea");
    work_queued() = true;
    check(execute(plan.handle, t), "the transform");
  });
}

}  // namespace th::device_fourier

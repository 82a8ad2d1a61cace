// LAPACK and Fourier transforms on the software device: tasks of the queue that call the CPU's
// code.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>
#include <vector>

#include "simt/device_lapack.h"
#include "soft/soft_device.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

std::atomic<RunOnHost> run_on_host{nullptr};

void require_library() {
  if (!run_on_host.load()) fail_unsupported("the device has no library for it");
}

void run(BackendOp op, const void* call) {
  char text[sizeof(DeviceFailure::text)] = "";
  switch (run_on_host.load()(static_cast<int>(op), call, text, sizeof(text))) {
    case kDeviceOk:
      return;
    case kDeviceOutOfMemory:
      throw std::bad_alloc();
    default:
      fail(kDeviceFailed, "%s", text);
  }
}

std::vector<int> new_info(const Matrices& a) { return std::vector<int>(a.count, 0); }

void run_without_info(FactorCall call) {
  std::vector<int> info = new_info(call.a);
  call.info = info.data();
  run(BackendOp::factor, &call);
}

// Fills the matrices that were refused.
void fill_with_nan(const Matrices& b, const std::vector<int>& info) {
  dispatch_types<BlasTypes>(b.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t k = 0; k < b.count; ++k) {
      for (int64_t j = 0; info[k] < 0 && j < b.cols; ++j) {
        std::fill_n(reinterpret_cast<T*>(b.data) + k * b.step + j * b.ld, b.rows, T(NAN));
      }
    }
  });
}

// The CPU refuses factors that are infinite, because an earlier routine has overflowed.
void run_without_info(SolveCall call) {
  std::vector<int> info = new_info(call.a);
  call.info = info.data();
  run(BackendOp::solve, &call);
  fill_with_nan(call.b, info);
}

}  // namespace

namespace device_lapack {

void open(Queue&) { require_library(); }

void getrf(Queue& queue, const Matrices& a, int* pivots, int* info) {
  queue.enqueue([=] {
    FactorCall call;
    call.kind = Factorization::lu;
    call.a = a;
    call.pivots = pivots;
    call.info = info;
    run(BackendOp::factor, &call);
  });
}

void getrs(Queue& queue, char trans, const Matrices& lu, const int* pivots, const Matrices& b) {
  queue.enqueue([=] {
    SolveCall call;
    call.kind = Solver::lu;
    call.trans = trans;
    call.a = lu;
    call.pivots = const_cast<int*>(pivots);
    call.b = b;
    run_without_info(call);
  });
}

void potrf(Queue& queue, const Matrices& a, Part part, int* info) {
  queue.enqueue([=] {
    FactorCall call;
    call.kind = Factorization::cholesky;
    call.part = part;
    call.a = a;
    call.info = info;
    run(BackendOp::factor, &call);
  });
}

void trsm(Queue& queue, Part part, char trans, char diag, const Matrices& a, const Matrices& b) {
  queue.enqueue([=] {
    SolveCall call;
    call.kind = Solver::triangular;
    call.part = part;
    call.trans = trans;
    call.diag = diag;
    call.a = a;
    call.b = b;
    run_without_info(call);
  });
}

void geqrf(Queue& queue, const Matrices& a, char* tau) {
  queue.enqueue([=] {
    FactorCall call;
    call.kind = Factorization::qr;
    call.a = a;
    call.tau = tau;
    run_without_info(call);
  });
}

void orgqr(Queue& queue, const Matrices& a, int reflectors, const char* tau) {
  queue.enqueue([=] {
    FactorCall call;
    call.kind = Factorization::q;
    call.a = a;
    call.reflectors = reflectors;
    call.tau = const_cast<char*>(tau);
    run_without_info(call);
  });
}

void ormqr(Queue& queue, char side, char trans, const Matrices& a, int reflectors, const char* tau,
           const Matrices& c) {
  queue.enqueue([=] {
    SolveCall call;
    call.kind = Solver::multiply_by_q;
    call.side = side;
    call.trans = trans;
    call.reflectors = reflectors;
    call.a = a;
    call.b = c;
    call.a.count = call.b.count = 1;
    const auto item = static_cast<int64_t>(item_size(a.dtype));
    for (int64_t k = 0; k < a.count; ++k) {
      call.a.data = a.data + k * a.step * item;
      call.b.data = c.data + k * c.step * item;
      call.tau = const_cast<char*>(tau) + k * reflectors * item;
      run_without_info(call);
    }
  });
}

void syevd(Queue& queue, const Matrices& a, Part part, bool vectors, char* values, int* info) {
  queue.enqueue([=] {
    EigenCall call;
    call.part = part;
    call.vectors = vectors;
    call.a = a;
    call.values = values;
    call.info = info;
    run(BackendOp::eigen, &call);
  });
}

void geev(Queue& queue, const Matrices& a, char* values, const Matrices& v, int* info) {
  queue.enqueue([=] {
    EigenCall call;
    call.vectors = v.data != nullptr;
    call.a = a;
    call.v = v;
    call.values = values;
    call.info = info;
    run(BackendOp::eigen, &call);
  });
}

void gesvd(Queue& queue, const Matrices& a, bool all, const Matrices& u, char* values,
           const Matrices& vt, int* info) {
  queue.enqueue([=] {
    SvdCall call;
    call.a = a;
    call.u = u;
    call.vt = vt;
    call.all = all;
    call.values = values;
    call.info = info;
    run(BackendOp::svd, &call);
  });
}

}  // namespace device_lapack

namespace device_fourier {

void open(Queue&) { require_library(); }

void transform(Queue& queue, const Transforms& t) {
  queue.enqueue([t] {
    const bool from_real = t.kind == FourierKind::real_to_complex;
    const bool to_real = t.kind == FourierKind::complex_to_real;
    const int64_t half = t.n / 2 + 1;
    const int64_t in = from_real ? t.n : 2 * (to_real ? half : t.n);
    const int64_t out = to_real ? t.n : 2 * (from_real ? half : t.n);
    const auto item = static_cast<int64_t>(item_size(t.dtype));
    // The result may be in the same memory.
    std::vector<char> from(t.from, t.from + t.count * in * item);
    FourierCall call;
    call.dtype = t.dtype;
    call.kind = t.kind;
    call.inverse = t.inverse;
    call.scale = 1;
    call.n = t.n;
    call.in_count = to_real ? half : t.n;
    call.in_part = call.out_part = item;
    call.in_step = from_real ? item : 2 * item;
    call.out_step = to_real ? item : 2 * item;
    call.plan.start(1, &t.count);
    call.plan.add(t.to, static_cast<size_t>(item), &out);
    call.plan.add(from.data(), static_cast<size_t>(item), &in);
    call.plan.plan();
    run(BackendOp::fourier, &call);
  });
}

}  // namespace device_fourier

}  // namespace th

// libTH passes its function for calls of libraries.
extern "C" __attribute__((visibility("default"))) void th_use_host_library(th::RunOnHost run) {
  th::run_on_host = run;
}

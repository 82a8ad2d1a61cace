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

void run(const EigenCall& call) { run(BackendOp::eigen, &call); }
void run(const SvdCall& call) { run(BackendOp::svd, &call); }

// Without memory for the info of a call, its failures are not reported.
void run(FactorCall call) {
  std::vector<int> info(call.info ? 0 : static_cast<size_t>(call.a.count));
  if (!call.info) call.info = info.data();
  run(BackendOp::factor, &call);
}

// Fills the matrices that were refused.
void fill_with_nan(const Matrices& b, const int* info) {
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
void run(SolveCall call) {
  std::vector<int> info(static_cast<size_t>(call.a.count));
  call.info = info.data();
  run(BackendOp::solve, &call);
  fill_with_nan(call.b, info.data());
}

template <class Call>
void enqueue(Queue& queue, const Call& call) {
  queue.enqueue([call] { run(call); });
}

FactorCall factor_call(Factorization kind, const Matrices& a) {
  FactorCall call;
  call.kind = kind;
  call.a = a;
  return call;
}

SolveCall solve_call(Solver kind, const Matrices& a, const Matrices& b) {
  SolveCall call;
  call.kind = kind;
  call.a = a;
  call.b = b;
  return call;
}

// EigenCall or SvdCall: the fields that both have.
template <class Call>
Call spectral_call(const Matrices& a, char* values, int* info) {
  Call call;
  call.a = a;
  call.values = values;
  call.info = info;
  return call;
}

}  // namespace

namespace device_lapack {

void open(Queue&) { require_library(); }

void getrf(Queue& queue, const Matrices& a, int* pivots, int* info) {
  FactorCall call = factor_call(Factorization::lu, a);
  call.pivots = pivots;
  call.info = info;
  enqueue(queue, call);
}

void getrs(Queue& queue, char trans, const Matrices& lu, const int* pivots, const Matrices& b) {
  SolveCall call = solve_call(Solver::lu, lu, b);
  call.trans = trans;
  call.pivots = const_cast<int*>(pivots);
  enqueue(queue, call);
}

void potrf(Queue& queue, const Matrices& a, Part part, int* info) {
  FactorCall call = factor_call(Factorization::cholesky, a);
  call.part = part;
  call.info = info;
  enqueue(queue, call);
}

void trsm(Queue& queue, Part part, char trans, char diag, const Matrices& a, const Matrices& b) {
  SolveCall call = solve_call(Solver::triangular, a, b);
  call.part = part;
  call.trans = trans;
  call.diag = diag;
  enqueue(queue, call);
}

void geqrf(Queue& queue, const Matrices& a, char* tau) {
  FactorCall call = factor_call(Factorization::qr, a);
  call.tau = tau;
  enqueue(queue, call);
}

void orgqr(Queue& queue, const Matrices& a, int reflectors, const char* tau) {
  FactorCall call = factor_call(Factorization::q, a);
  call.reflectors = reflectors;
  call.tau = const_cast<char*>(tau);
  enqueue(queue, call);
}

void ormqr(Queue& queue, char side, char trans, const Matrices& a, int reflectors, const char* tau,
           const Matrices& c) {
  SolveCall call = solve_call(Solver::multiply_by_q, a, c);
  call.side = side;
  call.trans = trans;
  call.reflectors = reflectors;
  call.a.count = call.b.count = 1;
  const auto item = static_cast<int64_t>(item_size(a.dtype));
  for (int64_t k = 0; k < a.count; ++k) {
    call.a.data = a.data + k * a.step * item;
    call.b.data = c.data + k * c.step * item;
    call.tau = const_cast<char*>(tau) + k * reflectors * item;
    enqueue(queue, call);
  }
}

void syevd(Queue& queue, const Matrices& a, Part part, bool vectors, char* values, int* info) {
  EigenCall call = spectral_call<EigenCall>(a, values, info);
  call.part = part;
  call.vectors = vectors;
  enqueue(queue, call);
}

void geev(Queue& queue, const Matrices& a, char* values, const Matrices& v, int* info) {
  EigenCall call = spectral_call<EigenCall>(a, values, info);
  call.vectors = v.data != nullptr;
  call.v = v;
  enqueue(queue, call);
}

void gesvd(Queue& queue, const Matrices& a, bool all, const Matrices& u, char* values,
           const Matrices& vt, int* info) {
  SvdCall call = spectral_call<SvdCall>(a, values, info);
  call.u = u;
  call.vt = vt;
  call.all = all;
  enqueue(queue, call);
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

#ifndef TH_GENERIC_FILE

// Convolutions on plain memory.

#include "TH.h"

#include "backend/cpu_backend.h"
#include "generic/bridge.h"
#include "generic/convolution_pointers.h"
#include "tensor/checked.h"

namespace th {

namespace {

int64_t result_size(const PointerConvolution& c, int d) {
  int64_t image = c.image[d], kernel = c.kernel[d], step = c.step[d];
  if (image < 1 || kernel < 1 || step < 1) {
    fail("sizes and steps of 1 or more expected, got image %lld, kernel %lld, step %lld",
         as_long(image), as_long(kernel), as_long(step));
  }
  int64_t reach = kernel - 1;
  if (c.kind == ConvolutionKind::full) {
    return checked_add(checked_mul(image - 1, step, "a size"), kernel, "a size");
  }
  if (c.kind == ConvolutionKind::dilated) reach = checked_mul(reach, step, "a size");
  if (image <= reach) {
    fail("a kernel of %lld does not fit into an image of %lld", as_long(reach + 1), as_long(image));
  }
  return c.kind == ConvolutionKind::valid ? (image - kernel) / step + 1 : image - reach;
}

ConvolutionCall::Operand by_rows(void* data, const int64_t* size) {
  return {static_cast<char*>(data), 0, 0, 0, {size[1] * size[2], size[2], 1}};
}

}  // namespace

void convolve_pointers(const PointerConvolution& c, const char* function) {
  auto run = [&] {
    ConvolutionCall call;
    for (int d = 0; d < 3; ++d) {
      call.result[d] = result_size(c, d);
      call.image[d] = c.image[d];
      call.kernel[d] = c.kernel[d];
      call.step[d] = c.step[d];
    }
    checked_numel(3, call.result);
    call.dtype = c.dtype;
    call.kind = c.kind;
    call.flipped = c.flipped;
    call.groups = call.outputs = call.inputs = 1;
    call.alpha = c.alpha;
    call.beta = is_integral(c.dtype) ? Scalar(1) : Scalar(1.0);
    call.r = by_rows(c.r, call.result);
    call.t = by_rows(c.t, call.image);
    call.w = by_rows(c.w, call.kernel);
    call.tf32 = false;
    call.map_rows = -1;
    run_on_cpu(call);
  };
  guard(run, function);
}

}  // namespace th

#define TH_POINTERS_2D(name, kind, flipped)                                                 \
  void THTensor_(name)(real * r_, real alpha, real * t_, int64_t ir, int64_t ic, real * k_, \
                       int64_t kr, int64_t kc, int64_t sr, int64_t sc) {                    \
    th::convolve_pointers({th::DType::Real,                                                 \
                           th::ConvolutionKind::kind,                                       \
                           flipped,                                                         \
                           th::to_scalar(alpha),                                            \
                           r_,                                                              \
                           t_,                                                              \
                           k_,                                                              \
                           {1, ir, ic},                                                     \
                           {1, kr, kc},                                                     \
                           {1, sr, sc}});                                                   \
  }
#define TH_POINTERS_3D(name, kind, flipped)                                                   \
  void THTensor_(name)(real * r_, real alpha, real * t_, int64_t it, int64_t ir, int64_t ic,  \
                       real * k_, int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, \
                       int64_t sc) {                                                          \
    th::convolve_pointers({th::DType::Real,                                                   \
                           th::ConvolutionKind::kind,                                         \
                           flipped,                                                           \
                           th::to_scalar(alpha),                                              \
                           r_,                                                                \
                           t_,                                                                \
                           k_,                                                                \
                           {it, ir, ic},                                                      \
                           {kt, kr, kc},                                                      \
                           {st, sr, sc}});                                                    \
  }

#define TH_GENERIC_FILE "generic/THTensorConv.cc"
#include "THGenerateEveryType.h"

#else

TH_POINTERS_2D(validXCorr2Dptr, valid, false)
TH_POINTERS_2D(validConv2Dptr, valid, true)
TH_POINTERS_2D(fullXCorr2Dptr, full, true)
TH_POINTERS_2D(fullConv2Dptr, full, false)
TH_POINTERS_2D(validXCorr2DRevptr, dilated, false)
TH_POINTERS_3D(validXCorr3Dptr, valid, false)
TH_POINTERS_3D(validConv3Dptr, valid, true)
TH_POINTERS_3D(fullXCorr3Dptr, full, true)
TH_POINTERS_3D(fullConv3Dptr, full, false)
TH_POINTERS_3D(validXCorr3DRevptr, dilated, false)

#endif

// Convolutions of images and volumes: convolve_patches(), and a kernel for maps.

#include "simt/kernels/patch_sum.h"
#include "simt/launch.h"
#include "simt/patches.h"
#include "simt/report.h"

namespace th {
namespace {

PatchConvolution::Operand patch_operand(const ConvolutionCall::Operand& o, bool are_images) {
  return {o.data,
          are_images ? o.group : 0,
          are_images ? 0 : o.group,
          o.output,
          o.input,
          {o.plane[0], o.plane[1], o.plane[2]}};
}

PatchConvolution patch_convolution(const ConvolutionCall& call) {
  PatchConvolution c;
  c.dtype = call.dtype;
  c.tf32 = call.tf32;
  // Groups that share the kernels are images of one group.
  const bool are_images = call.w.group == 0;
  c.images = are_images ? call.groups : 1;
  c.groups = are_images ? 1 : call.groups;
  c.outputs = call.outputs;
  c.inputs = call.inputs;
  for (int d = 0; d < 3; ++d) {
    const int64_t step = call.step[d];
    c.positions[d] = call.result[d];
    c.taps[d] = call.kernel[d];
    c.source[d] = call.image[d];
    c.position_step[d] = call.kind == ConvolutionKind::valid ? step : 1;
    c.divisor[d] = call.kind == ConvolutionKind::full ? step : 1;
    c.tap_step[d] = call.kind == ConvolutionKind::valid     ? 1
                    : call.kind == ConvolutionKind::dilated ? step
                                                            : -1;
    c.first[d] = 0;
    if (!call.flipped) continue;
    c.first[d] = c.tap_step[d] * (call.kernel[d] - 1);
    c.tap_step[d] = -c.tap_step[d];
  }
  c.alpha = call.alpha;
  c.beta = call.beta;
  c.r = patch_operand(call.r, are_images);
  c.t = patch_operand(call.t, are_images);
  c.w = patch_operand(call.w, are_images);
  c.bias = nullptr;
  return c;
}

// The rows of a map, and the check of its numbers.
template <class T>
struct Map {
  const T* numbers;
  int64_t rows, planes;
  DeviceAssertion* assertion;
  uint32_t check;

  // Returns the plane, from 0, or -1 for a number out of range. It is reported if reports is true.
  __device__ int64_t plane(int64_t i, bool reports) const {
    const auto number = static_cast<double>(load(numbers[i]));
    if (number >= 1 && number <= static_cast<double>(planes)) {
      return static_cast<int64_t>(number) - 1;
    }
    if (reports) report(assertion, check, convert<int64_t>(number));
    return -1;
  }
};

// Rounds after each row of the map, as the CPU does.
template <class T>
__global__ void convolve_by_map(PatchConvolution c, Map<T> map, GridIndices<uint64_t> positions,
                                IntDivider<uint64_t> plane, uint64_t n) {
  using S = ProductSum<T>;
  const S alpha = convert<S>(c.alpha), beta = convert<S>(c.beta);
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t k = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; k < n; k += step) {
    uint64_t position = k;
    const auto own = static_cast<int64_t>(divide(plane, &position));
    int64_t at[3];
    positions.get(position, at);
    T* r = reinterpret_cast<T*>(c.r.data) + own * c.r.group + offset_of(c.r, at);
    T value = beta == 0 ? convert<T>(S(0)) : convert<T>(beta * static_cast<S>(load(*r)));
    for (int64_t row = 0; row < map.rows; ++row) {
      const int64_t from = map.plane(2 * row, k == 0), to = map.plane(2 * row + 1, k == 0);
      if (from < 0 || to != own) continue;
      const T* t = reinterpret_cast<const T*>(c.t.data) + from * c.t.group;
      const T* w = reinterpret_cast<const T*>(c.w.data) + row * c.w.group;
      value = convert<T>(static_cast<S>(load(value)) + alpha * patch_sum<T, int64_t>(c, t, w, at));
    }
    *r = value;
  }
}

void run_map(Queue& queue, const ConvolutionCall& call) {
  PatchConvolution c = patch_convolution(call);
  c.r.group = call.r.group;
  c.t.group = call.t.group;
  const int64_t plane = volume(c.positions);
  const int64_t n = call.groups * plane;
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Map<T> map = {reinterpret_cast<const T*>(call.map), call.map_rows, call.groups,
                        queue.assertion(), call.check};
    TH_LAUNCH(queue, (convolve_by_map<T>), blocks_for(queue, n), kThreads, 0, c, map,
              GridIndices<uint64_t>(c.positions), IntDivider<uint64_t>(plane),
              static_cast<uint64_t>(n));
  });
}

}  // namespace

void run_convolution(Queue& queue, const ConvolutionCall& call) {
  if (call.map_rows >= 0) return run_map(queue, call);
  convolve_patches(queue, patch_convolution(call));
}

}  // namespace th

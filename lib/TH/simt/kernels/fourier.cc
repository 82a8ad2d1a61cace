// Fourier transforms on a device by a library, which needs contiguous transforms. Others are copied
// to contiguous memory first, and to the result after that.

#include "backend/fourier_call.h"

#include "simt/device_lapack.h"
#include "simt/offset_calculator.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

// The elements of a transform: how many there are, real or complex, and where they are.
struct Line {
  int64_t count;
  int parts;           // 2: complex
  int64_t step, part;  // bytes to the next element, and from the real to the imaginary part
};

// Elements of `line` from `given` on count as 0. n: the length of a transform whose complex
// elements 0 and n / 2 count as real; 0: none.
template <class T>
__global__ void pack(const char* data, OffsetCalculator<2> offsets, uint32_t positions, Line line,
                     int64_t given, int64_t n, T* packed) {
  const int64_t elements = positions * line.count, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t e = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += step) {
    uint32_t offset[2];
    offsets.get(static_cast<uint32_t>(e / line.count), offset);
    const int64_t k = e % line.count;
    const char* at = data + offset[1] + k * line.step;
    const bool is_given = k < given;
    packed[e * line.parts] = is_given ? *reinterpret_cast<const T*>(at) : T(0);
    if (line.parts == 1) continue;
    const bool is_real = n > 0 && (k == 0 || 2 * k == n);
    packed[e * 2 + 1] = is_given && !is_real ? *reinterpret_cast<const T*>(at + line.part) : T(0);
  }
}

template <class T>
__global__ void unpack(char* data, OffsetCalculator<2> offsets, uint32_t positions, Line line,
                       T scale, const T* packed, int packed_parts) {
  const int64_t elements = positions * line.count, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t e = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < elements; e += step) {
    uint32_t offset[2];
    offsets.get(static_cast<uint32_t>(e / line.count), offset);
    char* at = data + offset[0] + e % line.count * line.step;
    const T* from = packed + e * packed_parts;
    *reinterpret_cast<T*>(at) = from[0] * scale;
    if (line.parts == 1) continue;
    *reinterpret_cast<T*>(at + line.part) = packed_parts == 1 ? T(0) : from[1] * scale;
  }
}

// Returns true if the transforms of an operand follow one another without gaps, in an alignment
// that libraries require.
template <class T>
bool is_contiguous(const LoopPlan& plan, int operand, const Line& line) {
  const int64_t item = sizeof(T), bytes = line.count * line.parts * item;
  if (line.step != line.parts * item || (line.parts == 2 && line.part != item)) return false;
  if (plan.ndim > 1 || (plan.ndim == 1 && plan.stride[operand][0] != bytes)) return false;
  return is_aligned(plan.data[operand], 2 * sizeof(T));
}

template <class T>
void transform(Queue& queue, const FourierCall& call) {
  const bool to_real = call.kind == FourierKind::complex_to_real;
  const bool from_real = call.kind == FourierKind::real_to_complex;
  const int64_t half = call.n / 2 + 1, positions = call.plan.numel;
  const Line in = {to_real ? half : call.n, from_real ? 1 : 2, call.in_step, call.in_part};
  const Line out = {from_real ? half : call.n, to_real ? 1 : 2, call.out_step, call.out_part};
  auto bytes = [&](const Line& line) {
    return static_cast<size_t>(positions * line.count * line.parts) * sizeof(T);
  };
  // Transforms of one element only convert it. complex_to_real needs a copy, because it ignores
  // imaginary parts and destroys its input.
  const bool reads_input =
      call.n > 1 && !to_real && call.in_count >= in.count && is_contiguous<T>(call.plan, 1, in);
  const bool writes_result = call.n > 1 && is_contiguous<T>(call.plan, 0, out);
  const bool in_place =
      call.n == 1 || (call.kind == FourierKind::complex && !reads_input && !writes_result);
  Scratch packed(queue, reads_input ? 0 : bytes(in));
  Scratch other(queue, in_place || writes_result ? 0 : bytes(out));
  T* from = reads_input ? reinterpret_cast<T*>(call.plan.data[1]) : packed.as<T>();
  T* result = writes_result ? reinterpret_cast<T*>(call.plan.data[0])
              : in_place    ? from
                            : other.as<T>();
  const int result_parts = call.n == 1 ? in.parts : out.parts;

  int64_t before = 0;
  for_small_parts(call.plan, [&](const LoopPlan& part) {
    if (reads_input) return;
    const int64_t elements = part.numel * in.count;
    TH_LAUNCH(queue, (pack<T>), blocks_for(queue, elements), kThreads, 0, part.data[1],
              OffsetCalculator<2>(part), static_cast<uint32_t>(part.numel), in, call.in_count,
              to_real ? call.n : 0, from + before * in.count * in.parts);
    before += part.numel;
  });
  queue.allow_repetition();
  if (call.n > 1) {
    device_fourier::transform(queue,
                              {call.dtype, call.kind, call.inverse, call.n, positions,
                               reinterpret_cast<char*>(result), reinterpret_cast<char*>(from)});
  }
  if (writes_result && call.scale == 1) return;
  before = 0;
  for_small_parts(call.plan, [&](const LoopPlan& part) {
    const int64_t elements = part.numel * out.count;
    TH_LAUNCH(queue, (unpack<T>), blocks_for(queue, elements), kThreads, 0, part.data[0],
              OffsetCalculator<2>(part), static_cast<uint32_t>(part.numel), out,
              static_cast<T>(call.scale), result + before * out.count * result_parts, result_parts);
    before += part.numel;
  });
}

}  // namespace

void run_fourier(Queue& queue, const FourierCall& call) {
  if (call.plan.numel == 0) return;
  device_fourier::open(queue);
  dispatch_types<BlasTypes>(call.dtype, [&](auto zero) { transform<decltype(zero)>(queue, call); });
}

}  // namespace th

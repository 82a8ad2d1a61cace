#include "cpu/convolution_product.h"

#include <algorithm>
#include <cstring>

#include "cpu/parallel.h"
#include "cpu/product.h"
#include "cpu/workspace.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

// A product is used if there are enough outputs and taps to amortize writing the matrix, and enough
// work.
constexpr int64_t kFewestOutputs = 16;
constexpr double kFewestLines = 64;
constexpr double kLeastWork = 1 << 18;
constexpr int64_t kMatrixBytes = 1 << 21;  // the matrix is built in parts of this size

double volume(const int64_t* size) {
  return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
}
bool lie_side_by_side(const int64_t* stride, const int64_t* size) {
  int64_t expected = 1;
  for (int d = 2; d >= 0; --d) {
    if (size[d] > 1 && stride[d] != expected) return false;
    expected *= size[d];
  }
  return true;
}

// Rows of the result, plane after plane.
struct ResultRows {
  int64_t first, count;
};

// Writes one line of the matrix: the image elements that one tap of one input contributes to each
// result.
template <class T>
void write_line(const ConvolutionCall& c, const T* image, const int64_t* tap, ResultRows rows,
                T* line) {
  int64_t first[3], stride[3];
  for (int d = 0; d < 3; ++d) {
    int64_t k = c.flipped ? c.kernel[d] - 1 - tap[d] : tap[d];
    bool valid = c.kind == ConvolutionKind::valid;
    first[d] = (valid ? k : k * c.step[d]) * c.t.plane[d];
    stride[d] = (valid ? c.step[d] : 1) * c.t.plane[d];
  }
  image += first[0] + first[1] + first[2];
  for (int64_t k = rows.first; k < rows.first + rows.count; ++k, line += c.result[2]) {
    const T* row = image + k / c.result[1] * stride[0] + k % c.result[1] * stride[1];
    if (stride[2] == 1) {
      std::memcpy(line, row, static_cast<size_t>(c.result[2]) * sizeof(T));
    } else {
      for (int64_t x = 0; x < c.result[2]; ++x) line[x] = row[x * stride[2]];
    }
  }
}

// Computes these rows of a group's result from the corresponding part of the matrix.
template <class T>
void convolve_rows(const ConvolutionCall& c, int64_t group, ResultRows rows, T* matrix) {
  const int64_t taps = c.kernel[0] * c.kernel[1] * c.kernel[2];
  const int64_t lines = c.inputs * taps, length = rows.count * c.result[2];
  const T* images = reinterpret_cast<const T*>(c.t.data) + group * c.t.group;
  int64_t grain = std::max<int64_t>(1, (1 << 15) / length);
  parallel_for(lines, grain, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      int64_t position = k % taps, area = c.kernel[1] * c.kernel[2];
      const int64_t tap[] = {position / area, position % area / c.kernel[2],
                             position % c.kernel[2]};
      write_line(c, images + k / taps * c.t.input, tap, rows, matrix + k * length);
    }
  });
  auto at = [&](const ConvolutionCall::Operand& o, int64_t offset) {
    return o.data + (group * o.group + offset) * static_cast<int64_t>(sizeof(T));
  };
  ProductCall call;
  call.dtype = c.dtype;
  call.batches = 1;
  call.sum = call.tf32 = false;
  call.m = c.outputs;
  call.n = length;
  call.k = lines;
  call.alpha = c.alpha;
  call.beta = c.beta;
  call.a = {at(c.w, 0), 0, c.w.output, 1};
  call.b = {reinterpret_cast<char*>(matrix), 0, length, 1};
  call.c = {at(c.r, rows.first * c.result[2]), 0, c.r.output, 1};
  multiply(call);
}

template <class T>
void convolve(const ConvolutionCall& c) {
  const int64_t line = c.inputs * c.kernel[0] * c.kernel[1] * c.kernel[2] * c.result[2];
  const int64_t rows = c.result[0] * c.result[1];
  const int64_t most =
      std::max<int64_t>(1, kMatrixBytes / (line * static_cast<int64_t>(sizeof(T))));
  const int64_t parts = (rows + most - 1) / most, part = (rows + parts - 1) / parts;
  Workspace<T> matrix(line * part);
  for (int64_t group = 0; group < c.groups; ++group) {
    for (int64_t first = 0; first < rows; first += part) {
      convolve_rows(c, group, {first, std::min(part, rows - first)}, matrix.data());
    }
  }
}

}  // namespace

bool is_product_faster(const ConvolutionCall& c) {
  if (c.kind == ConvolutionKind::full || !BlasTypes::contains(c.dtype)) return false;
  const double lines = static_cast<double>(c.inputs) * volume(c.kernel);
  const double length = volume(c.result), item = static_cast<double>(item_size(c.dtype));
  const auto taps = static_cast<int64_t>(volume(c.kernel));
  return length > 1 && lines >= kFewestLines && c.outputs >= kFewestOutputs &&
         lines * static_cast<double>(c.result[2]) * item <= static_cast<double>(kMatrixBytes) &&
         lines * length * static_cast<double>(c.outputs) >= kLeastWork &&
         lie_side_by_side(c.w.plane, c.kernel) && (c.inputs == 1 || c.w.input == taps) &&
         static_cast<double>(c.w.output) >= lines && lie_side_by_side(c.r.plane, c.result) &&
         static_cast<double>(c.r.output) >= length;
}

void convolve_by_product(const ConvolutionCall& call) {
  if (call.dtype == DType::Float) {
    convolve<float>(call);
  } else {
    convolve<double>(call);
  }
}

}  // namespace th

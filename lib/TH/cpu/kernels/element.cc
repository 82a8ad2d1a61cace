// Loops around functors, and other loops over all elements in any order.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "backend/cpu_backend.h"
#include "cpu/element_kernels.h"
#include "cpu/element_loop.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "tensor/convert.h"

namespace th {

namespace TH_ISA {
extern const CopyKernels copy_kernels;
}

namespace {

// ---- copies of short rows, without a function call for each row ---------------------------------

using CopyRows = void (*)(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n,
                          int64_t bytes);

// Copies n rows of `size` bytes.
template <int size>
void copy_rows_of(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n,
                  int64_t) {
#pragma GCC unroll 4
  for (; n > 0; --n, to += to_step, from += from_step) __builtin_memcpy(to, from, size);
}

// Copies n rows of at least `part` bytes. The last part of a row may overlap the one before it.
template <int part>
void copy_rows(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n,
               int64_t bytes) {
  const int64_t last = bytes - part;
  for (; n > 0; --n, to += to_step, from += from_step) {
    for (int64_t i = 0; i < last; i += part) __builtin_memcpy(to + i, from + i, part);
    __builtin_memcpy(to + last, from + last, part);
  }
}

CopyRows copy_of_rows(int64_t bytes) {
  switch (bytes) {
    case 2:
      return &copy_rows_of<2>;
    case 3:
      return &copy_rows_of<3>;
    case 4:
      return &copy_rows_of<4>;
    case 8:
      return &copy_rows_of<8>;
    case 16:
      return &copy_rows_of<16>;
    default:
      return bytes >= 64   ? &copy_rows<64>
             : bytes >= 16 ? &copy_rows<16>
             : bytes >= 8  ? &copy_rows<8>
                           : &copy_rows<4>;
  }
}

constexpr int64_t kShortRow = 1024;  // bytes

bool has_short_rows(const CopyCall& call, int64_t item) {
  const LoopPlan& plan = call.plan;
  return call.to == call.from && plan.ndim > 1 && !plan.shared_output &&
         plan.stride[0][0] == item && plan.stride[1][0] == item && plan.size[0] * item >= 2 &&
         plan.size[0] * item <= kShortRow;
}

// Copies the rows as integers of their size, so that a transposition of rows is done in tiles.
// Returns false if they are not transposed, or not aligned like integers.
bool copy_as_integers(const LoopPlan& rows, int64_t bytes) {
  const auto* stride = rows.stride;
  if (bytes > 8 || (bytes & (bytes - 1)) != 0 || rows.ndim < 2 || stride[1][1] == 0 ||
      std::abs(stride[1][0]) <= std::abs(stride[1][1])) {
    return false;
  }
  for (int k = 0; k < 2; ++k) {
    if (reinterpret_cast<intptr_t>(rows.data[k]) % bytes != 0) return false;
    for (int d = 0; d < rows.ndim; ++d) {
      if (stride[k][d] % bytes != 0) return false;
    }
  }
  const auto type = static_cast<int>(bytes == 8   ? DType::Long
                                     : bytes == 4 ? DType::Int
                                                  : DType::Short);
  const int64_t item[] = {bytes, bytes};
  run_loop(rows, item, TH_ISA::copy_kernels.copy[type][type], nullptr, Grain::cheap, true);
  return true;
}

void copy_short_rows(const LoopPlan& plan, int64_t item) {
  constexpr int64_t kFew = 8, kMany = 64, kShort = 64, kPartBytes = 16384;
  const int64_t width = plan.size[0], bytes = width * item;
  const LoopPlan rows = plan_of_rows(plan);
  if (copy_as_integers(rows, bytes)) return;
  const CopyRows copy = copy_of_rows(bytes);
  const int64_t grain = std::max<int64_t>(1, Grain::cheap / width);
  if (rows.ndim < 2 || rows.size[0] > kFew || rows.size[1] < kMany || bytes > kShort) {
    return parallel_for(rows.numel, grain, [&](int64_t begin, int64_t end) {
      for_each_run(rows, begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
        copy(data[0], stride[0], data[1], stride[1], n, bytes);
      });
    });
  }
  // Runs of few rows: loops along the next dimension, in parts that stay in the L1 cache.
  const LoopPlan groups = plan_of_rows(rows);
  const int64_t few = rows.size[0], to_step = rows.stride[0][0], from_step = rows.stride[1][0];
  const int64_t part = kPartBytes / (few * bytes);
  parallel_for(groups.numel, std::max<int64_t>(1, grain / few), [&](int64_t begin, int64_t end) {
    for_each_run(groups, begin, end, [&](char* const* data, const int64_t* stride, int64_t n) {
      for (int64_t first = 0; first < n; first += part) {
        char* const to = data[0] + first * stride[0];
        const char* const from = data[1] + first * stride[1];
        for (int64_t i = 0; i < few; ++i) {
          copy(to + i * to_step, stride[0], from + i * from_step, stride[1],
               std::min(part, n - first), bytes);
        }
      }
    });
  });
}

// Writes f(i) to element i, where i is a double.
template <class T, class F>
void generate_by(const GenerateCall& call, const F& f) {
  // Vectors of 32-bit integers are converted to doubles with every instruction set.
  constexpr int64_t kChunk = int64_t{1} << 20;
  T* out = reinterpret_cast<T*>(call.out);
  parallel_for(call.n, Grain::cheap, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += kChunk) {
      const auto n = static_cast<int32_t>(std::min(kChunk, end - first));
      const auto start = static_cast<double>(first);
      T* const to = out + first;
      for (int32_t i = 0; i < n; ++i) to[i] = convert<T>(f(start + static_cast<double>(i)));
    }
  });
}

// Unsigned, because i * step may overflow even if the sum does not.
template <class T>
void generate_integers(const GenerateCall& call, uint64_t first, uint64_t step) {
  T* out = reinterpret_cast<T*>(call.out);
  parallel_for(call.n, Grain::cheap, [&](int64_t begin, int64_t end) {
    uint64_t x = first + static_cast<uint64_t>(begin) * step;
    for (int64_t i = begin; i < end; ++i, x += step) out[i] = convert<T>(static_cast<int64_t>(x));
  });
}

template <class T>
void zero_triangle(const TriangleCall& call) {
  parallel_for(call.rows, std::max<int64_t>(1, Grain::cheap / call.columns),
               [&](int64_t first, int64_t last) {
                 for (int64_t i = first; i < last; ++i) {
                   char* row = call.out + i * call.row_step;
                   int64_t edge = std::min(std::max<int64_t>(i + call.diagonal, -1), call.columns);
                   int64_t begin = call.above ? edge + 1 : 0;
                   int64_t end = call.above ? call.columns : std::max<int64_t>(edge, 0);
                   for (int64_t j = begin; j < end; ++j) {
                     *reinterpret_cast<T*>(row + j * call.column_step) = T();
                   }
                 }
               });
}

}  // namespace

namespace TH_ISA {

void run_element(const ElementCall& call) {
  const ElementLoop loop(call.op, call.dtype, call.result, call.params);
  run_loop(call.plan, loop.items(), &ElementLoop::run, &loop, call.grain);
}

void run_copy(const CopyCall& call) {
  Loop loop = copy_kernels.copy[static_cast<int>(call.to)][static_cast<int>(call.from)];
  const int64_t item[] = {static_cast<int64_t>(item_size(call.to)),
                          static_cast<int64_t>(item_size(call.from))};
  if (has_short_rows(call, item[0])) return copy_short_rows(call.plan, item[0]);
  run_loop(call.plan, item, loop, nullptr, Grain::cheap, call.to == call.from);
}

void run_fill(const FillCall& call) {
  Scalar value = call.value;
  DType from = value.integral ? DType::Long : DType::Double;
  Loop loop = copy_kernels.copy[static_cast<int>(call.dtype)][static_cast<int>(from)];
  auto* constant = reinterpret_cast<char*>(&value.i);
  if (call.plan.ndim <= 1 && call.plan.numel < Grain::cheap) {
    char* const data[] = {call.plan.data[0], constant};
    const int64_t stride[] = {call.plan.inner_stride(0), 0};
    loop(data, stride, call.plan.numel, nullptr);
    return;
  }
  LoopPlan plan = call.plan;
  plan.add_constant(constant);
  const int64_t item[] = {static_cast<int64_t>(item_size(call.dtype)), sizeof(value.i)};
  run_loop(plan, item, loop, nullptr, Grain::cheap);
}

void run_generate(const GenerateCall& call) {
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    if (call.a.integral && call.b.integral) {
      return generate_integers<T>(call, static_cast<uint64_t>(call.a.i),
                                  static_cast<uint64_t>(call.b.i));
    }
    double a = call.a.to_double(), b = call.b.to_double();
    if (call.power_of_ten) {
      generate_by<T>(call, [=](double i) { return std::pow(10.0, a + i * b); });
    } else {
      generate_by<T>(call, [=](double i) { return a + i * b; });
    }
  });
}

void run_triangle(const TriangleCall& call) {
  dispatch(call.dtype, [&](auto zero) { zero_triangle<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th

// Products of 16-bit floats.

#include "cpu/reduced_product.h"

#include <algorithm>
#include <utility>

#include "backend/cpu_backend.h"
#include "cpu/bfloat16_product.h"
#include "cpu/parallel.h"
#include "cpu/product.h"
#include "cpu/product_kernels.h"
#include "cpu/product_parts.h"
#include "cpu/team.h"
#include "cpu/workspace.h"
#include "tensor/convert.h"

namespace th {

namespace {

// A contiguous float copy of a factor's matrices, row-major.
class FloatFactor {
 public:
  FloatFactor(DType dtype, const Factor& factor, int64_t batches, int64_t rows, int64_t cols)
      : dtype_(dtype), size_{batches, rows, cols}, values_(batches * rows * cols) {
    for (int side = 0; side < 2; ++side) {
      plans_[side].start(3, size_);
      for (int k = 0; k < 2; ++k) {
        bool own = (k == 0) == (side == 0);
        int64_t strides[] = {factor.batch, factor.row, factor.col};
        int64_t packed[] = {rows * cols, cols, 1};
        char* data = own ? reinterpret_cast<char*>(values_.data()) : factor.data;
        plans_[side].add(data, own ? sizeof(float) : item_size(dtype), own ? packed : strides);
      }
      plans_[side].plan();
    }
  }
  void read() { run_on_cpu(CopyCall{DType::Float, dtype_, plans_[0]}); }
  void write() { run_on_cpu(CopyCall{dtype_, DType::Float, plans_[1]}); }
  Factor get() {
    return {reinterpret_cast<char*>(values_.data()), size_[1] * size_[2], size_[2], 1};
  }

 private:
  DType dtype_;
  int64_t size_[3];
  Workspace<float> values_;
  LoopPlan plans_[2];
};

// The product of the transposed factors, whose result is the transposed c.
ProductCall transposed(ProductCall p) {
  std::swap(p.a, p.b);
  std::swap(p.m, p.n);
  for (Factor* f : {&p.a, &p.b, &p.c}) std::swap(f->row, f->col);
  return p;
}

// A matrix of a 16-bit type with contiguous rows times a vector of floats. A task computes some
// rows.
void multiply_rows_by_vector(const ProductCall& p, const Factor& vector) {
  const ProductKernel kernel = product_kernels().reduced_rows[p.dtype];
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  const int64_t rows = part_of(p.m, std::max<int64_t>(16, kElementsPerThread / p.k));
  const int64_t parts = ceil_div(p.m, rows);
  constexpr int64_t kCached = int64_t{1} << 20;  // bytes that the L2 cache may hold
  const bool one_by_one = p.batches * p.m * p.k * item > kCached;
  parallel_for(p.batches * parts, Grain::cheap / (rows * p.k) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t batch = task / parts, i = task % parts * rows;
      kernel({std::min(rows, p.m - i), 1, p.k, p.alpha, p.beta,                       //
              p.a.data + (batch * p.a.batch + i * p.a.row) * item, p.a.row, p.a.col,  //
              vector.data + batch * vector.batch * static_cast<int64_t>(sizeof(float)), 1, 1,
              p.c.data + (batch * p.c.batch + i * p.c.row) * item, p.c.row, p.c.col, false,
              one_by_one});
    }
  });
}

// c = beta * c + alpha * the sum of the parts of each element, of which there are m x parts.
template <class T>
void add_parts(const ProductCall& p, const float* sums, int64_t parts, char* c) {
  const auto alpha = static_cast<float>(p.alpha.d), beta = static_cast<float>(p.beta.d);
  for (int64_t i = 0; i < p.m; ++i) {
    float sum = sums[i];
    for (int64_t k = 1; k < parts; ++k) sum += sums[k * p.m + i];
    T& to = reinterpret_cast<T*>(c)[i * p.c.row];
    to = convert<T>(beta == 0 ? alpha * sum : alpha * sum + beta * load(to));
  }
}

// The same for a matrix with contiguous columns. A task computes the sums of some columns, so that
// it reads whole columns.
void multiply_columns_by_vector(const ProductCall& p, const Factor& vector) {
  const ProductKernel kernel = product_kernels().reduced_columns[p.dtype];
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  const int64_t depth =
      std::min(p.k, std::max({int64_t{16}, kElementsPerThread / p.m, ceil_div(p.k, 2 * kTasks)}));
  const int64_t parts = ceil_div(p.k, depth);
  Workspace<float> sums(p.batches * parts * p.m);
  parallel_for(
      p.batches * parts, Grain::cheap / (depth * p.m) + 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t batch = task / parts, k = task % parts * depth;
          kernel({p.m, 1, std::min(depth, p.k - k), p.alpha, p.beta,
                  p.a.data + (batch * p.a.batch + k * p.a.col) * item, p.a.row, p.a.col,
                  vector.data + (batch * vector.batch + k) * static_cast<int64_t>(sizeof(float)), 1,
                  1, reinterpret_cast<char*>(sums.data() + task * p.m), 1, 1});
        }
      });
  const bool half = p.dtype == DType::Half;
  for (int64_t batch = 0; batch < p.batches; ++batch) {
    (half ? add_parts<Half> : add_parts<BFloat16>)(p, sums.data() + batch * parts * p.m, parts,
                                                   p.c.data + batch * p.c.batch * item);
  }
}

// A matrix of a 16-bit type times a vector, which is converted first.
void multiply_reduced_by_vector(ProductCall p) {
  if (p.n != 1) p = transposed(p);
  FloatFactor vector(p.dtype, p.b, p.batches, p.k, 1);
  vector.read();
  (p.a.col == 1 ? multiply_rows_by_vector : multiply_columns_by_vector)(p, vector.get());
}

// The blocks of c.
struct Blocks {
  int64_t rows, cols;    // of a block
  int64_t down, across;  // number of blocks
};

// Blocks are large, because each packs its factors again, but there should be enough for all
// threads. The results do not depend on the blocks.
Blocks blocks_of(const ProductCall& p, int parts, int threads) {
  constexpr int64_t kMostCols = 512, kMostRows = 512, kSmallest = 64, kWork = 1 << 23;
  const int64_t batches = p.sum ? 1 : p.batches;
  int64_t down = 1, across = ceil_div(p.n, kMostCols);
  const auto sizes = [&] {
    return bfloat16_sizes(ceil_div(p.m, down), ceil_div(p.n, across), p.k, parts,
                          p.sum ? p.batches : 1);
  };
  // The sums of all rows should stay in the L2 cache.
  if (sizes().rows > kMostRows) down = ceil_div(p.m, kMostRows);
  for (;;) {
    const int64_t rows = ceil_div(p.m, down), cols = ceil_div(p.n, across);
    const int64_t tasks = down * across * batches;
    const bool large = std::max(rows, cols) > kSmallest && rows * cols > kWork / p.k;
    if (tasks % threads == 0 || tasks >= 4 * threads || !large) break;
    ++(rows >= cols ? down : across);
  }
  // Whole panels.
  const int64_t rows = BFloat16Sizes::whole(ceil_div(p.m, down));
  const int64_t cols = BFloat16Sizes::whole(ceil_div(p.n, across));
  return {rows, cols, ceil_div(p.m, rows), ceil_div(p.n, cols)};
}

// By the CPU's instructions for BFloat16.
void multiply_bfloat16(ProductCall p) {
  constexpr int64_t kItem = 2, kWork = 1 << 20;
  // Packing is fastest for a factor a with contiguous rows and a factor b with contiguous columns.
  // If both factors have contiguous rows, or columns, a is the larger one.
  const bool a_by_sums = p.a.col == 1, b_by_sums = p.b.row == 1;
  if (a_by_sums == b_by_sums ? p.n > p.m : b_by_sums) p = transposed(p);
  const int parts = p.dtype == DType::Half ? 2 : 1;
  const Blocks blocks = blocks_of(p, parts, num_threads());
  const int64_t batches = p.sum ? 1 : p.batches, tiles = blocks.down * blocks.across;
  const int64_t grain = kWork / (blocks.rows * blocks.cols * p.k * (p.sum ? p.batches : 1)) + 1;
  const BFloat16Sizes sizes =
      bfloat16_sizes(blocks.rows, blocks.cols, p.k, parts, p.sum ? p.batches : 1);
  const int64_t bytes = (sizes.bytes() + 63) / 64 * 64;
  const Team team(batches * tiles);
  Workspace<char> memory(bytes * team.size());
  const BFloat16Product kernel = bfloat16_product(p.dtype);
  parallel_for(batches * tiles, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t batch = task / tiles, tile = task % tiles;
      const int64_t i = tile / blocks.across * blocks.rows, j = tile % blocks.across * blocks.cols;
      kernel(
          {std::min(blocks.rows, p.m - i), std::min(blocks.cols, p.n - j), p.k, p.alpha, p.beta,  //
           p.a.data + (batch * p.a.batch + i * p.a.row) * kItem, p.a.row, p.a.col,                //
           p.b.data + (batch * p.b.batch + j * p.b.col) * kItem, p.b.row, p.b.col,                //
           p.c.data + (batch * p.c.batch + i * p.c.row + j * p.c.col) * kItem, p.c.row, p.c.col},
          {p.sum ? p.batches : 1, p.a.batch, p.b.batch}, sizes.depth,
          memory.data() + team.index() * bytes);
    }
  });
}

// By float copies of the factors.
void multiply_in_float(ProductCall call) {
  // A large factor is converted in parts of contiguous rows, which stay in the cache until they are
  // multiplied.
  constexpr int64_t kLarge = 1 << 22, kPart = 1 << 19;
  const bool by_columns = call.n > call.m && call.b.row == 1 && call.n >= kLarge / call.k;
  if (by_columns && call.batches == 1) call = transposed(call);
  const bool in_parts = call.batches == 1 && call.a.col == 1 && call.m >= kLarge / call.k;
  const int64_t rows = in_parts ? part_of(call.m, std::max<int64_t>(64, kPart / call.k)) : call.m;
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  FloatFactor b(call.dtype, call.b, call.batches, call.k, call.n);
  b.read();
  for (int64_t i = 0; i < call.m; i += rows) {
    ProductCall part = call;
    part.m = std::min(rows, call.m - i);
    part.a.data += i * call.a.row * item;
    part.c.data += i * call.c.row * item;
    FloatFactor a(call.dtype, part.a, call.batches, part.m, call.k);
    FloatFactor c(call.dtype, part.c, call.sum ? 1 : call.batches, part.m, call.n);
    a.read();
    if (call.beta.d != 0) c.read();
    part.dtype = DType::Float;
    part.a = a.get();
    part.b = b.get();
    part.c = c.get();
    multiply(part);
    c.write();
  }
}

}  // namespace

void multiply_reduced(const ProductCall& call) {
  const bool by_vector = (call.m == 1 || call.n == 1) && call.k > 1 && !call.sum;
  if (by_vector && call.alpha.d != 0 && product_kernels().reduced_rows[call.dtype]) {
    return multiply_reduced_by_vector(call);
  }
  const bool by_bfloat16 = call.m > 1 && call.n > 1 && call.alpha.d != 0;
  if (by_bfloat16 && bfloat16_product(call.dtype)) return multiply_bfloat16(call);
  multiply_in_float(call);
}

}  // namespace th

// Matrix products on memory, cut into blocks that depend on the shapes only.

#include "cpu/product.h"

#include <algorithm>
#include <optional>

#include "backend/cpu_backend.h"
#include "cpu/blas.h"
#include "cpu/parallel.h"
#include "cpu/product_kernels.h"
#include "cpu/product_parts.h"
#include "cpu/reduced_product.h"
#include "cpu/team.h"
#include "cpu/workspace.h"

namespace th {

namespace {

// Selects this kernel for products with few rows: b is read directly, or the transposed result is
// computed with a as b. Libraries are faster if there is little work, and for more memory than
// kMostBytes, because this kernel reads short lines.
enum class FewRows { no, rows, columns };
FewRows few_rows(const ProductCall& p) {
  constexpr double kLeastWork = 1 << 20, kMostBytes = 1 << 26;
  constexpr int64_t kShortest = 48;
  double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  int64_t most = product_kernels().most_rows;
  if (is_integral(p.dtype) || p.k == 1 || p.m == 1 || p.n == 1 || work < kLeastWork) {
    return FewRows::no;
  }
  bool by_rows = p.m <= most && p.n >= kShortest && p.b.col == 1;
  bool by_columns = p.n <= most && p.m >= kShortest && p.a.row == 1;
  double lines = static_cast<double>(by_rows ? p.n : p.m) * static_cast<double>(p.k);
  if (lines * static_cast<double>(item_size(p.dtype)) > kMostBytes) return FewRows::no;
  return by_rows ? FewRows::rows : by_columns ? FewRows::columns : FewRows::no;
}

// Returns true if c is best written past the caches: it is larger than a cache, and sums of few
// terms take less time than reading its lines before writing them.
bool is_streamed(const ProductCall& p) {
  constexpr int64_t kCached = 1 << 22, kMostDepth = 128, kLine = 64;
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  const int64_t lines = p.c.col == 1 ? p.c.row : p.c.col;
  return p.beta.d == 0 && !p.sum && p.k <= kMostDepth && p.m * p.n * item > kCached &&
         (lines | p.c.batch) * item % kLine == 0 &&
         reinterpret_cast<uintptr_t>(p.c.data) % kLine == 0;
}

// Selects the kernel of products by panels. OpenBLAS is faster for few results. It is also faster
// for little work, where it does not copy the factors, unless it computes inner products of lines
// or the result is large. Long sums of few results are divided among threads.
bool is_by_panels(const ProductCall& p) {
  constexpr int64_t kShortest = 32, kFewResults = 48 * 48, kMostDepth = 4096,
                    kManyResults = 1 << 16;
  if (!product_kernels().panels[p.dtype] || p.alpha.d == 0 || few_rows(p) != FewRows::no) {
    return false;
  }
  const double size = static_cast<double>(p.m) * static_cast<double>(p.n);
  const int64_t least_depth = is_streamed(p) ? 8 : 24;
  const double least_work = p.a.col == 1 && p.b.row == 1 ? 1 << 16 : 1 << 20;
  return std::min(p.m, p.n) >= kShortest && size >= kFewResults && p.k >= least_depth &&
         (p.k <= kMostDepth || size >= kManyResults) &&
         size * static_cast<double>(p.k) >= least_work;
}

struct Tiling {
  int64_t rows, cols;    // size of a tile of c
  int64_t down, across;  // number of tiles
  int64_t depth, parts;  // sums are divided into `parts` of `depth` elements
  int64_t rest;          // depth of the last part
};

// A tile of whole panels for each thread: a tile copies its rows and its columns, so tiles are
// almost square. The number of threads may decide, because each element of c is the same sum in all
// tilings.
void tile_panels(const ProductCall& p, Tiling* t) {
  constexpr double kLeastWork = 1 << 20;
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  int64_t tiles = in_parallel() ? 1 : num_threads();
  if (!p.sum && p.batches >= tiles) tiles = 1;
  tiles = std::min(tiles, static_cast<int64_t>(work / kLeastWork) + 1);
  int64_t down = tiles;
  const auto length = [&](int64_t parts) {
    return ceil_div(p.m, parts) + ceil_div(p.n, tiles / parts);
  };
  for (int64_t k = 1; k < tiles; ++k) {
    if (tiles % k == 0 && length(k) < length(down)) down = k;
  }
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  const auto part = [](int64_t size, int64_t parts, int64_t whole) {
    return std::min(size, ceil_div(ceil_div(size, parts), whole) * whole);
  };
  const bool by_rows = p.c.col == 1;
  t->rows = part(p.m, down, by_rows ? kPanelRows : kPanelBytes / item);
  t->cols = part(p.n, tiles / down, by_rows ? kPanelBytes / item : kPanelRows);
}

// Outer product: tiles are contiguous in c.
void tile_outer(const ProductCall& p, Tiling* t) {
  bool by_rows = p.c.col == 1;
  int64_t line = part_of(by_rows ? p.n : p.m, kElementsPerThread);
  int64_t lines =
      std::min(by_rows ? p.m : p.n, std::max<int64_t>(1, kElementsPerThread / 8 / line));
  t->rows = by_rows ? lines : line;
  t->cols = by_rows ? line : lines;
}

// If the matrix is row-major, each result is a sum of contiguous elements. If it is column-major,
// all results are updated for each column, so the columns are divided, too, and their partial
// results are added.
void tile_matrix_vector(const ProductCall& p, Tiling* t) {
  constexpr int64_t kLarge = 1 << 21;  // more than the cache of a core
  int64_t size = p.m * p.n;
  bool by_columns = size > 1 && (p.n == 1 ? p.a.row == 1 : p.b.col == 1) && size >= kLarge / p.k;
  int64_t limit = std::max<int64_t>(by_columns ? 1 << 14 : 256, kElementsPerThread / p.k);
  t->rows = part_of(p.m, limit);
  t->cols = part_of(p.n, limit);
  int64_t tile = t->rows * t->cols;
  if (by_columns && ceil_div(size, tile) < kTasks) {
    t->depth =
        part_of(p.k, std::max({int64_t{64}, kElementsPerThread / tile, ceil_div(p.k, 2 * kTasks)}));
  }
}

// Each tile packs its operands again, which is inefficient for small tiles, but there should be
// enough tiles for all threads: 8 for matrices of size 512, 16 for sizes 1024 and 2048. If there
// are few tiles, because the sums are long, the sums are divided.
void tile_product(const ProductCall& p, Tiling* t) {
  constexpr int64_t kLeastDepth = 512;
  double size = static_cast<double>(p.m) * static_cast<double>(p.n);
  int64_t rows = size <= 128 * 128 ? 64 : size <= 512 * 512 ? 128 : 256;
  int64_t cols = size <= 256 * 256 ? rows : 256;
  if (size > 1024 * 1024) rows = cols = size <= 1536 * 1536 ? 384 : 512;
  // Tiles are longer if the other dimension is short.
  int64_t most = few_rows(p) == FewRows::no ? 4 : 64;
  t->rows = part_of(p.m, std::min(most * rows, rows * cols / std::min(p.n, cols)));
  t->cols = part_of(p.n, std::min(most * cols, rows * cols / std::min(p.m, rows)));
  int64_t tiles = ceil_div(p.m, t->rows) * ceil_div(p.n, t->cols);
  if (tiles < kTasks / 2) {
    t->depth = part_of(p.k, std::max(kLeastDepth, ceil_div(p.k * tiles, kTasks)));
  }
}

Tiling tiling_of(const ProductCall& p) {
  Tiling t;
  t.depth = p.k;
  if (p.k == 1 && !is_integral(p.dtype)) {
    tile_outer(p, &t);
  } else if (p.m == 1 || p.n == 1) {
    tile_matrix_vector(p, &t);
  } else if (is_by_panels(p)) {
    tile_panels(p, &t);
  } else {
    tile_product(p, &t);
  }
  if (p.sum || p.batches > 1 || is_integral(p.dtype)) t.depth = p.k;
  t.parts = ceil_div(p.k, t.depth);
  t.rest = p.k - (t.parts - 1) * t.depth;
  t.down = ceil_div(p.m, t.rows);
  t.across = ceil_div(p.n, t.cols);
  return t;
}

template <class T>
blas::Matrix<T> as_matrix(char* data, int64_t row, int64_t col) {
  return {reinterpret_cast<T*>(data), col == 1 ? row : col, col == 1};
}

template <class T>
void multiply_by_blas(const ProductBlock& p, const ProductCall& whole) {
  T alpha = static_cast<T>(p.alpha.d), beta = static_cast<T>(p.beta.d);
  auto a = as_matrix<const T>(const_cast<char*>(p.a), p.a_row, p.a_col);
  auto b = as_matrix<const T>(const_cast<char*>(p.b), p.b_row, p.b_col);
  auto c = as_matrix<T>(p.c, p.c_row, p.c_col);
  if (whole.n == 1) {
    blas::gemv(p.m, p.k, alpha, a, b.data, p.b_row, beta, c.data, p.c_row);
  } else if (whole.m == 1) {
    b.by_rows = !b.by_rows;
    blas::gemv(p.n, p.k, alpha, b, a.data, p.a_col, beta, c.data, p.c_col);
  } else {
    blas::gemm(p.m, p.n, p.k, alpha, a, b, beta, c);
  }
}

// Exchanges the factors, so that the inner loop runs along the contiguous dimension of c or b.
void transpose(ProductBlock* p) {
  std::swap(p->a, p->b);
  std::swap(p->m, p->n);
  std::swap(p->c_row, p->c_col);
  std::swap(p->a_row, p->b_col);
  std::swap(p->a_col, p->b_row);
}

bool is_by_blas(const ProductCall& p) {
  return !is_integral(p.dtype) && p.k != 1 && few_rows(p) == FewRows::no && !is_by_panels(p);
}

// memory: panel_bytes() of it for the tile, if is_by_panels(p).
void multiply_tile(const ProductCall& p, ProductBlock block, char* memory) {
  const ProductKernels& kernels = product_kernels();
  int type = static_cast<int>(p.dtype);
  if (kernels.integer[type]) {
    kernels.integer[type](block);
  } else if (p.k == 1) {
    if (block.c_col != 1) transpose(&block);
    kernels.outer[type](block);
  } else if (FewRows few = few_rows(p); few != FewRows::no) {
    if (few == FewRows::columns) transpose(&block);
    kernels.few_rows[type](block);
  } else if (memory) {
    if (block.c_col != 1) transpose(&block);
    kernels.panels[type](block, memory);
  } else if (p.dtype == DType::Float) {
    multiply_by_blas<float>(block, p);
  } else {
    multiply_by_blas<double>(block, p);
  }
}

void multiply_tile(const ProductCall& p, const Tiling& t, int64_t batch, int64_t tile,
                   char* memory) {
  int64_t item = static_cast<int64_t>(item_size(p.dtype));
  int64_t i = tile / t.across * t.rows, j = tile % t.across * t.cols;
  ProductBlock block = {std::min(t.rows, p.m - i),
                        std::min(t.cols, p.n - j),
                        t.parts > 1 && batch == t.parts - 1 ? t.rest : p.k,
                        p.alpha,
                        p.beta,
                        p.a.data + (batch * p.a.batch + i * p.a.row) * item,
                        p.a.row,
                        p.a.col,
                        p.b.data + (batch * p.b.batch + j * p.b.col) * item,
                        p.b.row,
                        p.b.col,
                        p.c.data + (batch * p.c.batch + i * p.c.row + j * p.c.col) * item,
                        p.c.row,
                        p.c.col,
                        is_streamed(p)};
  multiply_tile(p, block, memory);
  if (!p.sum) return;
  block.beta = is_integral(p.dtype) ? Scalar(1) : Scalar(1.0);
  for (int64_t k = 1; k < p.batches; ++k) {
    block.a += p.a.batch * item;
    block.b += p.b.batch * item;
    multiply_tile(p, block, memory);
  }
}

// Returns the minimum number of tiles per thread.
int64_t grain_of(const ProductCall& p, const Tiling& t) {
  double work = static_cast<double>(t.rows) * static_cast<double>(t.cols) *
                static_cast<double>(p.k) * static_cast<double>(p.sum ? p.batches : 1);
  bool memory_bound = p.m == 1 || p.n == 1 || p.k == 1;
  double enough = memory_bound || is_integral(p.dtype) ? Grain::cheap : 1 << 18;
  return work >= enough ? 1 : static_cast<int64_t>(enough / work);
}

void multiply_tiles(const ProductCall& p, const Tiling& t) {
  int64_t tiles = t.down * t.across;
  int64_t tasks = p.sum ? tiles : tiles * p.batches;
  const Team team(tasks);
  std::optional<blas::OneThread> guard;
  if (is_by_blas(p)) {
    guard.emplace(team.size(), blas::unchecked_bytes(t.rows, t.cols, t.depth));
  }
  const int64_t bytes = is_by_panels(p) ? panel_bytes(p.dtype, p.c.col == 1 ? t.cols : t.rows) : 0;
  Workspace<char> memory(bytes * team.size());
  parallel_for(tasks, grain_of(p, t), [&](int64_t begin, int64_t end) {
    char* own = bytes ? memory.data() + team.index() * bytes : nullptr;
    for (int64_t task = begin; task < end; ++task) {
      multiply_tile(p, t, task / tiles, task % tiles, own);
    }
  });
}

// c = beta * c + sums, for n elements. If beta is 0, c is not read.
void add_sums(DType dtype, int64_t n, const char* sums, Scalar beta, char* c, int64_t step) {
  const float one_float = 1;
  const double one_double = 1;
  const void* one = dtype == DType::Float ? static_cast<const void*>(&one_float) : &one_double;
  product_kernels().outer[static_cast<int>(dtype)](
      {1, n, 1, Scalar(1.0), beta, static_cast<const char*>(one), 1, 1, sums, 1, 1, c, 1, step});
}

// Computes the parts of the sums as a batch of products and adds the results in order.
void multiply_in_parts(const ProductCall& p, const Tiling& t) {
  const bool by_rows = p.c.col == 1;
  const int64_t size = p.m * p.n, line = by_rows ? p.n : p.m;
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  Workspace<char> sums(size * t.parts * item);
  ProductCall part = p;
  part.batches = t.parts;
  part.k = t.depth;
  part.beta = Scalar(0.0);
  part.a.batch = t.depth * p.a.col;
  part.b.batch = t.depth * p.b.row;
  part.c = {sums.data(), size, by_rows ? p.n : 1, by_rows ? 1 : p.m};
  multiply_tiles(part, t);
  for (int64_t k = 1; k < t.parts; ++k) {
    add_sums(p.dtype, size, sums.data() + k * size * item, Scalar(1.0), sums.data(), 1);
  }
  for (int64_t i = 0; i < size / line; ++i) {
    add_sums(p.dtype, line, sums.data() + i * line * item, p.beta,
             p.c.data + i * (by_rows ? p.c.row : p.c.col) * item, by_rows ? p.c.col : p.c.row);
  }
}

bool is_small(const ProductCall& p) {
  constexpr int64_t kShort = 4096;  // terms; with more, BLAS is as fast
  const bool are_dots = p.batches > 1 && p.m == 1 && p.n == 1 && p.k <= kShort && p.a.col == 1 &&
                        p.b.row == 1 && !p.sum;
  return !is_integral(p.dtype) && p.k > 1 && p.alpha.d != 0 &&
         (are_dots || std::max({p.m, p.n, p.k}) <= kSmallProduct);
}

// Computes small products without a BLAS call for each.
void multiply_small(const ProductCall& p) {
  const auto kernel = product_kernels().small[p.dtype];
  const auto item = static_cast<int64_t>(item_size(p.dtype));
  const int64_t step[] = {p.a.batch, p.b.batch, p.sum ? 0 : p.c.batch};
  auto range = [&](int64_t begin, int64_t end, Scalar beta) {
    kernel({p.m, p.n, p.k, p.alpha, beta,                         //
            p.a.data + begin * step[0] * item, p.a.row, p.a.col,  //
            p.b.data + begin * step[1] * item, p.b.row, p.b.col,  //
            p.c.data + begin * step[2] * item, p.c.row, p.c.col},
           end - begin, step);
  };
  if (p.sum) {
    range(0, 1, p.beta);
    range(1, p.batches, Scalar(1.0));
  } else {
    parallel_for(p.batches, Grain::cheap / (p.m * p.n * p.k) + 1,
                 [&](int64_t begin, int64_t end) { range(begin, end, p.beta); });
  }
}

}  // namespace

void multiply(const ProductCall& p) {
  if (info(p.dtype).kind == Kind::REDUCED) return multiply_reduced(p);
  if (is_small(p)) return multiply_small(p);
  Tiling t = tiling_of(p);
  t.parts > 1 ? multiply_in_parts(p, t) : multiply_tiles(p, t);
}

}  // namespace th

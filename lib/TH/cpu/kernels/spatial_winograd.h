#ifndef TH_CPU_KERNELS_SPATIAL_WINOGRAD_H
#define TH_CPU_KERNELS_SPATIAL_WINOGRAD_H

// Convolutions of 3 x 3 with a stride of 1 by the algorithm F(2 x 2, 3 x 3) of A. Lavin and S.
// Gray, Fast algorithms for convolutional neural networks (2016). A tile of 2 x 2 results needs 16
// multiplications for each input instead of 36: weights and elements are transformed by additions,
// multiplied, and the sums are transformed to results.

#include <atomic>
#include <cmath>
#include <limits>

#include "cpu/kernels/spatial_source.h"

namespace th {
namespace {

// result[row][y][x] = bias[row] + sum over d < depth, i < 3 and j < 3 of
// weights[row][d][i][j] * source[d][y + i][x + j], for each group and image.
template <class E, class T>
struct WinogradProduct {
  int64_t groups, rows, depth;
  // groups x rows x depth kernels, or groups x depth x rows kernels that are turned by 180 degrees.
  const E* weights;
  bool is_turned;
  const T* source;  // even and odd columns are separate: a step of 2
  int64_t source_group, source_image, source_channel, source_y, source_odd;
  int64_t images, size[2];
  E* result;
  int64_t result_group, result_row, result_image;
  const E* bias;  // groups x rows; may be null
};

// Returns true if no element is much larger than others that are not 0. Their typical size is the
// square of the mean square root, in which few large elements count little. Winograd's method needs
// this, because a result gets rounding errors of all products of its 9 elements and 9 weights, also
// of those that cancel.
template <class T, class E>
bool has_small_range(const E* data, int64_t count) {
  constexpr int kLanes = TileSize<T>::kLanes;
  constexpr int64_t kPart = 1 << 16;
  constexpr T kMost = 256;
  struct Sums {
    T largest[kLanes] = {}, roots[kLanes] = {}, others[kLanes] = {};

    void add(const E* x, int lanes) {
      for (int i = 0; i < lanes; ++i) {
        const T size = std::abs(T(load(x[i])));
        largest[i] = size > largest[i] ? size : largest[i];
        roots[i] += std::sqrt(size);
        others[i] += size != 0 ? T(1) : T(0);
      }
    }
  };
  const int64_t parts = ceil_div(count, kPart);
  const Workspace<Sums> sums(parts);
  parallel_for(parts, 4, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      const int64_t last = std::min(count, (part + 1) * kPart);
      Sums own;
      int64_t k = part * kPart;
      for (; k + kLanes <= last; k += kLanes) own.add(data + k, kLanes);
      own.add(data + k, static_cast<int>(last - k));
      sums[part] = own;
    }
  });
  T largest = 0, roots = 0, others = 0;
  for (int64_t part = 0; part < parts; ++part) {
    for (int i = 0; i < kLanes; ++i) {
      largest = std::max(largest, sums[part].largest[i]);
      roots += sums[part].roots[i];
      others += sums[part].others[i];
    }
  }
  const T root = roots / std::max<T>(others, 1);
  return largest <= kMost * root * root;
}

template <class E, class T>
class WinogradLoop {
 public:
  explicit WinogradLoop(const WinogradProduct<E, T>& product) : p_(product) {
    for (int64_t j = 0; j < TileSize<T>::kRows; ++j) rows_of_weights_[j] = j * p_.depth;
    across_ = ceil_div(p_.size[1], 2);
    down_ = ceil_div(p_.size[0], 2);
    tiles_ = p_.images * down_ * across_;
    const int64_t vectors = ceil_div(tiles_, kLanes);
    panels_ = ceil_div(vectors, TileSize<T>::kVectors);
    width_ = ceil_div(vectors, panels_) * kLanes;
    panels_ = ceil_div(tiles_, width_);
    divide_rows(kFewRows);
    // Each block reads the elements of a set of panels again. With wide vectors, products wait for
    // them longer than for the weights of more rows.
    if (kVectorBytes == 64 && !has_shared_weights()) divide_rows(kManyRows);
    set_ = has_shared_weights() ? 1 : std::min(panels_, kPanels);
    sets_ = ceil_div(panels_, set_);
    blocks_of_a_task_ = row_blocks_;
    const int64_t threads = num_threads();
    while (threads > 1 && blocks_of_a_task_ > 1 && tasks() < 4 * threads) {
      blocks_of_a_task_ = ceil_div(blocks_of_a_task_, 2);
    }
  }
  int64_t tasks() const { return p_.groups * sets_ * ceil_div(row_blocks_, blocks_of_a_task_); }
  double work() const {
    return static_cast<double>(p_.groups) * static_cast<double>(p_.rows) *
           static_cast<double>(p_.depth) * static_cast<double>(panels_ * width_) * kPlaces;
  }

  // The transformed weights of a block of rows: 16 x row_block_ x depth.
  int64_t blocks() const { return p_.groups * row_blocks_; }
  int64_t weights() const { return kPlaces * row_block_ * p_.depth; }
  // More transformed weights than these do not stay in a cache. Then each set of panels transforms
  // those that it needs, block by block.
  bool has_shared_weights() const { return blocks() * weights() <= kMostShared; }
  void transform_weights(int64_t block, T* to) const {
    const int64_t group = block / row_blocks_, first = block % row_blocks_ * row_block_;
    const int64_t rows = std::min(row_block_, p_.rows - first);
    for (int64_t d = 0; d < p_.depth; d += kLanes) {
      const int64_t count = std::min<int64_t>(kLanes, p_.depth - d);
      for (int64_t row = 0; row < rows; ++row) {
        transform_kernels(group, first + row, d, count, to + row * p_.depth + d);
      }
    }
  }

  // Memory of each slot.
  int64_t elements() const { return set_ * panel(); }
  int64_t sums() const { return kPlaces * set_ * row_block_ * width_; }

  // weights: of all blocks if has_shared_weights(), otherwise memory for one. Returns false if a
  // result is not finite.
  bool run(int64_t task, T* weights, T* elements, T* sums) const {
    const int64_t set = task % sets_, group = task / sets_ % p_.groups;
    const int64_t begin = task / sets_ / p_.groups * blocks_of_a_task_;
    const int64_t end = std::min(begin + blocks_of_a_task_, row_blocks_);
    const int panels = static_cast<int>(std::min(set_, panels_ - set * set_));
    Run runs[kPanels][TileSize<T>::kWidth];
    int count[kPanels];
    for (int k = 0; k < panels; ++k) {
      count[k] = runs_of(set * set_ + k, runs[k]);
      transform_elements(group, runs[k], count[k], elements + k * panel());
    }
    bool is_finite = true;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t block = group * row_blocks_ + b, row = b * row_block_;
      const int64_t rows = std::min(row_block_, p_.rows - row);
      T* own = has_shared_weights() ? weights + block * this->weights() : weights;
      if (!has_shared_weights()) transform_weights(block, own);
      multiply(own, rows, elements, panels, sums);
      for (int k = 0; k < panels; ++k) {
        for (int64_t i = 0; i < rows; ++i) {
          const T* of_row = sums + (k * row_block_ + i) * width_;
          for (int r = 0; r < count[k]; ++r) {
            is_finite = store(group, row + i, runs[k][r], of_row) && is_finite;
          }
        }
      }
    }
    return is_finite;
  }

 private:
  static constexpr int kPlaces = 16;  // elements of a transformed tile
  static constexpr int kLanes = TileSize<T>::kLanes;
  static constexpr int64_t kFewRows = 32, kManyRows = 128, kPanels = 4,
                           kMostShared = (2 << 20) / sizeof(T);
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(sizeof(T))));

  void divide_rows(int64_t most) {
    row_blocks_ = ceil_div(p_.rows, most);
    row_block_ = ceil_div(p_.rows, row_blocks_);
  }

  // Consecutive tiles of one row of tiles, and their columns in the panel.
  struct Run {
    int64_t image, y, x, length, column;
  };

  // Elements of a panel from one place to the next: depth x width_. The last vector of a run may
  // extend beyond them.
  int64_t place() const { return p_.depth * width_ + kLanes; }
  int64_t panel() const { return kPlaces * place(); }

  // Transforms one dimension of kernels.
  static void transform_kernel(const Vector* in, int step, Vector* out, int out_step) {
    const Vector ends = in[0] + in[2 * step], middle = in[step];
    out[0] = in[0];
    out[out_step] = (ends + middle) / 2;
    out[2 * out_step] = (ends - middle) / 2;
    out[3 * out_step] = in[2 * step];
  }
  // Transforms `count` kernels of a row.
  void transform_kernels(int64_t group, int64_t row, int64_t d, int64_t count, T* to) const {
    constexpr int64_t kTaps = 9;
    Vector kernel[kTaps] = {}, columns[12], all[kPlaces];
    const int64_t rows = p_.rows, depth = p_.depth, step = p_.is_turned ? rows : 1;
    const E* from = p_.weights + (p_.is_turned ? (group * depth + d) * rows + row
                                               : (group * rows + row) * depth + d) *
                                     kTaps;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = 0; k < kTaps; ++k) {
        kernel[k][i] = load(from[i * step * kTaps + (p_.is_turned ? kTaps - 1 - k : k)]);
      }
    }
    for (int j = 0; j < 3; ++j) transform_kernel(kernel + j, 3, columns + j, 3);
    for (int i = 0; i < 4; ++i) transform_kernel(columns + 3 * i, 1, all + 4 * i, 1);
    for (int64_t k = 0; k < kPlaces; ++k) {
      T* at = to + k * row_block_ * depth;
      if (count == kLanes) {
        *reinterpret_cast<Unaligned*>(at) = all[k];
      } else {
        std::memcpy(at, &all[k], static_cast<size_t>(count) * sizeof(T));
      }
    }
  }

  int runs_of(int64_t panel, Run* runs) const {
    const int64_t first = panel * width_, end = std::min(tiles_, first + width_);
    int count = 0;
    for (int64_t tile = first; tile < end; tile += runs[count++].length) {
      const int64_t line = tile / across_, x = tile % across_;
      runs[count] = {line / down_, line % down_, x, std::min(across_ - x, end - tile),
                     tile - first};
    }
    return count;
  }

  static void transform(const Vector* in, int step, Vector* out, int out_step) {
    out[0] = in[0] - in[2 * step];
    out[out_step] = in[step] + in[2 * step];
    out[2 * out_step] = in[2 * step] - in[step];
    out[3 * out_step] = in[step] - in[3 * step];
  }
  static Vector vector_at(const T* p) { return *reinterpret_cast<const Unaligned*>(p); }

  // Writes the transformed elements of a panel: 16 x depth x width_. A vector may write
  // beyond its run: to the rest of the panel, or to what the next run or channel overwrites.
  void transform_elements(int64_t group, const Run* runs, int count, T* to) const {
    const T* from = p_.source + group * p_.source_group;
    for (int64_t d = 0; d < p_.depth; ++d, from += p_.source_channel, to += width_) {
      for (int k = 0; k < count; ++k) {
        const Run& run = runs[k];
        const int64_t length = k + 1 < count ? run.length : width_ - run.column;
        const T* first = from + run.image * p_.source_image + 2 * run.y * p_.source_y + run.x;
        for (int64_t x = 0; x < length; x += kLanes) {
          transform_vector(first + x, to + run.column + x);
        }
      }
    }
  }
  void transform_vector(const T* from, T* to) const {
    Vector tile[kPlaces], columns[kPlaces], all[kPlaces];
    for (int i = 0; i < 4; ++i) {
      const T *even = from + i * p_.source_y, *odd = even + p_.source_odd;
      tile[4 * i] = vector_at(even);
      tile[4 * i + 1] = vector_at(odd);
      tile[4 * i + 2] = vector_at(even + 1);
      tile[4 * i + 3] = vector_at(odd + 1);
    }
    for (int j = 0; j < 4; ++j) transform(tile + j, 4, columns + j, 4);
    for (int i = 0; i < 4; ++i) transform(columns + 4 * i, 1, all + 4 * i, 1);
    for (int k = 0; k < kPlaces; ++k) *reinterpret_cast<Unaligned*>(to + k * place()) = all[k];
  }

  // sums[place][panel][row] = weights[place][row] times elements[panel][place]
  void multiply(const T* weights, int64_t rows, const T* elements, int panels, T* sums) const {
    Tile<T> tile;
    tile.row = rows_of_weights_;
    tile.at = consecutive_numbers<T>();
    tile.b_at = nullptr;
    tile.c_row = tile.before_row = width_;
    const int vectors = static_cast<int>(width_ / kLanes);
    for (int k = 0; k < kPlaces; ++k, weights += row_block_ * p_.depth) {
      for (int64_t first = 0; first < p_.depth; first += TileSize<T>::kDepth) {
        tile.count = std::min(TileSize<T>::kDepth, p_.depth - first);
        tile.adds = first > 0;
        for (int n = 0; n < panels; ++n) {
          tile.b = elements + n * panel() + k * place() + first * width_;
          for (int64_t i = 0; i < rows; i += TileSize<T>::kRows) {
            const int64_t own = std::min<int64_t>(TileSize<T>::kRows, rows - i);
            tile.a = weights + i * p_.depth + first;
            tile.ahead = i + own < rows ? own * p_.depth : 0;
            tile.c = sums + ((k * set_ + n) * row_block_ + i) * width_;
            tile.before = tile.c;
            multiply_tile(tile, own, vectors);
          }
        }
      }
    }
  }

  // Transforms the sums of a row and a run to results. Returns true if all are finite.
  bool store(int64_t group, int64_t row, const Run& run, const T* sums) const {
    const T bias = p_.bias ? T(load(p_.bias[group * p_.rows + row])) : T(0);
    const int64_t step = set_ * row_block_ * width_;
    const T* from = sums + run.column;
    T lines[2][2][TileSize<T>::kWidth];
    int beyond = 0;
    for (int64_t x = 0; x < run.length; ++x) {
      T columns[2][4];
      for (int j = 0; j < 4; ++j) {
        const T* at = from + j * step + x;
        const T a = at[0], b = at[4 * step], c = at[8 * step], d = at[12 * step];
        columns[0][j] = a + b + c;
        columns[1][j] = b - c - d;
      }
      for (int i = 0; i < 2; ++i) {
        const T* c = columns[i];
        const T even = c[0] + c[1] + c[2] + bias, odd = c[1] - c[2] - c[3] + bias;
        lines[i][0][x] = even;
        lines[i][1][x] = odd;
        beyond |= !(std::abs(even) + std::abs(odd) <= std::numeric_limits<T>::max());
      }
    }
    const int64_t columns = std::min(2 * run.length, p_.size[1] - 2 * run.x);
    E* to = p_.result + group * p_.result_group + row * p_.result_row +
            run.image * p_.result_image + 2 * run.y * p_.size[1] + 2 * run.x;
    for (int i = 0; i < 2 && 2 * run.y + i < p_.size[0]; ++i, to += p_.size[1]) {
      for (int64_t x = 0; x < columns / 2; ++x) {
        to[2 * x] = convert<E>(lines[i][0][x]);
        to[2 * x + 1] = convert<E>(lines[i][1][x]);
      }
      if (columns % 2) to[columns - 1] = convert<E>(lines[i][0][columns / 2]);
    }
    return !beyond;
  }

  WinogradProduct<E, T> p_;
  int64_t rows_of_weights_[TileSize<T>::kRows];  // of a tile, from its first one
  int64_t across_, down_, tiles_;                // tiles of an image, and of all
  int64_t width_, panels_;                       // tiles of a panel, in whole vectors
  int64_t set_, sets_;                           // panels that share a block of weights
  int64_t row_block_, row_blocks_;
  int64_t blocks_of_a_task_;
};

// Computes the result. Returns false if an element of it is not finite.
template <class E, class T>
bool run_winograd(const WinogradProduct<E, T>& product) {
  const WinogradLoop<E, T> loop(product);
  const int64_t slots = slots_for(loop.tasks(), loop.work()), size = loop.weights();
  const bool is_shared = loop.has_shared_weights();
  const Workspace<T> weights((is_shared ? loop.blocks() : slots) * size);
  const Workspace<T> elements(slots * loop.elements()), sums(slots * loop.sums());
  if (is_shared) {
    parallel_for(loop.blocks(), 4, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) loop.transform_weights(k, weights.data() + k * size);
    });
  }
  std::atomic<bool> is_finite = true;
  for_tasks(loop.tasks(), slots, [&](int64_t task, int64_t slot) {
    if (!loop.run(task, weights.data() + (is_shared ? 0 : slot * size),
                  elements.data() + slot * loop.elements(), sums.data() + slot * loop.sums())) {
      is_finite = false;
    }
  });
  return is_finite;
}

}  // namespace
}  // namespace th

#endif

#ifndef TH_CPU_KERNELS_SPATIAL_PRODUCT_H
#define TH_CPU_KERNELS_SPATIAL_PRODUCT_H

// A convolution as a product of the weights and a matrix with a column for each position of the
// result. The elements of a column are those of the source at fixed offsets from the position. The
// matrix is built in blocks that stay in the cache.

#include "cpu/kernels/spatial_source.h"

namespace th {
namespace {

// result[i][position] = bias[i] + sum over k < depth of weights[i][k] * source[position +
// offset[k]], for each group. The positions are those of a grid of `images` x size.
template <class E, class T>
struct SpatialProduct {
  int64_t groups, rows, depth;
  const T* weights;  // groups x rows x depth
  const T* source;
  const int64_t* offset;
  int64_t source_group, source_image, source_stride[2];  // of z and y; that of x is 1
  int64_t images, size[3];
  E* result;
  int64_t result_group, result_row, result_image, result_stride[3];
  const E* bias;     // groups x rows; may be null
  int64_t readable;  // number of elements from `source` on that may be read
};

template <class E, class T>
class ProductLoop {
 public:
  explicit ProductLoop(const SpatialProduct<E, T>& product) : p_(product) {
    join_dimensions();
    const int64_t *size = p_.size, last = size[2];
    const int64_t whole = ceil_div(last, kLanes) * kLanes;
    farthest_ = (p_.groups - 1) * p_.source_group +
                (p_.depth ? *std::max_element(p_.offset, p_.offset + p_.depth) : 0);
    in_row_ = ceil_div(last, kWidth);
    panel_width_ = ceil_div(whole / kLanes, in_row_) * kLanes;
    overlaps_ = in_row_ <= kPanels && last >= panel_width_;
    // Copying pays off if several rows of weights read the copy, or if it saves many columns.
    const bool is_readable_beyond = is_readable(run_at(lines() - 1, 0, last, 0), whole);
    is_direct_ = (overlaps_ || last == whole || is_readable_beyond) &&
                 (p_.rows <= kTileRows || (p_.rows <= 2 * kTileRows && 3 * whole <= 4 * last));
    panels_ = is_direct_ ? lines() * in_row_ : ceil_div(lines() * last, kWidth);
    in_block_ = is_direct_ && overlaps_ ? kPanels / in_row_ * in_row_ : kPanels;
    blocks_ = ceil_div(panels_, in_block_);
    for (int64_t j = 0; j < kTileRows; ++j) rows_of_weights_[j] = j * p_.depth;
    row_block_ = rows_of_a_block();
    row_blocks_ = ceil_div(p_.rows, row_block_);
  }
  int64_t tasks() const { return p_.groups * blocks_ * row_blocks_; }
  double work() const {
    return static_cast<double>(p_.groups) * static_cast<double>(p_.rows) *
           static_cast<double>(p_.depth) * static_cast<double>(panels_) * kWidth;
  }
  // Memory for each slot, in elements of type T and in runs.
  static constexpr int kPanels = 4;
  static constexpr int64_t kMatrix = (kPanels * TileSize<T>::kDepth + 1) * TileSize<T>::kWidth;
  int64_t sums() const { return row_block_ * kPanels * kWidth; }
  static constexpr int64_t kRuns = 4 * TileSize<T>::kWidth;

  // Consecutive positions of one row of the grid.
  struct Run {
    int64_t source, result, length;
    int column;  // of the first one in its panel
  };

  void run(int64_t task, T* matrix, T* sums, Run* runs) const {
    const int64_t block = task % blocks_, group = task / blocks_ / row_blocks_;
    const int64_t row_begin = task / blocks_ % row_blocks_ * row_block_;
    const int64_t rows = std::min(row_block_, p_.rows - row_begin);
    Panel panel[kPanels];
    const int panels = static_cast<int>(std::min(in_block_, panels_ - block * in_block_));
    for (int k = 0; k < panels; ++k) {
      panel[k] = panel_at(block * in_block_ + k, k ? panel[k - 1].end : runs);
    }
    int64_t first = 0;
    do {  // once if the depth is 0
      const int64_t count = std::min(kDepth, p_.depth - first);
      multiply(group, row_begin, rows, first, count, panel, panels, matrix, sums);
      first += kDepth;
    } while (first < p_.depth);
    for (int k = 0; k < panels; ++k) {
      if (!has_direct_result(panel[k])) {
        store(group, row_begin, rows, panel[k], sums + k * kWidth);
      }
    }
  }

 private:
  static constexpr int kLanes = TileSize<T>::kLanes, kWidth = TileSize<T>::kWidth;
  static constexpr int kTileRows = TileSize<T>::kRows;
  static constexpr int64_t kDepth = TileSize<T>::kDepth, kMostRows = 256, kFewRows = 64;
  // Narrow panels are copied one at a time, because their tiles find them in the L1 cache.
  static constexpr bool kCopiesTogether = kVectorBytes == 64;

  // Up to kWidth columns of the matrix.
  struct Panel {
    Run *begin, *end;
    int vectors, columns;
    bool is_contiguous;  // The runs follow each other in the result.
  };

  // Each block of rows copies the columns. Small blocks are for threads that would have nothing to
  // do: slots get whole blocks of rows first, as the last block of columns may be small.
  int64_t rows_of_a_block() const {
    const int64_t threads = num_threads();
    int64_t rows = kMostRows;
    while (threads > 1 && rows > kFewRows &&
           p_.groups * blocks_ * ceil_div(p_.rows, rows) < 4 * threads) {
      rows /= 2;
    }
    return std::min(rows, p_.rows);
  }

  // Treats rows of the grid as one row if they are contiguous in source and result.
  void join_dimensions() {
    int64_t *size = p_.size, *to = p_.result_stride;
    if (p_.source_stride[1] == size[2] && to[1] == size[2] * to[2]) {
      size[2] *= size[1];
      size[1] = 1;
      if (p_.source_stride[0] == size[2] && to[0] == size[2] * to[2]) {
        size[2] *= size[0];
        size[0] = 1;
      }
    }
  }

  int64_t lines() const { return p_.images * p_.size[0] * p_.size[1]; }
  // Returns true if the source has `count` elements from each element of the first column of a run.
  bool is_readable(const Run& run, int64_t count) const {
    return run.source + farthest_ + count <= p_.readable;
  }

  Run run_at(int64_t line, int64_t x, int64_t length, int column) const {
    const int64_t y = line % p_.size[1], z = line / p_.size[1] % p_.size[0];
    const int64_t image = line / p_.size[1] / p_.size[0];
    return {image * p_.source_image + z * p_.source_stride[0] + y * p_.source_stride[1] + x,
            image * p_.result_image + z * p_.result_stride[0] + y * p_.result_stride[1] +
                x * p_.result_stride[2],
            length, column};
  }
  Panel panel_at(int64_t index, Run* runs) const {
    const int64_t last = p_.size[2];
    Panel panel = {runs, runs, 0, 0, true};
    if (is_direct_) {
      int64_t x = index % in_row_ * panel_width_;
      if (overlaps_) x = std::min(x, last - panel_width_);
      const int64_t length = std::min(panel_width_, last - x);
      *panel.end++ = run_at(index / in_row_, x, length, 0);
      panel.vectors = static_cast<int>(ceil_div(length, kLanes));
      panel.columns = static_cast<int>(length);
      return panel;
    }
    int64_t line = index * kWidth / last, x = index * kWidth % last;
    int column = 0;
    for (; column < kWidth && line < lines(); ++line, x = 0) {
      const int64_t length = std::min<int64_t>(last - x, kWidth - column);
      *panel.end = run_at(line, x, length, column);
      if (column) {
        const Run& before = panel.end[-1];
        panel.is_contiguous &= panel.end->result == before.result + before.length;
      }
      ++panel.end;
      column += static_cast<int>(length);
    }
    panel.columns = column;
    panel.vectors = (column + kLanes - 1) / kLanes;
    return panel;
  }

  // Copies the columns of a run, in rows with `width` elements.
  template <int kCount>
  static void copy_vectors(const T* source, const int64_t* offset, int64_t count, const int64_t* at,
                           T* to, int64_t width) {
    int64_t first[kCount];
    std::copy(at, at + kCount, first);
    for (int64_t k = 0; k < count; ++k, to += width) {
      const T* from = source + offset[k];
      for (int v = 0; v < kCount; ++v) {
        std::memcpy(to + first[v], from + first[v], kLanes * sizeof(T));
      }
    }
  }
  void copy_run(const T* source, const int64_t* offset, int64_t count, int64_t length,
                bool may_write_beyond, T* to, int64_t width) const {
    if (length < kLanes && !may_write_beyond) {
      for (int64_t k = 0; k < count; ++k, to += width) {
        std::copy(source + offset[k], source + offset[k] + length, to);
      }
      return;
    }
    // The last vector ends with the run, or extends beyond it.
    const int64_t vectors = ceil_div(length, kLanes);
    int64_t at[] = {0, kLanes, 2 * kLanes};
    if (length >= kLanes) at[vectors - 1] = length - kLanes;
    if (vectors == 1) return copy_vectors<1>(source, offset, count, at, to, width);
    if (vectors == 2) return copy_vectors<2>(source, offset, count, at, to, width);
    copy_vectors<3>(source, offset, count, at, to, width);
  }
  // Copies rows of the matrix. A vector may extend beyond its run if the next run overwrites that
  // part.
  void copy(const T* source, const int64_t* offset, int64_t count, const Panel& panel,
            T* to) const {
    const int64_t width = panel.vectors * kLanes;
    for (const Run* run = panel.begin; run != panel.end; ++run) {
      const bool may_write_beyond = run->column + kLanes <= width && is_readable(*run, kLanes);
      copy_run(source + run->source, offset, count, run->length, may_write_beyond, to + run->column,
               width);
    }
  }

  // Returns true if the last pass over the depth writes the result instead of sums: the columns are
  // whole vectors that follow each other in the result.
  bool has_direct_result(const Panel& panel) const {
    return std::is_same_v<E, T> && p_.result_stride[2] == 1 && panel.is_contiguous &&
           panel.columns == panel.vectors * kLanes;
  }
  // The element of the result in the first column of the panel.
  E* result_at(int64_t group, int64_t row, const Panel& panel) const {
    return p_.result + group * p_.result_group + row * p_.result_row + panel.begin->result;
  }
  void add_bias(int64_t group, int64_t row, int64_t rows, const Panel& panel) const {
    if (!p_.bias) return;
    for (int64_t i = row; i < row + rows; ++i) {
      const T bias = T(load(p_.bias[group * p_.rows + i]));
      E* to = result_at(group, i, panel);
      for (int64_t x = 0; x < panel.columns; ++x) to[x] = convert<E>(load(to[x]) + bias);
    }
  }

  void multiply(int64_t group, int64_t row_begin, int64_t rows, int64_t first, int64_t count,
                const Panel* panel, int panels, T* matrix, T* sums) const {
    const T* source = p_.source + group * p_.source_group;
    Tile<T> tile;
    tile.count = count;
    tile.row = rows_of_weights_;
    tile.at = consecutive_numbers<T>();
    tile.adds = first > 0;
    tile.b_at = is_direct_ ? p_.offset + first : nullptr;
    for (int k = 0; k < panels; ++k) {
      if (is_direct_) {
        tile.b = source + panel[k].begin->source;
      } else {
        const int together = kCopiesTogether ? panels : 1;
        if (k % together == 0) {
          copy_panels(source, p_.offset + first, count, panel + k, together, matrix);
        }
        tile.b = matrix + k % together * kDepth * kWidth;
      }
      const T* weights = p_.weights + (group * p_.rows + row_begin) * p_.depth + first;
      for (int64_t i = 0; i < rows; i += TileSize<T>::kRows) {
        const int64_t own = std::min<int64_t>(TileSize<T>::kRows, rows - i);
        tile.a = weights + i * p_.depth;
        tile.ahead = i + own < rows ? own * p_.depth : 0;
        tile.before_row = kPanels * kWidth;
        tile.before = sums + i * tile.before_row + k * kWidth;
        if constexpr (std::is_same_v<E, T>) {
          if (first + count == p_.depth && has_direct_result(panel[k])) {
            tile.c = result_at(group, row_begin + i, panel[k]);
            tile.c_row = p_.result_row;
            multiply_tile(tile, own, panel[k].vectors);
            add_bias(group, row_begin + i, own, panel[k]);
            continue;
          }
        }
        tile.c_row = tile.before_row;
        tile.c = sums + i * tile.c_row + k * kWidth;
        multiply_tile(tile, own, panel[k].vectors);
      }
    }
  }

  void store(int64_t group, int64_t row_begin, int64_t rows, const Panel& panel,
             const T* sums) const {
    for (int64_t i = 0; i < rows; ++i, sums += kPanels * kWidth) {
      const int64_t row = row_begin + i;
      const T bias = p_.bias ? T(load(p_.bias[group * p_.rows + row])) : T(0);
      E* to = p_.result + group * p_.result_group + row * p_.result_row;
      const int64_t step = p_.result_stride[2];
      for (const Run* run = panel.begin; run != panel.end; ++run) {
        const T* from = sums + run->column;
        E* at = to + run->result;
        if (step == 1) {
          for (int64_t x = 0; x < run->length; ++x) at[x] = convert<E>(from[x] + bias);
        } else {
          for (int64_t x = 0; x < run->length; ++x) at[x * step] = convert<E>(from[x] + bias);
        }
      }
    }
  }

  // Copies the rows of panels. They are often neighbors in the source, so they take turns.
  void copy_panels(const T* source, const int64_t* offset, int64_t count, const Panel* panel,
                   int panels, T* matrix) const {
    const int64_t turn = panels > 1 ? 8 : count;
    for (int64_t k = 0; k < count; k += turn) {
      for (int n = 0; n < panels; ++n) {
        copy(source, offset + k, std::min(turn, count - k), panel[n],
             matrix + n * kDepth * kWidth + k * panel[n].vectors * kLanes);
      }
    }
  }

  SpatialProduct<E, T> p_;
  // Offsets of the rows of a tile from its first one.
  int64_t rows_of_weights_[kTileRows];
  int64_t farthest_;  // The largest offset of an element of a column.
  bool is_direct_;    // The tiles read the source without a copy.
  bool overlaps_;     // The last panel of a row of the grid begins in the one before it.
  int64_t in_row_;    // The number of panels that cover a row of the grid.
  int64_t panel_width_, in_block_;
  int64_t panels_, blocks_, row_block_, row_blocks_;
};

template <class E, class T>
void run_product(const SpatialProduct<E, T>& product) {
  using Loop = ProductLoop<E, T>;
  const Loop loop(product);
  const int64_t slots = slots_for(loop.tasks(), loop.work());
  const Workspace<T> matrix(slots * Loop::kMatrix), sums(slots * loop.sums());
  const Workspace<typename Loop::Run> runs(slots * Loop::kRuns);
  for_tasks(loop.tasks(), slots, [&](int64_t task, int64_t slot) {
    loop.run(task, matrix.data() + slot * Loop::kMatrix, sums.data() + slot * loop.sums(),
             runs.data() + slot * Loop::kRuns);
  });
}

}  // namespace
}  // namespace th

#endif

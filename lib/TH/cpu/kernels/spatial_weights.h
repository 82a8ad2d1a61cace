#ifndef TH_CPU_KERNELS_SPATIAL_WEIGHTS_H
#define TH_CPU_KERNELS_SPATIAL_WEIGHTS_H

// The gradient of the weights of a convolution: a product of the matrix of spatial_product.h, which
// is read where it is, without a copy, and the gradients of the results, transposed in blocks.

#include "cpu/kernels/spatial_source.h"

namespace th {
namespace {

// sums[k][o] = sum over all positions of source[position + offset[k]] * gradient[o][position], for
// each group. The positions are those of a grid of `images` x size, for some images of the batch.
template <class E, class T>
struct WeightProduct {
  int64_t groups, outputs, depth;
  const int64_t* offset;
  int64_t source_group, source_image, source_stride[2];
  int64_t size[3];
  int64_t gradient_group, gradient_image, gradient_output;
};

template <class E, class T>
class WeightLoop {
 public:
  // images: the number to be added at once. at_once: these are all images.
  WeightLoop(const WeightProduct<E, T>& product, int64_t images, bool at_once) : p_(product) {
    panels_ = ceil_div(p_.outputs, kWidth);
    row_ = ceil_div(p_.outputs, kLanes) * kLanes;
    blocks_ = ceil_div(p_.depth, kBlock);
    plane_ = p_.size[0] * p_.size[1] * p_.size[2];
    // If there are few tasks, the positions are divided, too, and partial sums are added in order.
    const int64_t tasks = p_.groups * panels_ * blocks_;
    parts_ = tasks >= kTasks ? 1
                             : std::clamp<int64_t>(images * plane_ / kFewestPositions, 1,
                                                   ceil_div(kTasks, tasks));
    is_local_ = at_once && parts_ == 1;
  }
  int64_t tasks() const { return parts_ * p_.groups * panels_ * blocks_; }
  double work(int64_t images) const {
    return static_cast<double>(images * plane_) * static_cast<double>(p_.groups) *
           static_cast<double>(p_.depth) * static_cast<double>(row_);
  }
  // Elements of memory for the sums of all tasks, and for each slot.
  int64_t sums() const {
    if (is_local_) return 0;
    const char* what = "the sums of a gradient";
    return checked_mul(checked_mul(parts_ * p_.groups, p_.depth, what), row_, what);
  }
  int64_t local_sums() const { return is_local_ ? kBlock * kWidth : 0; }
  static constexpr int64_t kMatrix = TileSize<T>::kDepth * TileSize<T>::kWidth;
  static constexpr int64_t kPositions = TileSize<T>::kDepth;

  // Adds the images to the sums, or sets them if these are the first ones. If they are all images,
  // the task writes its weights.
  void run(int64_t task, const T* source, const E* gradient, int64_t images, bool adds, T* sums,
           T* local, T* matrix, int64_t* positions, E* weights) const {
    const int64_t block = task % blocks_, panel = task / blocks_ % panels_;
    const int64_t group = task / blocks_ / panels_ % p_.groups;
    const int64_t part = task / blocks_ / panels_ / p_.groups;
    const int64_t count = images * plane_;
    const int64_t end = count * (part + 1) / parts_;
    const int64_t first = panel * kWidth;
    const int64_t outputs = std::min<int64_t>(kWidth, p_.outputs - first);
    const int vectors = static_cast<int>(ceil_div(outputs, kLanes));
    gradient += group * p_.gradient_group + first * p_.gradient_output;
    const int64_t begin_row = block * kBlock, end_row = std::min(p_.depth, begin_row + kBlock);
    const int64_t row = is_local_ ? kWidth : row_;
    sums = is_local_ ? local
                     : sums + ((part * p_.groups + group) * p_.depth + begin_row) * row_ + first;
    Tile<T> tile;
    tile.at = positions;
    tile.b = matrix;
    tile.b_at = nullptr;
    tile.ahead = 0;
    tile.c_row = tile.before_row = row;
    tile.adds = adds;
    for (int64_t begin = count * part / parts_; begin < end; begin += kPositions) {
      tile.count = std::min(kPositions, end - begin);
      find_positions(begin, tile.count, positions);
      transpose(gradient, begin, tile.count, outputs, vectors * kLanes, matrix);
      tile.a = source + group * p_.source_group;
      for (int64_t k = begin_row; k < end_row; k += TileSize<T>::kRows) {
        const int64_t rows = std::min<int64_t>(TileSize<T>::kRows, end_row - k);
        tile.row = p_.offset + k;
        tile.c = sums + (k - begin_row) * row;
        tile.before = tile.c;
        multiply_tile(tile, rows, vectors);
      }
      tile.adds = true;
    }
    if (!is_local_) return;
    E* to = weights + (group * p_.outputs + first) * p_.depth;
    for (int64_t o = 0; o < outputs; ++o, to += p_.depth) {
      for (int64_t k = begin_row; k < end_row; ++k) {
        to[k] = convert<E>(sums[(k - begin_row) * row + o]);
      }
    }
  }

  // Writes the sums of all tasks to the weights: groups x outputs x depth.
  void store(const T* sums, E* weights) const {
    if (is_local_) return;
    constexpr int64_t kRows = 16;
    const int64_t blocks = ceil_div(p_.depth, kRows), part = p_.groups * p_.depth * row_;
    parallel_for(p_.groups * blocks, std::max<int64_t>(1, (1 << 12) / p_.outputs),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t task = begin; task < end; ++task) {
                     const int64_t group = task / blocks, first = task % blocks * kRows;
                     const int64_t last = std::min(first + kRows, p_.depth);
                     for (int64_t o = 0; o < p_.outputs; ++o) {
                       for (int64_t k = first; k < last; ++k) {
                         const T* from = sums + (group * p_.depth + k) * row_ + o;
                         T sum = from[0];
                         for (int64_t n = 1; n < parts_; ++n) sum += from[n * part];
                         weights[(group * p_.outputs + o) * p_.depth + k] = convert<E>(sum);
                       }
                     }
                   }
                 });
  }

 private:
  static constexpr int kLanes = TileSize<T>::kLanes, kWidth = TileSize<T>::kWidth;
  static constexpr int64_t kBlock = 384, kTasks = 8, kFewestPositions = 256;

  // The offsets of positions in the source.
  void find_positions(int64_t begin, int64_t count, int64_t* at) const {
    const int64_t* size = p_.size;
    int64_t x = begin % size[2], y = begin / size[2] % size[1];
    int64_t z = begin / size[2] / size[1] % size[0], image = begin / plane_;
    for (int64_t k = 0; k < count;) {
      const int64_t length = std::min(size[2] - x, count - k);
      const int64_t first =
          image * p_.source_image + z * p_.source_stride[0] + y * p_.source_stride[1] + x;
      for (int64_t i = 0; i < length; ++i) at[k + i] = first + i;
      k += length;
      x = 0;
      if (++y < size[1]) continue;
      y = 0;
      if (++z < size[0]) continue;
      z = 0;
      ++image;
    }
  }

  // Writes the gradients of `outputs` results, at each position together. Vectors are filled with
  // zeros.
  void transpose(const E* gradient, int64_t begin, int64_t count, int64_t outputs, int64_t width,
                 T* to) const {
    for (int64_t done = 0; done < count;) {
      const int64_t image = (begin + done) / plane_, first = (begin + done) % plane_;
      const int64_t length = std::min(plane_ - first, count - done);
      const E* from = gradient + image * p_.gradient_image + first;
      constexpr int64_t kBlockOutputs = 8;
      for (int64_t o = 0; o < width; o += kBlockOutputs) {
        const E* rows = from + o * p_.gradient_output;
        T* block = to + done * width + o;
        const int64_t own = std::min(kBlockOutputs, width - o);
        const int64_t used = std::clamp<int64_t>(outputs - o, 0, own);
        if (used == kBlockOutputs) {
          for (int64_t k = 0; k < length; ++k) {
            for (int64_t i = 0; i < kBlockOutputs; ++i) {
              block[k * width + i] = load(rows[i * p_.gradient_output + k]);
            }
          }
          continue;
        }
        for (int64_t k = 0; k < length; ++k) {
          for (int64_t i = 0; i < own; ++i) {
            block[k * width + i] = i < used ? T(load(rows[i * p_.gradient_output + k])) : T(0);
          }
        }
      }
      done += length;
    }
  }

  WeightProduct<E, T> p_;
  int64_t panels_, row_, blocks_, plane_, parts_;
  bool is_local_;  // the sums of a task are complete after one call of run()
};

}  // namespace
}  // namespace th

#endif

#ifndef TH_CPU_KERNELS_SPATIAL_SOURCE_H
#define TH_CPU_KERNELS_SPATIAL_SOURCE_H

// The operand of a convolution that is read at shifted positions: some images of a batch, in a copy
// with zeros around them.

#include <algorithm>
#include <cstring>

#include "cpu/kernels/spatial_tile.h"
#include "cpu/parallel.h"
#include "cpu/workspace.h"
#include "tensor/checked.h"
#include "tensor/convert.h"

namespace th {
namespace {

// The part of an image that a convolution reads: `size` positions along each dimension, of which
// the first is `before` positions before the image (after its beginning, if negative).
struct SourceWindow {
  int64_t image[3], before[3], size[3];
  int64_t row_step[2];  // of the first two dimensions: only multiples of these positions are read
  // Elements that are `step` positions apart along the last dimension are contiguous; the positions
  // are divided into as many phases, of which the first `phases` are read.
  int64_t step, phases;

  bool is_image() const {
    bool same = step == 1;
    for (int d = 0; d < 3; ++d) same = same && before[d] == 0 && size[d] == image[d];
    return same;
  }
};

// Images as elements of type T, in a copy unless the window is the image and E is T.
template <class E, class T>
class Source {
 public:
  Source(const SourceWindow& window, int64_t channels, int64_t batch)
      : window_(window), channels_(channels) {
    phase_ = ceil_div(window.size[2], window.step);
    const char* what = "the copy of the images";
    y_ = checked_mul(phase_, window.phases, what);
    z_ = checked_mul(y_, window.size[1], what);
    channel_ = checked_mul(z_, window.size[0], what);
    image_ = checked_mul(channel_, channels, what);
    constexpr int64_t kChunk = (4 << 20) / sizeof(T);
    images_ = std::clamp<int64_t>(kChunk / std::max<int64_t>(image_, 1), 1, batch);
    is_copy_ = !std::is_same_v<E, T> || !window.is_image();
  }
  // The number of images to read at a time, and of elements in a copy of them.
  int64_t images() const { return images_; }
  int64_t elements() const {
    return is_copy_ ? checked_add(checked_mul(image_, images_, "the copy of the images"),
                                  TileSize<T>::kWidth, "the copy of the images")
                    : 0;
  }
  // The number of elements from data() on that may be read, if `images` images remain, with those
  // that were read last.
  int64_t readable(int64_t images) const { return is_copy_ ? elements() : images * image_; }

  // Reads `count` images into memory of elements() elements.
  void read(const E* from, int64_t count, T* copy) {
    if constexpr (std::is_same_v<E, T>) {
      if (!is_copy_) {
        data_ = from;
        return;
      }
    }
    data_ = copy;
    const int64_t plane = window_.image[0] * window_.image[1] * window_.image[2];
    parallel_for(count * channels_,
                 std::max<int64_t>(1, (1 << 15) / std::max<int64_t>(channel_, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t k = begin; k < end; ++k) {
                     copy_plane(from + k * plane, copy + k * channel_);
                   }
                 });
  }

  const T* data() const { return data_; }
  int64_t image() const { return image_; }
  int64_t channel() const { return channel_; }
  int64_t z() const { return z_; }
  int64_t y() const { return y_; }
  // The offset of a position in the window.
  int64_t offset(int64_t z, int64_t y, int64_t x) const {
    return z * z_ + y * y_ + x % window_.step * phase_ + x / window_.step;
  }

 private:
  void copy_plane(const E* from, T* to) const {
    const int64_t *size = window_.size, *image = window_.image, *before = window_.before;
    for (int64_t z = 0; z < size[0]; ++z) {
      for (int64_t y = 0; y < size[1]; ++y, to += y_) {
        if (z % window_.row_step[0] != 0 || y % window_.row_step[1] != 0) continue;
        const int64_t from_z = z - before[0], from_y = y - before[1];
        if (from_z < 0 || from_z >= image[0] || from_y < 0 || from_y >= image[1]) {
          std::fill(to, to + y_, T(0));
          continue;
        }
        const E* row = from + (from_z * image[1] + from_y) * image[2];
        for (int64_t phase = 0; phase < window_.phases; ++phase) {
          copy_row(row, phase, to + phase * phase_);
        }
      }
    }
  }
  void copy_row(const E* row, int64_t phase, T* to) const {
    const int64_t before = window_.before[2] - phase, step = window_.step;
    const int64_t begin = std::clamp<int64_t>(ceil_div(before, step), 0, phase_);
    const int64_t end =
        std::clamp<int64_t>(ceil_div(before + window_.image[2], step), begin, phase_);
    std::fill(to, to + begin, T(0));
    if (step == 1) {
      for (int64_t x = begin; x < end; ++x) to[x] = load(row[x - before]);
    } else {
      for (int64_t x = begin; x < end; ++x) to[x] = load(row[x * step - before]);
    }
    std::fill(to + end, to + phase_, T(0));
  }

  SourceWindow window_;
  int64_t channels_, phase_, y_, z_, channel_, image_, images_;
  bool is_copy_;
  const T* data_ = nullptr;
};

// Calls f(task, slot) for all tasks. Calls with the same slot, of which there are `slots`, do not
// run at the same time. f must not throw.
template <class F>
void for_tasks(int64_t tasks, int64_t slots, const F& f) {
  parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot) {
      for (int64_t task = tasks * slot / slots; task < tasks * (slot + 1) / slots; ++task) {
        f(task, slot);
      }
    }
  });
}
// work: number of multiplications of all tasks.
inline int64_t slots_for(int64_t tasks, double work) {
  constexpr double kLeastWork = 1 << 18;  // of a thread
  const double most = std::min<double>(num_threads(), work / kLeastWork + 1);
  return std::min(tasks, static_cast<int64_t>(most));
}

}  // namespace
}  // namespace th

#endif

#ifndef TH_BLOB_BLOB_H
#define TH_BLOB_BLOB_H

#include <memory>
#include <string>

#include "memory/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

constexpr int kMaxBlobAxes = 32;

// Caffe's Blob: data and their gradient (diff), two blocks of synchronised memory of one shape.
// Neither is allocated before someone reads or writes it, and either may be shared with other
// blobs. Axes and indices count from 0. Shared by reference count.
class Blob {
 public:
  enum class Part { data, diff };

  // No axis and no element; no memory either, until the first reshape. type: Float or Double.
  explicit Blob(DType type) : dtype_(type) {}
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;

  void retain() { __atomic_fetch_add(&references_, 1, __ATOMIC_RELAXED); }
  void release() noexcept {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }

  DType dtype() const { return dtype_; }
  int axes() const { return axes_; }
  const int64_t* shape() const { return shape_; }
  int64_t count() const { return count_; }

  // Both parts get new memory where the shape needs more than there is, and keep their elements
  // otherwise. Memory never shrinks. No axis at all: one element. Unchanged when it throws.
  void reshape(int axes, const int64_t* shape);
  void reshape_like(const Blob& other);
  // As reshape, with host memory to write all elements to: of data, and of diff where asked for.
  struct Elements {
    StorageRef storages[2];  // keep the memory
    char* data;
    char* diff;
  };
  Elements replace(int axes, const int64_t* shape, bool with_diff);

  // axis from the front (0, ...) or from the back (-1, ...).
  int canonical_axis(const char* function, int64_t axis) const;
  // The product of the axes first ... last - 1.
  int64_t count(int64_t first, int64_t last) const;
  // The shape as up to four axes (num, channels, height, width): those that are missing are 1.
  int64_t legacy_shape(const char* function, int axis) const;
  // Whether the blob, with axes of size 1 put in front, has these four.
  bool equals_legacy_shape(const int64_t* four) const;
  bool equals_shape(int axes, const int64_t* shape) const;
  // "2 3 4 5 (120)"
  std::string shape_text() const;

  // Where in the memory an element is. Of four indices each may be the size of its axis: such
  // offsets are ends of ranges. Otherwise missing indices at the end are 0.
  int64_t legacy_offset(int64_t n, int64_t c, int64_t h, int64_t w) const;
  int64_t offset(const char* function, int indices, const int64_t* index) const;
  double element(const char* function, Part part, int64_t offset) const;

  // A new tensor of the blob's shape in the part's memory; without axes, of one element.
  TensorRef tensor(const char* function, Part part) const;
  // Null before the first reshape.
  Storage* storage(Part part) const { return (part == Part::data ? data_ : diff_).get(); }
  // Throws before the first reshape.
  void need_shape(const char* function) const;

  // The part's block on its device, or on the default one.
  void* device_block(const char* function, Part part, Access access) const;
  // The caller's own block, of as many elements as the blob has, becomes the data's memory; it
  // stays the caller's to free. Both parts get new memory before where theirs is of another size.
  void set_block(const char* function, void* block, bool on_device);

  // As a blob of another shape only where reshape is set. Types may differ.
  void copy_from(const Blob& source, Part part, bool reshape);
  // The part becomes the other blob's, which has as many elements.
  void share(const char* function, Part part, const Blob& other);

  // data -= diff. It is an error where the data were never written.
  void update();
  // The sum of absolute values, and of squares; 0 where nothing was ever written.
  double asum(const char* function, Part part) const;
  double sumsq(const char* function, Part part) const;
  void scale(const char* function, Part part, double factor);

 private:
  ~Blob() = default;
  bool was_written(Part part) const;
  bool has_room(int64_t count) const;
  void renew(int64_t count);
  void set_shape(int axes, const int64_t* shape, int64_t count);

  const DType dtype_;
  int references_ = 1;
  int axes_ = 0;
  int64_t count_ = 0;
  // Elements that reshape may count on, if the storages have them still.
  int64_t capacity_ = 0;
  StorageRef data_, diff_;
  int64_t shape_[kMaxBlobAxes];
};

// Owns one reference.
struct BlobRelease {
  void operator()(Blob* blob) const noexcept { blob->release(); }
};
using BlobRef = std::unique_ptr<Blob, BlobRelease>;

// The elements that a blob of this shape has; throws where there can be no such blob.
int64_t checked_blob_count(const char* function, int axes, const int64_t* shape);
// "2 3 4 5 (120)"
std::string blob_shape_text(int axes, const int64_t* shape);

}  // namespace TH_VISIBLE

#endif

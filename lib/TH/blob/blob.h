#ifndef TH_BLOB_BLOB_H
#define TH_BLOB_BLOB_H

#include <memory>
#include <string>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

constexpr int kMaxBlobAxes = 32;

// Caffe's Blob: an array (data) and its gradient (diff), two blocks of synced memory of the same
// shape. Each is allocated on first use and may be shared with other blobs. Axes and indices count
// from 0. Reference-counted.
class Blob {
 public:
  enum class Part { data, diff };

  // A blob without axes, elements and memory, until the first reshape. type: Float or Double.
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

  // If the shape needs more memory than there is, both parts get new memory; otherwise they keep
  // their elements. Memory never shrinks. A shape without axes has one element. If it throws, the
  // blob is unchanged.
  void reshape(int axes, const int64_t* shape);
  void reshape_like(const Blob& other);
  // Like reshape, but returns host memory for writing all elements of data and, if requested, of
  // diff.
  struct Elements {
    StorageRef storages[2];  // keep the memory alive
    char* data;
    char* diff;
  };
  Elements replace(int axes, const int64_t* shape, bool with_diff);

  // Converts an axis that counts from the front (0, ...) or the end (-1, ...) to one from the
  // front.
  int canonical_axis(int64_t axis) const;
  // Returns the product of the sizes of axes first ... last - 1.
  int64_t count(int64_t first, int64_t last) const;
  // Returns the size of one of up to four axes (num, channels, height, width). Missing axes have
  // size 1.
  int64_t legacy_shape(int axis) const;
  // Returns true if the shape, with axes of size 1 prepended, is equal to these four sizes.
  bool equals_legacy_shape(const int64_t* four) const;
  bool equals_shape(int axes, const int64_t* shape) const;
  // "2 3 4 5 (120)"
  std::string shape_text() const;

  // Return the offset of an element. In legacy_offset an index may equal the size of its axis, so
  // that the result can be the end of a range. In offset missing indices at the end are 0.
  int64_t legacy_offset(int64_t n, int64_t c, int64_t h, int64_t w) const;
  int64_t offset(int indices, const int64_t* index) const;
  double element(Part part, int64_t offset) const;

  // Returns a tensor with the blob's shape that shares the part's memory; one element if there are
  // no axes.
  TensorRef tensor(Part part) const;
  // Returns null before the first reshape.
  Storage* storage(Part part) const { return (part == Part::data ? data_ : diff_).get(); }
  // Throws before the first reshape.
  void need_shape() const;

  // Returns the part's block on its device, else on the default device.
  void* device_block(Part part, Access access) const;
  // Makes the caller's block, with as many elements as the blob, the memory of the data. The caller
  // keeps ownership. If the memory had another size, both parts get new memory first.
  void set_block(void* block, bool on_device);

  // Copies a part of source. If the shapes differ, reshape must be set. Element types may differ.
  void copy_from(const Blob& source, Part part, bool reshape);
  // Shares the part of the other blob, which must have the same number of elements.
  void share(Part part, const Blob& other);

  // data -= diff. Error if the data was never written.
  void update();
  // Return the sum of absolute values, and of squares; 0 if the part was never written.
  double asum(Part part) const;
  double sumsq(Part part) const;
  void scale(Part part, double factor);

 private:
  ~Blob() = default;
  bool was_written(Part part) const;
  bool fits(int64_t count) const;
  void reshape_and_copy(const Blob& source, Part part);
  void copy_elements(const Blob& source, Part part);
  void renew(int64_t count);
  void set_shape(int axes, const int64_t* shape, int64_t count);

  const DType dtype_;
  int references_ = 1;
  int axes_ = 0;
  int64_t count_ = 0;
  // The number of elements that reshape may use, if the storages still have them.
  int64_t capacity_ = 0;
  StorageRef data_, diff_;
  int64_t shape_[kMaxBlobAxes];
};

// Owns one reference.
struct BlobRelease {
  void operator()(Blob* blob) const noexcept { blob->release(); }
};
using BlobRef = std::unique_ptr<Blob, BlobRelease>;

// Returns the number of elements of a shape. Throws if a blob cannot have this shape.
int64_t checked_blob_count(int axes, const int64_t* shape);
// "2 3 4 5 (120)"
std::string blob_shape_text(int axes, const int64_t* shape);

}  // namespace TH_VISIBLE

#endif

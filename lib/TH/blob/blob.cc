#include "blob/blob.h"

#include <algorithm>

#include "backend/raw_block.h"
#include "base/error.h"
#include "ops/ops.h"
#include "ops/tracer.h"
#include "tensor/checked.h"

namespace th {

namespace {

std::string text_of(int axes, const int64_t* shape, const std::string& count) {
  std::string text;
  for (int a = 0; a < axes; ++a) text += std::to_string(shape[a]) + " ";
  return text + "(" + count + ")";
}

Device& gpu_of_storage(const Storage& s) {
  return need_gpu_of(s.memory, s.current_device(), thread_default_device());
}

// Allocates memory for a part, on the device of the part's previous memory.
StorageRef new_memory(DType type, int64_t count, const StorageRef& before) {
  StorageRef s(storage_new(type, count));
  s->set_current_device(before ? before->current_device() : thread_default_device());
  return s;
}

// Sets the device of a storage for the duration of an operation: operations run on the storage's
// device, and a storage without one, whose memory is on a device, should be processed there.
class AtHead {
 public:
  explicit AtHead(Storage* s) : s_(s->current_device() ? nullptr : s) {
    Head head = s->memory.head();
    if (s_ && (head == Head::device || head == Head::synced))
      s_->set_current_device(s->memory.device());
  }
  ~AtHead() {
    if (s_) s_->set_current_device(nullptr);
  }
  AtHead(const AtHead&) = delete;
  AtHead& operator=(const AtHead&) = delete;

 private:
  Storage* s_;
};

StorageRef another(const StorageRef& s) {
  storage_retain(s.get());
  return StorageRef(s.get());
}

}  // namespace

std::string blob_shape_text(int axes, const int64_t* shape) {
  int64_t count = 1;
  for (int a = 0; a < axes; ++a) {
    if (!mul_fits(count, shape[a], &count)) return text_of(axes, shape, "too many");
  }
  return text_of(axes, shape, std::to_string(count));
}

int64_t checked_blob_count(int axes, const int64_t* shape) {
  if (axes < 0 || axes > kMaxBlobAxes) {
    fail("a blob has at most %d axes, got %d", kMaxBlobAxes, axes);
  }
  if (axes && !shape) fail("the sizes of %d axes are expected, got NULL", axes);
  int64_t most = (int64_t{1} << 47) / 8;  // maximum number of elements of a storage
  int64_t count = 1;
  bool empty = false;
  for (int a = 0; a < axes; ++a) {
    if (shape[a] < 0) {
      fail("size %lld of axis %lld is negative", as_long(shape[a]), shown(a));
    }
    if (shape[a] == 0) {
      empty = true;
    } else if (!mul_fits(count, shape[a], &count) || count > most) {
      fail("a blob of shape %s is too large", text_of(axes, shape, "too many").c_str());
    }
  }
  return empty ? 0 : count;
}

bool Blob::fits(int64_t count) const {
  // Check the storages, too: a part may have become shared, or its storage may have been resized.
  return data_ && count <= capacity_ && count <= data_->size && count <= diff_->size;
}

void Blob::renew(int64_t count) {
  StorageRef data = new_memory(dtype_, count, data_), diff = new_memory(dtype_, count, diff_);
  data_ = std::move(data);
  diff_ = std::move(diff);
  capacity_ = count;
}

void Blob::set_shape(int axes, const int64_t* shape, int64_t count) {
  std::copy(shape, shape + axes, shape_);
  axes_ = axes;
  count_ = count;
}

void Blob::reshape(int axes, const int64_t* shape) {
  int64_t count = checked_blob_count(axes, shape);
  if (!fits(count)) {
    renew(count);
  }
  set_shape(axes, shape, count);
}

Blob::Elements Blob::replace(int axes, const int64_t* shape, bool with_diff) {
  int64_t count = checked_blob_count(axes, shape);
  StorageRef data, diff;
  if (fits(count)) {
    data = another(data_);
    diff = another(diff_);
  } else {
    data = new_memory(dtype_, count, data_);
    diff = new_memory(dtype_, count, diff_);
  }
  trace_use(data.get(), ElementUse::writes);
  if (with_diff) trace_use(diff.get(), ElementUse::writes);
  // The diff keeps its elements until nothing can fail.
  if (with_diff) diff->cpu(Access::write);
  data->cpu(data->size == count ? Access::overwrite : Access::write);
  // If memory ran short, finalizers of Lua may have run and resized a storage.
  if (data->size < count || diff->size < count) fail("a storage was resized meanwhile");
  Elements elements = {{another(data), another(diff)},
                       static_cast<char*>(data->cpu(Access::write)),
                       with_diff ? static_cast<char*>(diff->cpu(Access::write)) : nullptr};
  data_ = std::move(data);
  diff_ = std::move(diff);
  if (capacity_ < count) capacity_ = count;
  set_shape(axes, shape, count);
  return elements;
}

void Blob::reshape_like(const Blob& other) {
  other.need_shape();
  reshape(other.axes_, other.shape_);
}

int Blob::canonical_axis(int64_t axis) const {
  int64_t canonical = axis < 0 ? axis + axes_ : axis;
  if (canonical < 0 || canonical >= axes_) {
    fail("axis %lld is out of range of a blob of %d axes, of shape %s", shown(axis), axes_,
         shape_text().c_str());
  }
  return static_cast<int>(canonical);
}

int64_t Blob::count(int64_t first, int64_t last) const {
  if (first < 0 || last < first || last > axes_) {
    fail("invalid range of axes, %lld to %lld, of a blob of %d axes, of shape %s", shown(first),
         shown(last - 1), axes_, shape_text().c_str());
  }
  int64_t count = 1;
  for (int64_t a = first; a < last; ++a) count *= shape_[a];
  return count;
}

int64_t Blob::legacy_shape(int axis) const {
  if (axes_ > 4) {
    fail("a blob of %d axes is not one of num, channels, height and width", axes_);
  }
  if (axis < -4 || axis >= 4) {
    fail("axis %lld is out of range of the four legacy axes", shown(axis));
  }
  if (axis >= axes_ || axis < -axes_) return 1;
  return shape_[axis < 0 ? axis + axes_ : axis];
}

bool Blob::equals_legacy_shape(const int64_t* four) const {
  if (axes_ > 4) return false;
  for (int a = 0; a < 4; ++a) {
    if (legacy_shape(a - 4) != four[a]) return false;
  }
  return true;
}

bool Blob::equals_shape(int axes, const int64_t* shape) const {
  return std::equal(shape_, shape_ + axes_, shape, shape + axes);
}

std::string Blob::shape_text() const { return text_of(axes_, shape_, std::to_string(count_)); }

int64_t Blob::legacy_offset(int64_t n, int64_t c, int64_t h, int64_t w) const {
  const int64_t index[] = {n, c, h, w};
  int64_t offset = 0;
  for (int a = 0; a < 4; ++a) {
    int64_t size = legacy_shape(a);
    if (index[a] < 0 || index[a] > size) {
      fail("index %lld is out of range of axis %lld of a blob of shape %s", as_long(index[a]),
           shown(a), shape_text().c_str());
    }
    offset = checked_add(checked_mul(offset, size, "offset"), index[a], "offset");
  }
  return offset;
}

int64_t Blob::offset(int indices, const int64_t* index) const {
  if (indices < 0 || indices > axes_) {
    fail("%d indices for a blob of %d axes", indices, axes_);
  }
  int64_t offset = 0;
  for (int a = 0; a < axes_; ++a) {
    int64_t i = a < indices ? index[a] : 0;
    if (i < 0 || i >= shape_[a]) {
      fail("index %lld is out of range of axis %lld of a blob of shape %s", shown(i), shown(a),
           shape_text().c_str());
    }
    offset = checked_add(checked_mul(offset, shape_[a], "offset"), i, "offset");
  }
  return offset;
}

double Blob::element(Part part, int64_t offset) const {
  TensorRef t = tensor(part);
  if (offset < 0 || offset >= count_) {
    fail("offset %lld is out of range of a blob of shape %s", as_long(offset),
         shape_text().c_str());
  }
  float number = 0;
  double wide = 0;
  bool is_float = dtype_ == DType::Float;
  storage_read(t->storage, offset, is_float ? static_cast<void*>(&number) : &wide);
  return is_float ? static_cast<double>(number) : wide;
}

void Blob::need_shape() const {
  if (!data_) fail("the %sBlob has no shape yet", name(dtype_));
}

TensorRef Blob::tensor(Part part) const {
  need_shape();
  static constexpr int64_t one[] = {1};
  TensorRef t(tensor_new(dtype_));
  if (axes_ == 0) {
    set_storage(t.get(), storage(part), 0, 1, one, nullptr);
  } else {
    set_storage(t.get(), storage(part), 0, axes_, shape_, nullptr);
  }
  return t;
}

void* Blob::device_block(Part part, Access access) const {
  need_shape();
  if (access != Access::read) trace_use(storage(part), ElementUse::hands_out);
  SyncedMemory& memory = storage(part)->memory;
  return raw_block(memory, gpu_of_storage(*storage(part)), access, {0, memory.size()});
}

void Blob::set_block(void* block, bool on_device) {
  need_shape();
  if (!block) fail("memory is expected, got NULL");
  trace_use(data_.get(), ElementUse::hands_out);
  if (data_->size != count_) renew(count_);
  if (on_device) {
    storage_set_device(storage(Part::data), gpu_of_storage(*storage(Part::data)), block);
  } else {
    storage_set_cpu(storage(Part::data), block);
  }
}

bool Blob::was_written(Part part) const {
  Storage* s = storage(part);
  return s && s->memory.head() != Head::uninitialized;
}

void Blob::copy_from(const Blob& source, Part part, bool reshape) {
  source.need_shape();
  if (!data_ || !equals_shape(source.axes_, source.shape_)) {
    if (!reshape) {
      fail("a blob of shape %s is copied to one of shape %s, which needs reshape",
           source.shape_text().c_str(), shape_text().c_str());
    }
    reshape_and_copy(source, part);
  } else {
    copy_elements(source, part);
  }
}

// If memory for the elements runs out, the blob stays as it was.
void Blob::reshape_and_copy(const Blob& source, Part part) {
  StorageRef data = data_ ? another(data_) : StorageRef();
  StorageRef diff = diff_ ? another(diff_) : StorageRef();
  int64_t shape[kMaxBlobAxes];
  std::copy(shape_, shape_ + axes_, shape);
  const int axes = axes_;
  const int64_t count = count_, capacity = capacity_;
  try {
    reshape(source.axes_, source.shape_);
    copy_elements(source, part);
  } catch (...) {
    data_ = std::move(data);
    diff_ = std::move(diff);
    capacity_ = capacity;
    set_shape(axes, shape, count);
    throw;
  }
}

void Blob::copy_elements(const Blob& source, Part part) {
  if (storage(part) == source.storage(part)) return;
  TensorRef to = tensor(part);
  if (source.was_written(part)) {
    TensorRef from = source.tensor(part);
    ops::copy(to.get(), from.get());
  } else if (was_written(part)) {
    ops::zero(to.get());
  }
}

void Blob::share(Part part, const Blob& other) {
  other.need_shape();
  need_shape();
  if (other.dtype_ != dtype_) {
    fail("%sBlob cannot share the memory of %sBlob", name_with_article(dtype_),
         name_with_article(other.dtype_));
  }
  if (other.count_ != count_) {
    fail("blobs of shapes %s and %s differ in their numbers of elements", shape_text().c_str(),
         other.shape_text().c_str());
  }
  Storage* shared = other.storage(part);
  storage_retain(shared);
  (part == Part::data ? data_ : diff_).reset(shared);
}

void Blob::update() {
  need_shape();
  if (!was_written(Part::data)) {
    if (count_ == 0) return;
    fail("the data of the %sBlob were never written", name(dtype_));
  }
  if (!was_written(Part::diff)) return;
  AtHead at_head(storage(Part::data));
  TensorRef data = tensor(Part::data), diff = tensor(Part::diff);
  ops::csub(data.get(), data.get(), Scalar(1.0), diff.get());
}

double Blob::asum(Part part) const {
  if (!was_written(part)) return 0;
  AtHead at_head(storage(part));
  return ops::normall(tensor(part).get(), Scalar(1.0)).to_double();
}

double Blob::sumsq(Part part) const {
  if (!was_written(part)) return 0;
  AtHead at_head(storage(part));
  TensorRef t = tensor(part);
  return ops::dot(t.get(), t.get()).to_double();
}

void Blob::scale(Part part, double factor) {
  if (!was_written(part)) return;
  AtHead at_head(storage(part));
  TensorRef t = tensor(part);
  ops::mul(t.get(), t.get(), Scalar(factor));
}

}  // namespace th

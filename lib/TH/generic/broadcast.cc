// C functions of broadcasting: THLongStorage_inferSize... and THLongStorage_inferExpandGeometry.

#include "TH.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "generic/bridge.h"
#include "memory/caller_blocks.h"
#include "tensor/views.h"

namespace th {
namespace {

// A buffer for an error message. If it is null or its size is 0, messages are dropped.
struct Message {
  char* text;
  int size;
  __attribute__((format(printf, 2, 3))) int fail(const char* format, ...) const {
    if (!text || size <= 0) return -1;
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, size, format, values);
    va_end(values);
    return -1;
  }
};

void set_sizes(THLongStorage* to, int ndim, const int64_t* size) {
  Storage* s = erase_storage(to);
  storage_resize(s, ndim);
  if (ndim) std::memcpy(s->cpu(Access::overwrite), size, ndim * sizeof(int64_t));
  settle(s);
}

int infer(THLongStorage* output, int n, const int64_t* const* sizes, const int64_t* dims,
          const Message& message) {
  if (n < 1) return message.fail("at least one shape is expected");
  int ndim = 0;
  int64_t size[kMaxDims];
  for (int k = 0; k < n; ++k) {
    if (dims[k] < 1) return message.fail("tensor %d has no dimension and cannot be expanded", k);
    if (dims[k] > kMaxDims) return message.fail("tensor %d has too many dimensions", k);
    int next = 0;
    int64_t both[kMaxDims];
    auto count = static_cast<int>(dims[k]);
    if (k > 0 && !broadcast_sizes(ndim, size, count, sizes[k], &next, both)) {
      return message.fail("sizes %s and %s do not broadcast", shape_text(ndim, size).c_str(),
                          shape_text(count, sizes[k]).c_str());
    }
    ndim = k > 0 ? next : count;
    std::memcpy(size, k > 0 ? both : sizes[k], ndim * sizeof(int64_t));
  }
  set_sizes(output, ndim, size);
  return 0;
}

}  // namespace
}  // namespace th

extern "C" {

int THLongStorage_inferSize2(THLongStorage* output, int64_t* size_a, int64_t dims_a,
                             int64_t* size_b, int64_t dims_b, char* error_buffer, int buffer_len) {
  return th::guard([&] {
    const int64_t* sizes[] = {size_a, size_b};
    const int64_t dims[] = {dims_a, dims_b};
    return th::infer(output, 2, sizes, dims, {error_buffer, buffer_len});
  });
}

int THLongStorage_inferSizeN(THLongStorage* output, int n, int64_t** sizes, int64_t* dims,
                             char* error_buffer, int buffer_len) {
  return th::guard([&] { return th::infer(output, n, sizes, dims, {error_buffer, buffer_len}); });
}

int THLongStorage_inferExpandGeometry(int64_t* sizes, int64_t* strides, int64_t dims,
                                      THLongStorage* target, int64_t** expanded_sizes,
                                      int64_t** expanded_strides, char* error_buffer,
                                      int buffer_len) {
  return th::guard([&] {
    th::Sizes to = th::to_sizes(target);
    th::Message message = {error_buffer, buffer_len};
    int64_t extra = to.ndim - dims;
    std::string shape = th::shape_text(static_cast<int>(dims), sizes);
    std::string target_text = th::shape_text(to.ndim, to.size);
    if (dims < 1 || extra < 0) {
      return message.fail("a tensor of size %s cannot be expanded to %s", shape.c_str(),
                          target_text.c_str());
    }
    size_t bytes = to.ndim * sizeof(int64_t);
    int64_t size[th::kMaxDims], stride[th::kMaxDims];
    if (to.ndim > th::kMaxDims) return message.fail("too many dimensions: %d", to.ndim);
    for (int d = 0; d < to.ndim; ++d) {
      int64_t own = d < extra ? 1 : sizes[d - extra];
      size[d] = to.size[d] == -1 && d >= extra ? own : to.size[d];
      stride[d] = own == size[d] && d >= extra ? strides[d - extra] : 0;
      if (size[d] < 0 || (own != 1 && own != size[d])) {
        return message.fail(
            "a tensor of size %s cannot be expanded to %s: only dimensions of "
            "size 1 expand",
            shape.c_str(), target_text.c_str());
      }
    }
    std::unique_ptr<void, void (*)(void*)> first(th::caller_allocate(bytes), THFree);
    *expanded_strides = static_cast<int64_t*>(th::caller_allocate(bytes));
    *expanded_sizes = static_cast<int64_t*>(first.release());
    std::memcpy(*expanded_sizes, size, bytes);
    std::memcpy(*expanded_strides, stride, bytes);
    return 0;
  });
}
}

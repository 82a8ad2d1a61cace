#ifndef TH_DIST_BUFFER_H
#define TH_DIST_BUFFER_H

#include "dist/transport.h"
#include "ops/tracer.h"
#include "tensor/tensor.h"

namespace th::dist {

// Reports to tracers that elements depend on other processes: tensor.compile cannot replay that.
inline void trace_exchange() { trace_access("exchanges elements with other processes"); }

enum class Use : uint8_t { read, write, overwrite };

// The elements of a tensor in the memory of the host, or of a device for which there is a
// transport, in order, in an element type that transports support. If the tensor is contiguous, the
// memory is its own.
class Buffer {
 public:
  // No elements.
  Buffer() = default;
  // reduced: Half and BFloat16 become Float. is_private: always a copy, because the tensor may be
  // used while data moves.
  // device: null for the host.
  Buffer(Tensor* t, Use use, bool reduced, bool is_private, Device* device = nullptr);
  // Memory for a result of these sizes, which finish() stores in r.
  Buffer(Tensor* r, int ndim, const int64_t* size, bool reduced, bool is_private,
         Device* device = nullptr);
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;

  void* data() const { return data_; }
  int64_t count() const { return count_; }
  DType type() const { return type_; }
  // Keeps the memory for the rest of the process.
  void pin_tensor() noexcept;
  // Divides the elements.
  void divide(int number);
  // Writes the elements to the tensor, unless they are there already.
  void finish();

 private:
  void find_memory(Access access);
  void make(int ndim, const int64_t* size, bool reduced, bool is_private);

  TensorRef tensor_;
  TensorRef copy_;  // null: the memory is the tensor's
  Device* device_ = nullptr;
  void* data_ = nullptr;
  int64_t count_ = 0;
  DType type_ = DType::Float;
};

}  // namespace th::dist

#endif

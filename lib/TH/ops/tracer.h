#ifndef TH_OPS_TRACER_H
#define TH_OPS_TRACER_H

// Observers of operations: the profiler (ops/profile.h) and the recorder of tensor.compile
// (fuse/record.h). call() reports each operation to them. Code that accesses elements in another
// way, such as t[i] in Lua, reports it by trace_access().

#include <atomic>

#include "base/visibility.h"
#include "ops/rows.h"

namespace th TH_VISIBLE {

class TracedCall;

class Tracer {
 public:
  // Called before an operation runs.
  virtual void begin(const TracedCall& call) noexcept = 0;
  // Called after it, with the arguments of begin(): results are not temporaries. If the operation
  // failed, the results have the shapes that they had before. May throw unless it failed.
  virtual void end(const TracedCall& call, bool failed) = 0;
  // The thread accesses elements otherwise. what: a verb phrase, such as "reads elements".
  virtual void accessed(const char*) noexcept {}
  // The bindings allocated s for a tensor that had no storage.
  virtual void allocated(Storage*) noexcept {}

 protected:
  Tracer() = default;
  ~Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

 private:
  friend class TracedCall;
  friend class ThreadTracers;
  Tracer* next_ = nullptr;  // of the same thread
  int first_depth_ = 0;     // depth of calls of the code that added the tracer
};

// The number of active tracers of all threads. While it is 0, tracing costs one relaxed load.
extern std::atomic<int> active_tracers;
inline bool tracing() noexcept { return active_tracers.load(std::memory_order_relaxed) != 0; }

// Adds a tracer of the calling thread, and removes it.
void add_tracer(Tracer* tracer) noexcept;
void remove_tracer(Tracer* tracer) noexcept;
// Sets the tracer of all threads; null: none. It must live until the end of the process, because
// operations that began earlier still report to it.
void set_process_tracer(Tracer* tracer) noexcept;

// Report to the tracers of the calling thread. See Tracer.
void trace_access_slow(const char* what) noexcept;
void trace_allocation_slow(Storage* s) noexcept;
inline void trace_access(const char* what) noexcept {
  if (tracing()) trace_access_slow(what);
}
inline void trace_allocation(const Tensor& t) noexcept {
  if (tracing() && t.storage) trace_allocation_slow(t.storage);
}

// One operation, from its beginning to its end, while tracers are active. Calls nest.
class TracedCall {
 public:
  TracedCall(const OpRow& row, void* arguments) noexcept;
  ~TracedCall();
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;
  // Reports the end of an operation that succeeded.
  void finish();

  const OpRow& row() const { return row_; }
  void* arguments() const { return arguments_; }
  // The number of traced operations around this one that began after the tracer was added. Negative
  // if this one itself began earlier.
  int depth(const Tracer& tracer) const { return depth_ - tracer.first_depth_; }
  // A backend call of this operation was unsupported on its device and ran on the CPU.
  bool fell_back() const { return fell_back_; }

 private:
  friend class ThreadTracers;
  friend void trace_fallback() noexcept;
  const OpRow& row_;
  void* arguments_;
  TracedCall* outer_;
  int depth_;
  bool finished_ = false, fell_back_ = false;
};

// Reports that a backend call of the innermost operation fell back to the CPU.
void trace_fallback() noexcept;

// Calls visit(Tensor*, const Parameter&) for each tensor among the arguments, in their order. Null
// tensors are skipped.
template <class F>
void for_each_tensor(const OpRow& row, void* arguments, const F& visit) {
  for (const Parameter& p : row) {
    if (p.is_tensor()) {
      if (Tensor* t = argument<Tensor*>(arguments, p)) visit(t, p);
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(arguments, p);
      for (int k = 0; k < list.count; ++k) visit(list.tensors[k], p);
    }
  }
}

}  // namespace TH_VISIBLE

#endif

#ifndef TH_OPS_TRACER_H
#define TH_OPS_TRACER_H

// Tracers observe operations. The profiler (ops/profile.h), the recorder of tensor.compile
// (fuse/record.h) and the gradient tape (grad/tape.h) are tracers. Several may be active in a
// thread: each gets the same reports.
//
// call() reports each operation twice: begin() before the arguments are checked, end() after it. A
// report has the row and the arguments. In begin() the results have the elements and shapes that
// they had before, in end() those that the operation wrote. Some operations call others, as pad
// calls copy. These inner calls are reported only to tracers that request them.
//
// A tracer may read, retain and copy the tensors of a report, and call operations. These are
// reported only to the tracers that were added before it, because what they record may depend on
// the results. It may add tracers and remove itself. It must not change the arguments, or the
// shapes and elements of their tensors.
//
// Code that accesses elements otherwise, such as t[i] in Lua, reports it by trace_access().

#include <atomic>
#include <climits>
#include <initializer_list>

#include "base/visibility.h"
#include "ops/rows.h"

namespace th TH_VISIBLE {

class TracedCall;

// An access to elements outside of operations.
enum class ElementUse : uint8_t {
  inspects,   // The elements become numbers or text outside of tensors.
  reads,      // Other elements are computed from them.
  writes,     // They are written.
  drops,      // The storage shrinks.
  dropped,    // The storage has shrunk. Reported after it.
  exposes,    // A C loop reads or writes them.
  hands_out,  // A pointer is handed out, through which they may be read and written later.
};

class Tracer {
 public:
  // Called before an operation. Returns true to get reports of its inner calls.
  virtual bool begin(const TracedCall& call) noexcept = 0;
  // Called after it, with the same arguments. failed: the operation threw an error; its results
  // have their old shapes, but elements may have been overwritten. If end() throws, the caller of
  // the operation gets the error, although the results are written. The tracers that follow then
  // get `failed`.
  virtual void end(const TracedCall& call, bool failed) = 0;
  // The thread accesses elements otherwise. what: a verb phrase, such as "reads elements". The
  // storage is null if any may be meant.
  virtual void accessed(const char*, const Storage*) noexcept {}
  // The thread is about to access elements of s. Throws to prevent it.
  virtual void used(Storage*, ElementUse) {}
  // The bindings allocated s for a tensor that had no storage.
  virtual void allocated(Storage*) noexcept {}
  // Another tracer made a tensor for the number that the operation returned. Called before end().
  virtual void returned(Tensor*) noexcept {}
  // Returns true if it must observe each operation on t, so that expressions of t are not fused.
  virtual bool follows(const Tensor&) const noexcept { return false; }

 protected:
  Tracer() = default;
  ~Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

 private:
  friend class ThreadTracers;
  Tracer* next_ = nullptr;  // of the same thread
  // Calls at other depths are not reported: they began before the tracer was added, or are inner
  // calls that it does not want.
  int first_depth_ = 0, last_depth_ = INT_MAX;
};

// The number of active tracers of all threads. While it is 0, tracing costs one relaxed load.
extern std::atomic<int> active_tracers;
inline bool tracing() noexcept { return active_tracers.load(std::memory_order_relaxed) != 0; }

// Adds a tracer of the calling thread, and removes it. It gets the calls that begin while it is
// added, and their ends. Remove it before it is deleted, and do not delete it in a report.
void add_tracer(Tracer* tracer) noexcept;
void remove_tracer(Tracer* tracer) noexcept;
// Returns true if the calling thread has tracers, apart from the process tracer.
bool has_tracers() noexcept;
// Sets the tracer of all threads; null: none. It gets all calls, including inner calls and those of
// other tracers. It must live until the end of the process, because operations that began earlier
// report their ends to it. So it also gets ends without a begin.
void set_process_tracer(Tracer* tracer) noexcept;

// Report to the tracers of the calling thread. See Tracer.
void trace_access_slow(const char* what, const Storage* s) noexcept;
void trace_use_slow(Storage* s, ElementUse use);
void trace_allocation_slow(Storage* s) noexcept;
void trace_returned(Tensor* number) noexcept;
inline void trace_access(const char* what, const Storage* s = nullptr) noexcept {
  if (tracing()) trace_access_slow(what, s);
}
// Called before the access. May throw.
inline void trace_use(Storage* s, ElementUse use) {
  if (tracing() && s) trace_use_slow(s, use);
}
// Returns true if a tracer of the calling thread follows one of the tensors. See Tracer.
bool is_followed_slow(const Tensor* const* tensors, size_t count) noexcept;
inline bool is_followed(TensorList tensors) noexcept {
  return tracing() && is_followed_slow(tensors.tensors, static_cast<size_t>(tensors.count));
}
inline bool is_followed(std::initializer_list<const Tensor*> tensors) noexcept {
  return tracing() && is_followed_slow(tensors.begin(), tensors.size());
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
  // Reports the end of an operation that succeeded. May throw.
  void finish();

  const OpRow& row() const { return row_; }
  void* arguments() const { return arguments_; }
  // The number of traced operations of this thread around this one.
  int depth() const { return depth_; }
  // A backend call of this operation was unsupported on its device and ran on the CPU.
  bool fell_back() const { return fell_back_; }
  // A tracer that was added after this one gets the inner calls of this operation.
  bool is_entered() const { return entered_; }

 private:
  friend class ThreadTracers;
  friend void trace_fallback() noexcept;
  void report_end(bool failed);

  const OpRow& row_;
  void* arguments_;
  TracedCall* outer_;
  int depth_;
  bool finished_ = false, fell_back_ = false, entered_ = false;
};

// Reports that a backend call of the innermost operation fell back to the CPU.
void trace_fallback() noexcept;

// Returns true if the call writes the tensor of the parameter. A row with the parameter `training`
// writes its inout tensors only if `training` is true.
bool writes(const TracedCall& call, const Parameter& p) noexcept;

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

#ifndef TH_OPS_OPERANDS_H
#define TH_OPS_OPERANDS_H

// The backend calls of operations: ops/ describes the work as one plain struct (backend/calls.h).
// run() dispatches it to the device that holds the operands; calls that are unsupported there fall
// back to the CPU.

#include <initializer_list>
#include <new>
#include <utility>

#include "backend/calls.h"
#include "backend/device_assertions.h"
#include "base/op.h"
#include "base/op_scope.h"
#include "backend/cpu_backend.h"
#include "memory/device.h"
#include "tensor/overlap.h"
#include "tensor/tensor.h"

namespace th {

// Returns the device to run on: that of the first operand with a device; nullptr: the CPU. Null
// operands are skipped.
Device* device_of(std::initializer_list<const Tensor*> operands);
Device* device_of(Tensor* const* operands, int count);

// Returns true if the host has t's valid elements, so that reading them copies nothing.
bool on_host(const Tensor& t);

// Runs the call on the device. Returns false if it is unsupported there.
#define TH_BACKEND_OP(name, Struct)                       \
  inline bool offer(Device& device, const Struct& call) { \
    return device.run(BackendOp::name, &call);            \
  }
TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

// An operand at the location where the operation runs.
struct Placed {
  Tensor* tensor;  // the operand, or a copy of it on the device
  char* data;      // its first element
};

// The memory of the operands of one call on one backend, held until the call is queued. Request the
// inputs first, then the results.
class Operands {
 public:
  explicit Operands(Device* device) : device_(device) {}
  ~Operands() {
    if (scratch_count_) release_scratch();
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  Device* device() const { return device_; }
  // For reading. If t is a small part of a large storage on another device, only the part is
  // copied.
  Placed read(Tensor* t) {
    if (device_) t = brought(t);
    return {t, read_whole(t)};
  }
  // For reading, always in t's own storage.
  char* read_whole(Tensor* t) {
    char* data = ask(t, Access::read);
    read_[read_count_++] = t->storage;
    return data;
  }
  // For a result whose old elements are read or not all replaced.
  char* write(Tensor* r);
  // For a result whose elements are all replaced.
  char* overwrite(Tensor* r);
  // Allocates temporary memory that lives as long as this object.
  char* scratch(size_t bytes);
  // Copies temporary memory to the host after the call has run.
  void read_back(void* to, const char* scratch, size_t bytes) const;

  // Runs the call on the backend. Returns false if it is unsupported there.
  template <class Call>
  bool run(const Call& call) const {
    if (device_) return offer(*device_, call);
    run_on_cpu(call);
    return true;
  }

 private:
  static constexpr int kMost = kFusedOperands;
  // Up to kMost objects, constructed as they are added: every call has two of these lists.
  template <class T>
  class Held {
   public:
    Held() noexcept : count_(0) {}
    ~Held() {
      while (count_ > 0) objects_[--count_].~T();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    T& add(T&& object) { return *new (&objects_[count_++]) T(std::move(object)); }

   private:
    union {
      T objects_[kMost];
    };
    int count_;
  };
  char* ask(Tensor* t, Access access) { return device_ ? ask_device(t, access) : t->data(access); }
  char* ask_device(Tensor* t, Access access);
  Tensor* brought(Tensor* t);
  void release_scratch() noexcept;

  Device* device_;
  Held<Lease> leases_;
  Held<TensorRef> copies_;
  const Storage* read_[kMost];
  void* scratch_[2];
  int read_count_ = 0, scratch_count_ = 0;
};

// For an operand that may be omitted.
inline const char* read_or_null(Operands& at, const TensorRef& t) {
  return t ? at.read(t.get()).data : nullptr;
}

// Returns true if a check reads the values on the host: they are only there, or they are few.
bool is_checked_on_host(const Tensor& t);

// Checks input values (indices, divisors, masks). If the host checks them, it does so at
// construction, before anything is written. The same holds if the result r is on the host,
// because the call has to synchronize then anyway. Otherwise the kernel does the check, and an
// error is raised at the next synchronization.
class ValueCheck {
 public:
  ValueCheck(Op op, Condition condition, int64_t limit, Tensor* t, Device* device,
             const CheckText& text, const Tensor& r);
  // For calls(): shapes() has made the check with the device of the operands. If that is null, the
  // values are valid.
  ValueCheck(Op op, Condition condition, int64_t limit, Tensor* t, Device* device,
             const CheckText& text)
      : op_(op), condition_(condition), limit_(limit), t_(t), text_(text), done_(!device) {}
  // Returns the check number for a call whose kernel checks the values itself; 0: already checked.
  uint32_t number(const Operands& at) const;
  // Checks the values by a separate call, unless that is done already: if no kernel is called.
  void run() const;

 private:
  Op op_;
  Condition condition_;
  int64_t limit_;
  Tensor* t_;
  CheckText text_;
  bool done_;
};

// Raises errors of earlier checks before r changes, if r is on the host (which synchronizes
// anyway).
void wait_for_assertions(Device* device, const Tensor& r);

// Sets the device of r (null: no change), all of whose elements will be written. If neither r nor
// its storage has elements, sets the device of that storage, which is allocated if r has none.
void place_result(Device* device, Tensor* r);

// Returns the number of a check that a kernel makes, as in ValueCheck; 0 on the CPU, whose kernel
// raises an error itself.
uint32_t late_check(const Operands& at, const CheckText& text);

// Checks values by a separate call, for kernels that do not check them.
void check_values(Op op, Condition condition, int64_t limit, Tensor* t, const CheckText& text,
                  int64_t also = 0);

// Counts a call of the current operation that its device does not support.
void note_fallback();

// Runs steps(Operands&), which passes one or more calls to Operands::run and returns false as soon
// as that does. If a call is unsupported on the device, all steps are run again on the CPU.
template <class Steps>
void run_steps(Op op, Device* device, const Steps& steps) {
  OpScope scope(op);
  bool done = false;
  if (device) {
    Operands at(device);
    done = steps(at);
  }
  if (!done) {
    if (device) note_fallback();
    Operands at(nullptr);
    steps(at);
  }
}

// The same for a single call returned by build(Operands&). build assigns the fields one by one,
// because an initializer list would first clear the whole plan.
template <class Build>
void run(Op op, Device* device, const Build& build) {
  run_steps(op, device, [&](Operands& at) { return at.run(build(at)); });
}

}  // namespace th

#endif

#ifndef TH_OPS_OPERANDS_H
#define TH_OPS_OPERANDS_H

// The road of every operation: ops/ describes the work as one plain call (backend/calls.h), and
// run() takes it to the backend where the operands live, or, where that declines, to the CPU. Here
// stands whoever wants to see all operations go by.

#include <initializer_list>
#include <optional>

#include "backend/calls.h"
#include "backend/op.h"
#include "backend/profile.h"
#include "cpu/backend.h"
#include "memory/device.h"
#include "memory/stats.h"
#include "tensor/overlap.h"
#include "tensor/tensor.h"

namespace th {

// The device to run on: the home of the first operand that has one; nullptr: the CPU. Null
// operands are skipped.
Device* device_of(std::initializer_list<const Tensor*> operands);
Device* device_of(Tensor* const* operands, int count);

// Whether t's elements can be looked at on the host without moving anything.
bool on_host(const Tensor& t);

// Writes what a check of values has to say; a "%lld" in the text stands for the value found.
// text has room for Error::kLength characters.
class CheckText {
 public:
  template <class F>
  CheckText(int argument, const F& write)  // write(char* text, size_t room); must outlive this
      : argument_(argument), write_(&call<F>), context_(&write) {}
  int argument() const { return argument_; }
  void write(char* text, size_t room) const { write_(context_, text, room); }

 private:
  template <class F>
  static void call(const void* write, char* text, size_t room) {
    (*static_cast<const F*>(write))(text, room);
  }
  int argument_;
  void (*write_)(const void*, char*, size_t);
  const void* context_;
};

// Offers the call to the device; false where it declines.
#define TH_BACKEND_OP(name, Struct)                       \
  inline bool offer(Device& device, const Struct& call) { \
    return device.run(BackendOp::name, &call);            \
  }
TH_BACKEND_OPS(TH_BACKEND_OP)
#undef TH_BACKEND_OP

// An operand where the operation runs.
struct Placed {
  Tensor* tensor;  // the operand, or a copy of it that was brought there
  char* data;      // its first element
};

// What the recorder of the calling thread, if any, is told (record.cc): each operand, then the
// call.
void note_operand(Tensor* t, Access access, Device* device);
void note_call(const ElementCall& call);
void note_call(const CopyCall& call);
void note_call(const FillCall& call);
void note_call(const ReduceDimCall& call);
void note_other_call();
template <class Call>
void note_call(const Call&) {
  note_other_call();
}

// Memory of one call's operands on the backend that it is offered to, held until the call was
// queued. Operands are asked for in this order: those that are read, then the results.
class Operands {
 public:
  explicit Operands(Device* device) : device_(device), watched_(watching()) {
    if (device) held_.emplace();
  }
  ~Operands() {
    if (scratch_count_) release_scratch();
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  Device* device() const { return device_; }
  // Of a small part of a large storage that is elsewhere, a copy.
  Placed read(Tensor* t) {
    if (device_) t = brought(t);
    return {t, read_whole(t)};
  }
  // At t's own storage, in any case.
  char* read_whole(Tensor* t) {
    char* data = ask(t, Access::read);
    read_[read_count_++] = t->storage;
    return data;
  }
  // A result whose old elements count, or are not all replaced.
  char* write(Tensor* r);
  // A result of which all elements are replaced.
  char* overwrite(Tensor* r);
  // Memory that lives as long as this.
  char* scratch(size_t bytes);
  // The same as the calling thread sees it after the call has run.
  void read_back(void* to, const char* scratch, size_t bytes) const;

  // Gives the call to the backend; false where it declines.
  template <class Call>
  bool run(const Call& call) const {
    if (watched_) note_call(call);
    if (device_) return offer(*device_, call);
    run_on_cpu(call);
    return true;
  }

 private:
  static constexpr int kMost = kFusedOperands;
  // What is held on a device. Its constructor is spelled out for Clang, which does not see defaults
  // of members before the class around it ends.
  struct Held {
    Held() : lease_count(0), copy_count(0) {}
    Lease leases[kMost];
    TensorRef copies[kMost];
    int lease_count, copy_count;
  };
  char* ask(Tensor* t, Access access) {
    if (device_ || watched_) return ask_elsewhere(t, access);
    return t->data(access);
  }
  char* ask_elsewhere(Tensor* t, Access access);  // or while somebody looks
  Tensor* brought(Tensor* t);
  void release_scratch() noexcept;

  Device* device_;
  bool watched_;
  std::optional<Held> held_;
  const Storage* read_[kMost];
  void* scratch_[2];
  int read_count_ = 0, scratch_count_ = 0;
};

// Values that must be as a condition says: looked at when this is made, before anything is written,
// where that is possible without moving them, or r, the result, is at the host, and the call would
// wait for it anyway; else told of when somebody waits for the device.
class ValueCheck {
 public:
  ValueCheck(Op op, Condition condition, int64_t limit, Tensor* t, Device* device, CheckText text,
             const Tensor& r);
  // What a call is given whose kernel checks the values as it uses them; 0: they were checked.
  uint32_t number(const Operands& at) const;

 private:
  Condition condition_;
  int64_t limit_;
  Tensor* t_;
  CheckText text_;
  bool done_;
};

// What was found is told before r, which is at the host and would be waited for, changes.
void wait_for_assertions(Device* device, const Tensor& r);

// r, whose elements will all be written, lives on the device from now on, unless that is null.
void place_result(Device* device, Tensor* r);

// Throws what a check has to say of the value found.
[[noreturn]] void fail_check(const CheckText& text, int64_t value);
// The number of what a kernel may find, as in ValueCheck.
uint32_t late_check(const CheckText& text);
uint32_t late_check(int argument, const char* text);

// The same by a call of its own where the kernel that uses the values does not look at them.
void check_values(Op op, Condition condition, int64_t limit, Tensor* t, const CheckText& text);

// steps(Operands&) makes calls and gives them to Operands::run; it returns false as soon as that
// does, and is asked again, without a device, where one declines.
template <class Steps>
void run_steps(Op op, Device* device, const Steps& steps) {
  OpScope scope(lua_name(op));
  std::optional<ProfiledOp> profiled;
  if (profiling()) profiled.emplace(op, device);
  bool done = false;
  if (device) {
    Operands at(device);
    done = steps(at);
  }
  if (!done) {
    if (device) {
      note_use_on_host();
      if (profiled) profiled->declined();
    }
    Operands at(nullptr);
    steps(at);
  }
  if (profiled) profiled->finish();
}

// The same for one call, which build(Operands&) makes: field by field, as a list of initializers
// would clear all of its plan first.
template <class Build>
void run(Op op, Device* device, const Build& build) {
  run_steps(op, device, [&](Operands& at) { return at.run(build(at)); });
}

}  // namespace th

#endif

#ifndef TH_GRAD_TAPE_H
#define TH_GRAD_TAPE_H

// The tape records the operations that depend on some tensors, and computes gradients by calling
// their rules in reverse order.
//
// The tape tracks storages, not tensors. A gradient belongs to the elements of a storage, wherever
// views show them. So views need no rule. The reverse of an operation takes the gradient of the
// elements that it wrote, and sets that gradient to 0, because the elements before had no influence
// on later values. Then it adds to the gradients of the elements that it read. So writes in place
// are right by construction.
//
// An operation's entry keeps the elements that its formulas read. Before another operation
// overwrites them, the tape copies them.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grad/rule.h"
#include "memory/stats.h"
#include "ops/tracer.h"

namespace th TH_VISIBLE {
namespace grad {

// A tensor among the arguments of a recorded operation.
struct Operand {
  uint8_t parameter = 0;
  bool result = false;   // inout tensors are two of these: before the operation and after it
  bool kept = false;     // value has the elements that the operation read or wrote
  uint64_t storage = 0;  // identity of the storage if it is tracked, else 0
  TensorRef value;       // without memory, unless kept
  TensorRef place;       // shape, strides and offset in the storage, if value is a copy
  Var gradient;          // of a result, in the reverse pass

  Device* device = nullptr;  // of the elements

  const Tensor& position() const { return place ? *place : *value; }
};

// Memory to which the copied arguments of an operation point.
struct ArgumentLists {
  std::vector<std::unique_ptr<int64_t[]>> sizes;
  std::string text;
};

// Small, because a vector of them grows.
struct Entry {
  const OpRow* row = nullptr;   // null: the caller's own rule, or results that depend on nothing
  int64_t custom = 0;           // number of the caller's own rule; 0: none
  bool pairs_in_order = false;  // operands of different shapes paired by Torch7's rules
  std::unique_ptr<char[]> arguments;  // a copy, which the rule reads except for tensors
  std::unique_ptr<ArgumentLists> lists;
  // In the order of the parameters. Inputs that are neither tracked nor kept are left out.
  std::vector<Operand> operands;
};
constexpr uint8_t kReturnedNumber = 255;  // parameter of the returned number

class Tape final : public Tracer {
 public:
  Tape();
  ~Tape();

  // Starts and stops recording operations of the calling thread.
  void start();
  void stop();
  // Returns true in a pause that began after start().
  bool is_paused() const noexcept;

  // Tracks a floating-point tensor: gradients for it can be computed.
  void track(Tensor* t);
  bool tracks(const Storage* s) const;
  bool tracks(const Tensor& t) const { return tracks(t.storage); }
  // Returns true if an operation on tracked elements had an empty result, which is not tracked.
  bool has_lost_dependence() const noexcept { return has_lost_dependence_; }
  // Begins a computation of results from `operands`, the gradients of which the caller computes.
  // While it runs, the thread is paused. custom: a number that run() returns.
  void begin_custom(const std::vector<Tensor*>& operands, int64_t custom);
  // Returns true if t shares the storage of an operand that has not been written since.
  bool is_unwritten_operand(const Tensor& t) const;
  // Ends it. Fails if it wrote to other tracked tensors. If it failed itself, `results` is empty.
  void end_custom(const std::vector<Tensor*>& results, int64_t custom);

  // The reverse pass: add_gradient for each result of the computation, run, then gradient for each
  // tracked tensor. The entries are run and freed one by one.
  void add_gradient(Tensor* t, Tensor* gradient);
  void add_one(Tensor* t);  // The same with a gradient of ones.
  // watch(t): before the reverse pass. run() returns -n once it has computed the whole gradient of
  // the n-th watched tensor, from 1. The caller continues by run() again.
  void watch(const Tensor& t);
  // Returns 0 at the end. Before it, returns the number of each custom rule. The caller computes
  // the gradients of the operands of custom_entry(), calls give() for each, and run() again.
  int64_t run();
  const Entry& custom_entry() const { return current_; }
  void give(size_t operand, Tensor* gradient);
  // The gradient of t's elements as they were when it was tracked. Returns zeros if the results do
  // not depend on it.
  TensorRef gradient(const Tensor& t);
  // Called before each of several reverse passes: run() keeps the entries, and the gradients of the
  // last pass are removed.
  void rewind();

  bool begin(const TracedCall& call) noexcept override;
  void end(const TracedCall& call, bool failed) override;
  void used(Storage* s, ElementUse use) override;
  bool follows(const Tensor& t) const noexcept override;

 private:
  friend class Backward;
  // Elements of a storage that follow each other.
  struct Span {
    int64_t begin = 0, end = 0;
    int64_t size() const { return end - begin; }
    bool contains(const Tensor& t) const;
  };
  // A tracked storage.
  struct Value {
    int64_t extent = 0;  // its number of elements
    int arguments = 0;   // the tensors given to track() that show it
    Span argument;       // of the elements that the last one shows
    Span span;           // the elements that the gradient has; that of others is 0
    TensorRef gradient;  // a vector; empty: 0
  };

  // A tracked result of a composed operation that runs, and the entry that drops the gradient of
  // its elements before the operation.
  struct Composed {
    const TracedCall* call;
    Tensor* result;
    size_t entry;
  };

  // Returns true if an operand or a result is tracked.
  bool tracks_any(const TracedCall& call) const;
  void begin_composed(const TracedCall& call);
  void end_composed(const TracedCall& call, bool failed);
  void note_empty_results(const TracedCall& call);
  void begin_entry(const TracedCall& call);
  void begin_unrecorded(const TracedCall& call);
  bool is_in_custom() const noexcept;
  void set_outer_pauses() noexcept;
  void check_written(const Storage& s);
  void drop_gradient(const Storage& s);
  void end_entry(const TracedCall& call);
  void copy_lists(const TracedCall& call);
  Operand operand_of(Tensor* t, int parameter, bool kept, bool overwritten);
  Operand result_of(Tensor* t, int parameter, bool kept);
  void keep_before_write(const Tensor& written, bool any_shape);
  void register_kept(size_t entry, size_t first);
  void push();
  bool take_gradients(Entry* entry);
  void leave_entry();
  Value& value_of(Tensor* t);
  void track_result(Tensor* t);
  void own_gradient(Value* value);
  void grow_gradient(Value* value);
  TensorRef place_in_gradient(Value* value, const Tensor& place);
  void accumulate(uint64_t storage, const Tensor& place, Var gradient);
  void accumulate(uint64_t storage, const Tensor& place, const Product& gradient);
  Var take(const Operand& result);

  // Sorts the watched storages by the first entry that uses them.
  void sort_watched();

  bool recording_ = false, has_lost_dependence_ = false;
  int outer_pauses_ = 0, outer_customs_ = 0;  // pauses that began before start()
  const TracedCall* active_ = nullptr;        // the call that is being recorded
  bool records_ = false;                      // pending_ is used
  bool depends_ = false;                      // the call reads tracked elements
  uint32_t read_ = 0;                         // the parameters that its formulas read
  Entry pending_;
  Entry current_;  // of the reverse pass; a custom one if run() returned its number
  // Messages are arrays, because begin() must not throw if memory is short. failure_: why active_,
  // or a composed operation, cannot be recorded. unrecorded_: the first operation that ran although
  // it was not recorded.
  char failure_[200] = "", composed_failure_[200] = "", unrecorded_[250] = "";
  [[noreturn]] void refuse(const TracedCall& call, const char* why);
  std::vector<Composed> composed_;
  std::vector<Entry> entries_;
  std::vector<Entry> done_;  // the entries that the reverse pass has run, if it keeps them
  bool keeps_entries_ = false;
  // After the reverse pass has run the entry `first`, the gradient of the storage is complete.
  struct Watched {
    uint64_t storage;
    int64_t number;
    size_t first;
  };
  std::vector<Watched> watched_;
  bool is_sorted_ = false;
  std::unordered_map<uint64_t, Value> values_;  // by identity
  // The kept tensors of each storage: entry and operand.
  std::unordered_map<uint64_t, std::vector<std::pair<size_t, size_t>>> kept_;
  // Storages of which raw pointers were handed out. Kept elements of them are copies.
  std::unordered_set<uint64_t> exposed_;
  // The storages of the operands of custom computations, and those that they wrote.
  std::unordered_set<uint64_t> custom_operands_, custom_written_;
  int open_customs_ = 0;
};

// The copies of elements that rules need, of all tapes since the last reset: they were made because
// an operation overwrites the elements, or because their memory may change unseen.
CopyCount kept_copies() noexcept;
void reset_kept_copies() noexcept;

// The tapes that record operations of the calling thread, in the order of start().
const std::vector<Tape*>& recording_tapes() noexcept;
// Returns true if one of these tapes is not paused.
bool is_recording() noexcept;
// Returns true if one of these tapes tracks the storage, and is not paused.
bool is_tracked(const Storage* s) noexcept;
// Stops these tapes from recording operations, or lets them go on. Calls nest. Tapes that start in
// a pause record. custom: the operations belong to a computation between begin_custom() and
// end_custom().
void pause(bool on, bool custom = false) noexcept;
class Pause {
 public:
  explicit Pause(bool custom = false) noexcept : custom_(custom) { pause(true, custom_); }
  ~Pause() { pause(false, custom_); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const bool custom_;
};

// Returns the tensor of one element through which tapes of this thread track the number that the
// last operation returned, or null.
Tensor* tracked_number() noexcept;

}  // namespace grad
}  // namespace TH_VISIBLE

#endif

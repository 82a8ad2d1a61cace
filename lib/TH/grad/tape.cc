#include "grad/tape.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/thread_end.h"
#include "grad/functions.h"
#include "grad/parts.h"
#include "ops/operands.h"
#include "ops/rules.h"
#include "tensor/overlap.h"

namespace th::grad {

namespace {

// The tapes of a thread, and the tensor of the number that its last operation returned.
struct ThreadState {
  std::vector<Tape*> tapes;
  TensorRef last_number;
};
// Null until the thread starts a tape. A thread_local object with a destructor would end the
// process if memory has run out at its first use.
thread_local ThreadState* own = nullptr;
thread_local ThreadEnd own_end = {[] { delete std::exchange(own, nullptr); }};
const std::vector<Tape*> no_tapes;

std::atomic<int64_t> copies_of_kept{0}, bytes_of_kept{0};
void count_kept_copy(const Tensor& t) noexcept {
  copies_of_kept.fetch_add(1, std::memory_order_relaxed);
  bytes_of_kept.fetch_add(t.numel() * static_cast<int64_t>(item_size(t.dtype)),
                          std::memory_order_relaxed);
}

const char* message_of(const std::exception& e) noexcept {
  return dynamic_cast<const std::bad_alloc*>(&e) ? "out of memory" : e.what();
}

}  // namespace

TensorRef without_memory(const Tensor& t) {
  TensorRef r(tensor_new(t.dtype));
  set_geometry(r.get(), t.nDimension, t.size, t.stride);
  r->storageOffset = t.storageOffset;
  return r;
}

TensorRef copy_of(Tensor* t) {
  TensorRef r = new_tensor(t->dtype, t->nDimension, t->size, *t);
  ops::copy(r.get(), t);
  return r;
}

CopyCount kept_copies() noexcept { return {copies_of_kept.load(), bytes_of_kept.load()}; }
void reset_kept_copies() noexcept { copies_of_kept = bytes_of_kept = 0; }

const std::vector<Tape*>& recording_tapes() noexcept { return own ? own->tapes : no_tapes; }

bool is_tracked(const Storage* s) noexcept {
  if (!s || !s->identity) return false;
  for (const Tape* tape : recording_tapes()) {
    if (tape->tracks(s) && !tape->is_paused()) return true;
  }
  return false;
}

bool is_recording() noexcept {
  for (const Tape* tape : recording_tapes()) {
    if (!tape->is_paused()) return true;
  }
  return false;
}

Tensor* tracked_number() noexcept { return own ? own->last_number.get() : nullptr; }

// ---- recording

Tape::Tape() = default;
Tape::~Tape() { stop(); }

void Tape::start() {
  if (recording_) return;
  if (!own && at_thread_end(own_end)) own = new (std::nothrow) ThreadState;
  if (!own) throw std::bad_alloc();
  constexpr size_t kMostTapes = 100;  // each also records the reverse passes of the later ones
  if (own->tapes.size() == kMostTapes) fail("more than %zu gradients are nested", kMostTapes);
  own->tapes.push_back(this);
  add_tracer(this);
  recording_ = true;
  set_outer_pauses();
}

void Tape::stop() {
  if (!recording_) return;
  remove_tracer(this);
  if (own) {
    auto& tapes = own->tapes;
    tapes.erase(std::remove(tapes.begin(), tapes.end(), this), tapes.end());
  }
  recording_ = false;
  pending_ = Entry();
  active_ = nullptr;
  composed_.clear();
}

Tape::Value& Tape::value_of(Tensor* t) {
  const uint64_t identity = storage_identity(t->storage);
  if (!exposed_.empty() && exposed_.count(identity)) {
    fail(
        "a raw pointer to the elements of the result was handed out, so they may be written "
        "without being recorded");
  }
  Value& value = values_[identity];
  value.extent = std::max<int64_t>(value.extent, t->storage->size);
  return value;
}

void Tape::track(Tensor* t) {
  ensure_storage(t);
  track_result(t);
  Value& value = value_of(t);
  ++value.arguments;
  value.argument = {t->storageOffset, extent_of(*t)};
}

void Tape::track_result(Tensor* t) {
  if (is_integral(t->dtype)) {
    fail("a tensor of floating-point numbers is expected, got %sTensor",
         name_with_article(t->dtype));
  }
  if (has_shared_elements(*t)) {
    fail("a tensor whose elements share memory is written, so the gradient is not defined");
  }
  // A result without a storage has no elements. It must not get one: views that are made of it now
  // would share its later elements.
  if (t->storage) value_of(t);
  has_lost_dependence_ = has_lost_dependence_ || t->numel() == 0;
}

bool Tape::tracks(const Storage* s) const { return s && s->identity && values_.count(s->identity); }

// Within a recorded operation, only that operation counts.
bool Tape::follows(const Tensor& t) const noexcept { return !active_ && !is_paused() && tracks(t); }

bool Tape::tracks_any(const TracedCall& call) const {
  bool found = false;
  for_each_tensor(call.row(), call.arguments(),
                  [&](Tensor* t, const Parameter&) { found = found || tracks(*t); });
  return found;
}

// Returns true for operations whose inner calls are recorded.
bool Tape::begin(const TracedCall& call) noexcept {
  if (active_) return false;
  own->last_number = TensorRef();
  const RowRule& rule = rule_of(call.row().op);
  if (rule.derivative == Derivative::shares) return true;
  // An operation on constants is not entered, because a recorder can replay it as a whole.
  const bool composed = !is_paused() && rule.derivative == Derivative::composed && tracks_any(call);
  if (!composed) {
    active_ = &call;
    records_ = false;
    *failure_ = 0;
  }
  try {
    if (composed) {
      begin_composed(call);
    } else if (is_paused()) {
      begin_unrecorded(call);
    } else {
      begin_entry(call);
    }
  } catch (const std::exception& e) {
    std::snprintf(composed ? composed_failure_ : failure_, sizeof(failure_), "%s", message_of(e));
  }
  return composed;
}

namespace {

bool is_result_only(const Parameter& p) {
  return p.kind == ParameterKind::out || p.kind == ParameterKind::view;
}

bool is_operand(const TracedCall& call, const Tensor& r) {
  bool found = false;
  for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
    found = found || (!is_result_only(p) && share_storage(*t, r));
  });
  return found;
}

bool is_overwritten(const TracedCall& call, const Tensor& t) {
  bool overwritten = false;
  for_each_tensor(call.row(), call.arguments(), [&](Tensor* r, const Parameter& p) {
    overwritten = overwritten || (writes(call, p) && share_storage(*r, t));
  });
  return overwritten;
}

}  // namespace

Operand Tape::operand_of(Tensor* t, int parameter, bool kept, bool overwritten) {
  Operand operand;
  operand.parameter = static_cast<uint8_t>(parameter);
  operand.storage = tracks(*t) ? t->storage->identity : 0;
  operand.kept = kept;
  operand.device = device_of({t});
  if (!kept) {
    operand.value = without_memory(*t);
  } else if (overwritten || (t->storage && (t->storage->memory.shares_host() ||
                                            exposed_.count(t->storage->identity)))) {
    operand.value = copy_of(t);
    operand.place = without_memory(*t);
    count_kept_copy(*t);
  } else {
    operand.value = TensorRef(tensor_new_view(t));
  }
  return operand;
}

namespace {

// Throws if a C caller left out a tensor that the derivative needs. read: the parameters that the
// formulas read. NULL operands mean that the results are operands, too.
void check_null_tensors(const TracedCall& call, const RowRule& rule, uint32_t read) {
  const bool has_formulas = rule.derivative == Derivative::formulas;
  for (const Parameter& p : call.row()) {
    const bool is_read = read & bit(call.row().number_of(p));
    const bool needed = p.kind == ParameterKind::in || (has_formulas && is_read);
    if (needed && p.is_tensor() && !p.may_be_null() && !argument<Tensor*>(call.arguments(), p)) {
      fail("the derivative is not implemented if '%s' is NULL", p.name);
    }
  }
}

}  // namespace

void Tape::begin_entry(const TracedCall& call) {
  const OpRow& row = call.row();
  const RowRule& rule = rule_of(row.op);
  const bool constant = rule.derivative == Derivative::constant;
  bool operands = false, results = false;
  uint32_t read = 0;
  for_each_tensor(row, call.arguments(), [&](Tensor* t, const Parameter& p) {
    const int number = row.number_of(p);
    if (writes(call, p)) {
      results = results || tracks(*t);
      keep_before_write(*t, p.kind == ParameterKind::out);
    }
    if (rule.derivative == Derivative::unsupported && tracks(*t)) {
      // With the name, because a rule of another operation may have called this one.
      fail("the derivative of %s is not implemented", row.name);
    }
    if (constant || is_result_only(p) || p.kind == ParameterKind::like || !tracks(*t)) return;
    // An inout tensor without a formula is overwritten.
    const bool has_formula = rule.has_formula & bit(number);
    if (!has_formula && p.kind == ParameterKind::inout && rule.derivative == Derivative::formulas) {
      return;
    }
    if (!has_formula) {
      fail("the derivative with respect to '%s' is not implemented", p.name);
    }
    operands = true;
    read |= rule.read[number];
  });
  records_ = operands || results;
  if (!records_) return;
  if (!constant) check_null_tensors(call, rule, read);
  pending_ = Entry();
  pending_.row = operands ? &row : nullptr;
  pending_.pairs_in_order = current_rules.pairing == Pairing::torch7;
  depends_ = operands;
  read_ = read;
  if (!operands) return;
  pending_.arguments.reset(new char[row.argument_bytes]);
  std::memcpy(pending_.arguments.get(), call.arguments(), row.argument_bytes);
  copy_lists(call);
  pending_.operands.reserve(static_cast<size_t>(row.end() - row.begin()));
  for_each_tensor(row, call.arguments(), [&](Tensor* t, const Parameter& p) {
    if (is_result_only(p)) return;
    const int number = row.number_of(p);
    const bool kept = read & bit(number);
    if (!kept && !tracks(*t)) return;
    pending_.operands.push_back(operand_of(t, number, kept, kept && is_overwritten(call, *t)));
  });
}

void Tape::copy_lists(const TracedCall& call) {
  for (const Parameter& p : call.row()) {
    if (p.is_list_of_numbers()) {
      auto& sizes = argument<Sizes>(pending_.arguments.get(), p);
      auto copy = std::make_unique<int64_t[]>(sizes.ndim + 1);
      std::copy(sizes.size, sizes.size + sizes.ndim, copy.get());
      sizes.size = copy.get();
      if (!pending_.lists) pending_.lists = std::make_unique<ArgumentLists>();
      pending_.lists->sizes.push_back(std::move(copy));
    } else if (p.kind == ParameterKind::text) {
      if (!pending_.lists) pending_.lists = std::make_unique<ArgumentLists>();
      auto& text = argument<const char*>(pending_.arguments.get(), p);
      pending_.lists->text = text;
      text = pending_.lists->text.c_str();
    }
  }
}

// A composed operation may also write elements without a call, such as zeros. The elements of its
// results before it have no influence on later values, unless it reads them as an operand.
void Tape::begin_composed(const TracedCall& call) {
  for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
    if (p.kind == ParameterKind::in && p.element_type == kAnyType && tracks(*t)) {
      // The operation reads its elements as numbers.
      fail("the derivative with respect to '%s' is not implemented", p.name);
    }
    if (p.kind != ParameterKind::out) return;
    keep_before_write(*t, true);
    if (!tracks(*t) || is_operand(call, *t)) return;
    composed_.push_back({&call, t, entries_.size()});
    entries_.emplace_back();
  });
}

void Tape::end_composed(const TracedCall& call, bool failed) {
  while (!composed_.empty() && composed_.back().call == &call) {
    const Composed c = composed_.back();
    composed_.pop_back();
    if (!failed && tracks(*c.result)) {
      entries_[c.entry].operands.push_back(result_of(c.result, 0, false));
    }
  }
}

// A composed operation with an empty result may have returned before it called another one.
void Tape::note_empty_results(const TracedCall& call) {
  bool depends = false, is_empty = false;
  for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
    if (is_result_only(p)) {
      is_empty = is_empty || t->numel() == 0;
    } else {
      depends = depends || tracks(*t);
    }
  });
  has_lost_dependence_ = has_lost_dependence_ || (depends && is_empty);
}

void Tape::end(const TracedCall& call, bool failed) {
  if (!composed_.empty()) end_composed(call, failed);
  if (*composed_failure_) {
    std::swap(failure_, composed_failure_);
    *composed_failure_ = 0;
    if (!failed) refuse(call, failure_);
  }
  if (&call != active_) {
    if (!active_ && !failed && !is_paused()) note_empty_results(call);
    return;
  }
  active_ = nullptr;
  if (!failed && *failure_) refuse(call, failure_);
  if (failed || !records_) {
    pending_ = Entry();
    return;
  }
  try {
    end_entry(call);
    push();
  } catch (const std::exception& e) {
    pending_ = Entry();
    std::snprintf(failure_, sizeof(failure_), "%s", message_of(e));
    refuse(call, failure_);
  }
}

// Reports an operation that ran, but was not recorded. The program may ignore the error, so the
// reverse pass reports it again.
void Tape::refuse(const TracedCall& call, const char* why) {
  if (!*unrecorded_) {
    std::snprintf(unrecorded_, sizeof(unrecorded_), "%s: %s", lua_name(call.row().op), why);
  }
  fail("%s", why);
}

Operand Tape::result_of(Tensor* t, int parameter, bool kept) {
  if (t->storage && t->storage->memory.shares_host()) {
    fail("gradients do not go through a storage that shares its memory with another storage");
  }
  Operand result = operand_of(t, parameter, kept, false);
  result.result = true;
  return result;
}

void Tape::end_entry(const TracedCall& call) {
  const OpRow& row = call.row();
  for_each_tensor(row, call.arguments(), [&](Tensor* t, const Parameter& p) {
    if (!writes(call, p)) return;
    const int number = row.number_of(p);
    // A rule computes with the elements of a hidden result as constants.
    if (depends_ && !is_integral(t->dtype) && !p.is_hidden()) {
      track_result(t);
    } else if (!tracks(*t) && !(read_ & bit(number))) {
      return;
    }
    pending_.operands.push_back(result_of(t, number, depends_ && (read_ & bit(number))));
  });
  if (!depends_ || row.returned != Returned::number) return;
  // Another tape may have made the tensor.
  TensorRef& last_number = own->last_number;
  if (!last_number) {
    const int64_t one = 1;
    TensorRef number(tensor_new_sized(DType::Double, 1, &one));
    number->storage->set_current_device(nullptr);
    const auto* returned = reinterpret_cast<const Scalar*>(
        static_cast<const char*>(call.arguments()) + row.returned_offset);
    // Not by an operation: a recorder before this tape would record a constant.
    *number->data_as<double>(Access::overwrite) = returned->to_double();
    last_number = std::move(number);
    trace_returned(last_number.get());
  }
  value_of(last_number.get());
  pending_.operands.push_back(
      result_of(last_number.get(), kReturnedNumber, read_ & bit(Uses::kReturned)));
}

// Registers the operands of an entry, from number `first`, that are views of kept elements.
void Tape::register_kept(size_t entry, size_t first) {
  const auto& operands = entries_[entry].operands;
  for (size_t k = first; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    if (!operand.kept || operand.place || !operand.value->storage) continue;
    kept_[storage_identity(operand.value->storage)].emplace_back(entry, k);
  }
}

void Tape::push() {
  entries_.push_back(std::move(pending_));
  pending_ = Entry();
  register_kept(entries_.size() - 1, 0);
}

// Copies the kept elements of the storage that an operation is about to overwrite. any_shape: the
// operation may give the tensor another shape.
void Tape::keep_before_write(const Tensor& written, bool any_shape) {
  if (!written.storage || !written.storage->identity) return;
  const auto found = kept_.find(written.storage->identity);
  if (found == kept_.end()) return;
  auto& list = found->second;
  size_t left = 0;
  // A tensor that many operations read is copied once. Custom rules get copies of their own,
  // because they may write to them.
  TensorRef view, copy;
  for (const auto& [entry, k] : list) {
    Operand& operand = entries_[entry].operands[k];
    if (operand.place) continue;  // copied already, before an exception
    if (!any_shape && !ranges_overlap(written, *operand.value)) {
      list[left++] = {entry, k};
      continue;
    }
    if (!view || !same_view(*view, *operand.value) || entries_[entry].custom) {
      copy = copy_of(operand.value.get());
      count_kept_copy(*copy);
      view = Var::share(operand.value.get()).release();
    }
    operand.place = without_memory(*operand.value);
    operand.value = Var::share(copy.get()).release();
    if (entries_[entry].custom) view = TensorRef();
  }
  list.resize(left);
}

}  // namespace th::grad

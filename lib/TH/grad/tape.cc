#include "grad/tape.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "grad/functions.h"
#include "ops/rules.h"
#include "tensor/overlap.h"

namespace th::grad {

namespace {

thread_local TensorRef last_number;
thread_local int pauses = 0, customs = 0;

std::atomic<int64_t> copies_of_kept{0}, bytes_of_kept{0};
void count_kept_copy(const Tensor& t) noexcept {
  copies_of_kept.fetch_add(1, std::memory_order_relaxed);
  bytes_of_kept.fetch_add(t.numel() * static_cast<int64_t>(item_size(t.dtype)),
                          std::memory_order_relaxed);
}

// A tensor with the shape, strides and offset of t, but without memory.
TensorRef without_memory(const Tensor& t) {
  TensorRef r(tensor_new(t.dtype));
  set_geometry(r.get(), t.nDimension, t.size, t.stride);
  r->storageOffset = t.storageOffset;
  return r;
}

// A new contiguous tensor with the elements of t, made by an operation that other tapes record.
TensorRef copy_of(Tensor* t) {
  TensorRef r(tensor_new_sized(t->dtype, t->nDimension, t->size));
  ensure_storage(r.get());
  if (t->storage) r->storage->set_current_device(t->storage->current_device());
  ops::copy(r.get(), t);
  return r;
}

// A view of a vector of all elements of a storage, in the geometry of `place`.
Var view_in(Tensor* all, const Tensor& place) {
  Var view{TensorRef(tensor_new(all->dtype))};
  set_storage(view.get(), all->storage, all->storageOffset + place.storageOffset, place.nDimension,
              place.size, place.stride);
  return view;
}

int64_t extent_of(const Tensor& t) {
  if (t.numel() == 0) return t.storageOffset;
  return last_position(t.storageOffset, t.nDimension, t.size, t.stride) + 1;
}

bool is_whole(const Tensor& t, int64_t extent) {
  return t.storageOffset == 0 && is_contiguous(t) && t.numel() == extent;
}

// Returns true if tensors with the same storage may share elements.
bool ranges_overlap(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  const ByteRange first = a.bytes(), second = b.bytes();
  return first.begin < second.end && second.begin < first.end;
}

uint32_t bit(int k) { return uint32_t{1} << k; }

}  // namespace

CopyCount kept_copies() noexcept { return {copies_of_kept.load(), bytes_of_kept.load()}; }
void reset_kept_copies() noexcept { copies_of_kept = bytes_of_kept = 0; }

std::vector<Tape*>& recording_tapes() noexcept {
  static thread_local std::vector<Tape*> tapes;
  return tapes;
}

bool is_tracked(const Storage* s) noexcept {
  if (!s || !s->identity) return false;
  for (const Tape* tape : recording_tapes()) {
    if (tape->tracks(s) && !tape->is_paused()) return true;
  }
  return false;
}

void pause(bool on, bool custom) noexcept { (custom ? customs : pauses) += on ? 1 : -1; }

bool is_recording() noexcept {
  for (const Tape* tape : recording_tapes()) {
    if (!tape->is_paused()) return true;
  }
  return false;
}

// In a computation of begin_custom(), not in another pause.
bool Tape::is_in_custom() const noexcept {
  return customs > outer_customs_ && pauses == outer_pauses_;
}
bool Tape::is_paused() const noexcept {
  return customs > outer_customs_ || pauses > outer_pauses_;
}

Tensor* tracked_number() noexcept { return last_number.get(); }

// ---- recording

Tape::Tape() = default;
Tape::~Tape() { stop(); }

void Tape::start() {
  if (recording_) return;
  recording_tapes().push_back(this);
  add_tracer(this);
  recording_ = true;
  outer_pauses_ = pauses;
  outer_customs_ = customs;
}

void Tape::stop() {
  if (!recording_) return;
  remove_tracer(this);
  auto& tapes = recording_tapes();
  tapes.erase(std::remove(tapes.begin(), tapes.end(), this), tapes.end());
  recording_ = false;
  pending_ = Entry();
  active_ = nullptr;
  composed_.clear();
}

Tape::Value& Tape::value_of(Tensor* t) {
  ensure_storage(t);
  const uint64_t identity = storage_identity(t->storage);
  if (!exposed_.empty() && exposed_.count(identity)) {
    fail("a raw pointer to the elements of the result was handed out, so they may be written "
         "without being recorded");
  }
  Value& value = values_[identity];
  value.extent = std::max<int64_t>(value.extent, t->storage->size);
  return value;
}

void Tape::track(Tensor* t) {
  if (is_integral(t->dtype)) {
    fail("a tensor of floating-point numbers is expected, got %sTensor",
         name_with_article(t->dtype));
  }
  if (has_shared_elements(*t)) {
    fail("a tensor whose elements share memory is written, so the gradient is not defined");
  }
  value_of(t);
}

bool Tape::tracks(const Storage* s) const {
  return s && s->identity && values_.count(s->identity);
}

// Within a recorded operation, only that operation counts.
bool Tape::follows(const Tensor& t) const noexcept { return !active_ && !paused() && tracks(t); }

// Returns true for operations whose inner calls are recorded.
bool Tape::begin(const TracedCall& call) noexcept {
  if (busy_ || active_) return false;
  last_number = TensorRef();
  const RowRule& rule = rule_of(call.row().op);
  if (rule.derivative == Derivative::shares) return true;
  const bool composed = !is_paused() && rule.derivative == Derivative::composed;
  if (!composed) {
    active_ = &call;
    records_ = false;
    failure_.clear();
  }
  busy_ = true;
  try {
    if (composed) {
      begin_composed(call);
    } else if (is_paused()) {
      begin_unrecorded(call);
    } else {
      begin_entry(call);
    }
  } catch (const std::exception& e) {
    (composed ? composed_failure_ : failure_) = e.what();
  }
  busy_ = false;
  return composed;
}

namespace {

// Calls visit(Tensor*, const Parameter&, number of the parameter) for each tensor.
template <class F>
void each_tensor(const TracedCall& call, const F& visit) {
  int number = 0;
  for (const Parameter& p : call.row()) {
    if (p.is_tensor()) {
      if (Tensor* t = argument<Tensor*>(call.arguments(), p)) visit(t, p, number);
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(call.arguments(), p);
      for (int k = 0; k < list.count; ++k) visit(list.tensors[k], p, number);
    }
    ++number;
  }
}

bool is_result_only(const Parameter& p) {
  return p.kind == ParameterKind::out || p.kind == ParameterKind::view;
}

bool is_operand(const TracedCall& call, const Tensor& r) {
  bool found = false;
  each_tensor(call, [&](Tensor* t, const Parameter& p, int) {
    found = found || (!is_result_only(p) && share_storage(*t, r));
  });
  return found;
}

bool is_overwritten(const TracedCall& call, const Tensor& t) {
  bool overwritten = false;
  each_tensor(call, [&](Tensor* r, const Parameter& p, int) {
    overwritten = overwritten || (p.is_result() && share_storage(*r, t));
  });
  return overwritten;
}

}  // namespace

Operand Tape::operand_of(Tensor* t, int parameter, bool kept, bool overwritten) {
  Operand operand;
  operand.parameter = static_cast<uint8_t>(parameter);
  operand.storage = tracks(*t) ? t->storage->identity : 0;
  operand.kept = kept;
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
  int number = 0;
  for (const Parameter& p : call.row()) {
    const bool needed = p.kind == ParameterKind::in || (has_formulas && (read & bit(number)));
    if (needed && p.is_tensor() && !argument<Tensor*>(call.arguments(), p)) {
      fail("the derivative is not implemented if '%s' is NULL", p.name);
    }
    ++number;
  }
}

}  // namespace

void Tape::begin_entry(const TracedCall& call) {
  const OpRow& row = call.row();
  const RowRule& rule = rule_of(row.op);
  const bool constant = rule.derivative == Derivative::constant;
  bool operands = false, results = false;
  uint32_t read = 0;
  each_tensor(call, [&](Tensor* t, const Parameter& p, int number) {
    if (p.is_result()) {
      results = results || tracks(*t);
      keep_before_write(*t, p.kind == ParameterKind::out);
    }
    if (rule.derivative == Derivative::unsupported && tracks(*t)) {
      fail("the derivative is not implemented");
    }
    if (constant || is_result_only(p) || p.kind == ParameterKind::like || !tracks(*t)) return;
    // An inout tensor without a formula is overwritten.
    const bool has_formula = rule.has_formula & bit(number);
    if (!has_formula && p.kind == ParameterKind::inout &&
        rule.derivative == Derivative::formulas) {
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
  each_tensor(call, [&](Tensor* t, const Parameter& p, int number) {
    if (is_result_only(p)) return;
    const bool kept = read & bit(number);
    if (!kept && p.kind != ParameterKind::list && !tracks(*t)) return;
    pending_.operands.push_back(
        operand_of(t, number, kept, kept && is_overwritten(call, *t)));
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
  each_tensor(call, [&](Tensor* t, const Parameter& p, int) {
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

void Tape::end(const TracedCall& call, bool failed) {
  if (!composed_.empty()) end_composed(call, failed);
  if (!failed && !composed_failure_.empty()) {
    fail("%s", std::exchange(composed_failure_, std::string()).c_str());
  }
  if (&call != active_) return;
  active_ = nullptr;
  if (!failed && !failure_.empty()) refuse(call, failure_.c_str());
  if (failed || !records_) {
    pending_ = Entry();
    return;
  }
  busy_ = true;
  struct Idle {
    bool& busy;
    ~Idle() { busy = false; }
  } idle{busy_};
  try {
    end_entry(call);
    push();
  } catch (const std::exception& e) {
    pending_ = Entry();
    refuse(call, std::string(e.what()).c_str());
  }
}

// Reports an operation that ran, but was not recorded. The program may ignore the error, so the
// reverse pass reports it again.
void Tape::refuse(const TracedCall& call, const char* why) {
  if (unrecorded_.empty()) unrecorded_ = std::string(lua_name(call.row().op)) + ": " + why;
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
  each_tensor(call, [&](Tensor* t, const Parameter& p, int number) {
    if (!p.is_result()) return;
    if (depends_ && !is_integral(t->dtype)) {
      track(t);
    } else if (!tracks(*t) && !(read_ & bit(number))) {
      return;
    }
    pending_.operands.push_back(result_of(t, number, depends_ && (read_ & bit(number))));
  });
  const OpRow& row = call.row();
  if (!depends_ || row.returned != Returned::number) return;
  // Another tape may have made the tensor.
  if (!last_number) {
    const int64_t one = 1;
    TensorRef number(tensor_new_sized(DType::Double, 1, &one));
    number->storage->set_current_device(nullptr);
    const auto* returned = reinterpret_cast<const Scalar*>(
        static_cast<const char*>(call.arguments()) + row.returned_offset);
    ops::fill(number.get(), *returned);  // another tape's begin() resets last_number
    last_number = std::move(number);
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
  for (const auto& [entry, k] : list) {
    Operand& operand = entries_[entry].operands[k];
    if (!any_shape && !ranges_overlap(written, *operand.value)) {
      list[left++] = {entry, k};
      continue;
    }
    TensorRef copy = copy_of(operand.value.get());
    count_kept_copy(*copy);
    operand.place = without_memory(*operand.value);
    operand.value = std::move(copy);
  }
  list.resize(left);
}

// ---- what is not recorded -----------------------------------------------------------------------

// An operation in a pause.
void Tape::begin_unrecorded(const TracedCall& call) {
  records_ = false;
  each_tensor(call, [&](Tensor* t, const Parameter& p, int) {
    if (p.is_result()) {
      keep_before_write(*t, p.kind == ParameterKind::out);
      if (t->storage) check_written(*t->storage);
    } else if (is_in_custom() && p.kind != ParameterKind::like && tracks(*t) &&
               !custom_operands_.count(t->storage->identity)) {
      fail("a function with a gradient of its own uses a tensor that the gradient depends on, but "
           "that is not among its arguments");
    }
  });
}

// A storage is written without a record.
void Tape::check_written(const Storage& s) {
  if (!tracks(&s)) {
    if (is_in_custom() && custom_operands_.count(s.identity)) custom_written_.insert(s.identity);
    return;
  }
  if (!is_in_custom()) {
    fail("writes to a tensor that the gradient depends on, without being recorded");
  }
  const auto& tapes = recording_tapes();
  if (std::count_if(tapes.begin(), tapes.end(), [&](Tape* t) { return t->tracks(&s); }) > 1) {
    fail("a function with a gradient of its own writes to its argument in a nested gradient");
  }
  custom_written_.insert(s.identity);
}

void Tape::used(Storage* s, ElementUse use) {
  if (busy_ || use == ElementUse::inspects) return;
  if (use != ElementUse::reads) keep_before_write(*vector_of(s, 0, s->size), true);
  if (is_paused()) {
    if (use == ElementUse::writes) check_written(*s);
  } else if (tracks(s) && use != ElementUse::drops) {
    fail("%s elements that the gradient depends on, which cannot be recorded",
         use == ElementUse::reads ? "reads" : use == ElementUse::writes ? "writes" : "exposes");
  }
  if (use == ElementUse::hands_out && !is_paused()) exposed_.insert(storage_identity(s));
}

void Tape::begin_custom(const std::vector<Tensor*>& operands, int64_t custom) {
  Entry entry;
  entry.custom = -custom;  // open
  bool depends = false;
  for (const Tensor* t : operands) depends = depends || tracks(*t);
  for (Tensor* t : operands) {
    entry.operands.push_back(operand_of(t, 0, depends, false));
    if (t->storage) custom_operands_.insert(storage_identity(t->storage));
  }
  entries_.push_back(std::move(entry));
  register_kept(entries_.size() - 1, 0);
  ++open_customs_;
}

bool Tape::is_unwritten_operand(const Tensor& t) const {
  return t.storage && custom_operands_.count(t.storage->identity) &&
         !custom_written_.count(t.storage->identity);
}

void Tape::end_custom(const std::vector<Tensor*>& results, int64_t custom) {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [custom](const Entry& e) { return e.custom == -custom; });
  if (found == entries_.rend()) return;
  std::unordered_set<uint64_t> written;
  if (--open_customs_ == 0) {
    custom_operands_.clear();
    written.swap(custom_written_);
  }
  const size_t first = found->operands.size();
  bool depends = false;
  for (const Operand& o : found->operands) depends = depends || o.storage;
  found->custom = custom;
  for (Tensor* t : results) {
    written.erase(t->storage ? t->storage->identity : 0);
    if (depends && !is_integral(t->dtype)) track(t);
    found->operands.push_back(result_of(t, 0, depends));
  }
  register_kept(static_cast<size_t>(&*found - entries_.data()), first);
  if (!results.empty() && !written.empty()) {
    fail("a function with a gradient of its own writes to a tensor that the gradient depends on, "
         "but does not return it");
  }
}

// ---- the reverse pass ---------------------------------------------------------------------------

namespace {

Rules reverse_rules() {
  Rules rules;
  rules.pairing = Pairing::numpy;
  rules.torch7 = false;
  return rules;
}

Var in_type(const Var& v, DType type) {
  if (v->dtype == type) return v;
  Var r{TensorRef(tensor_new_sized(type, v->nDimension, v->size))};
  ensure_storage(r.get());
  if (v->storage) r->storage->set_current_device(v->storage->current_device());
  ops::copy(r.get(), v.get());
  return r;
}

// Converts a gradient to the shape of an operand: sums over dimensions that were broadcast, and
// repeats along those that are missing or have size 1.
Var in_shape(Var v, const Tensor& like) {
  if (same_size(*v, like)) return v;
  if (v->numel() == like.numel()) return reshaped(v, like.nDimension, like.size);
  int64_t dims[kMaxDims];
  int count = 0;
  const int extra = v->nDimension - like.nDimension;
  for (int d = 0; d < v->nDimension; ++d) {
    const bool is_one = d < extra || like.size[d - extra] == 1;
    if (v->size[d] != 1 && is_one) dims[count++] = d;
  }
  if (count) v = sumDims(v, Sizes{count, dims}, true);
  if (extra > 0) v = reshaped(v, like.nDimension, v->size + extra);
  if (!same_size(*v, like)) v = expand(v, Sizes{like.nDimension, like.size});
  return v;
}

}  // namespace

// 1, 2, ..., count
Var positions_of(const Tensor& like, int64_t count) {
  Var r = filled(like, 1, &count, 1);
  Var positions = in_type(r, DType::Long);
  return cumsum(positions, int64_t{0});
}

void Tape::own_gradient(Value* value) {
  if (value->gradient->storage->refcount > 1) value->gradient = copy_of(value->gradient.get());
}

// Adds v to the elements of the vector `all` that `place` shows. Windows that overlap, as those of
// unfold, show elements several times: those get sums.
void add_elements(Tensor* all, const Tensor& place, const Var& v) {
  if (!has_shared_elements(place)) {
    Var view = view_in(all, place);
    ops::cadd(view.get(), view.get(), Scalar(1), v.get());
    return;
  }
  int smallest = -1;
  for (int d = 0; d < place.nDimension; ++d) {
    if (place.size[d] > 1 && (smallest < 0 || place.size[d] < place.size[smallest])) smallest = d;
  }
  constexpr int64_t kMostSlices = 32;
  if (place.size[smallest] > kMostSlices) {
    Var positions = view_in(positions_of(*v, all->size[0]).get(), place);
    const int64_t count = place.numel();
    positions = reshaped(positions, 1, &count);
    ops::indexAdd(all, 0, positions.get(), reshaped(v, 1, &count).get());
    return;
  }
  // Without this dimension fewer elements are shown several times.
  TensorRef slice = without_memory(place);
  slice->size[smallest] = 1;
  for (int64_t k = 0; k < place.size[smallest]; ++k) {
    slice->storageOffset = place.storageOffset + k * place.stride[smallest];
    add_elements(all, *slice, narrow(v, int64_t{smallest}, k, int64_t{1}));
  }
}

// Lengthens the gradient by zeros.
void Tape::grow_gradient(Value* value, int64_t extent) {
  Var larger = filled(*value->gradient, 1, &extent, 0);
  Var part = narrow(larger, int64_t{0}, int64_t{0}, value->gradient->size[0]);
  ops::copy(part.get(), value->gradient.get());
  value->gradient = larger.release();
}

void Tape::accumulate(uint64_t storage, const Tensor& place, Var v) {
  if (place.numel() == 0) return;
  Value& value = values_[storage];
  const int64_t extent = std::max(value.extent, extent_of(place));
  value.extent = extent;
  if (!value.gradient && is_whole(place, extent)) {
    if (!is_contiguous(*v)) v = Var(copy_of(v.get()));
    value.gradient = TensorRef(tensor_new(v->dtype));
    set_storage(value.gradient.get(), v->storage, v->storageOffset, 1, &extent, nullptr);
    return;
  }
  if (!value.gradient) {
    value.gradient = filled(*v, 1, &extent, 0).release();
  } else if (value.gradient->size[0] < extent) {
    grow_gradient(&value, extent);
  }
  own_gradient(&value);
  // Elements that the operand shows several times get the sum of their gradients.
  int64_t size[kMaxDims], dims[kMaxDims];
  int count = 0;
  for (int d = 0; d < place.nDimension; ++d) {
    const bool repeated = place.stride[d] == 0 && place.size[d] > 1;
    size[d] = repeated ? 1 : place.size[d];
    if (repeated) dims[count++] = d;
  }
  if (count) v = sumDims(v, Sizes{count, dims}, true);
  TensorRef bare = without_memory(place);
  std::copy(size, size + place.nDimension, bare->size);
  add_elements(value.gradient.get(), *bare, v);
}

Var Tape::take(const Operand& result) {
  const auto found = values_.find(result.storage);
  if (found == values_.end() || !found->second.gradient) return Var();
  Value& value = found->second;
  const Tensor& place = result.position();
  if (place.numel() == 0) return Var();
  if (is_whole(place, value.gradient->size[0])) {
    Var g = view_in(value.gradient.get(), place);
    value.gradient = TensorRef();
    return g;
  }
  if (extent_of(place) > value.gradient->size[0]) {
    // The gradient has fewer elements than the storage: the others have none.
    grow_gradient(&value, std::max(value.extent, extent_of(place)));
  }
  own_gradient(&value);
  Var view = view_in(value.gradient.get(), place);
  Var g(copy_of(view.get()));
  ops::zero(view.get());
  return g;
}

void Tape::add_gradient(Tensor* t, Tensor* gradient) {
  if (!tracks(*t)) return;
  RulesScope rules(reverse_rules());
  Var g(copy_of(gradient));
  accumulate(t->storage->identity, *t, in_shape(in_type(g, t->dtype), *t));
}

// Takes the gradients of the results. Returns false if all of them are 0.
bool Tape::take_gradients(Entry* entry) {
  bool any = false;
  for (Operand& operand : entry->operands) {
    if (!operand.result || !operand.storage) continue;
    operand.gradient = take(operand);
    any = any || operand.gradient;
  }
  return any;
}

int64_t Tape::run() {
  stop();
  if (!unrecorded_.empty()) {
    fail("an operation was not recorded, and its error was ignored: %s", unrecorded_.c_str());
  }
  kept_.clear();
  RulesScope rules(reverse_rules());
  while (!entries_.empty()) {
    Entry entry = std::move(entries_.back());
    entries_.pop_back();
    if (!take_gradients(&entry)) continue;
    if (entry.row) {
      Backward backward(*this, entry);
      rule_of(entry.row->op).run(backward);
    } else if (entry.custom > 0) {
      custom_ = std::move(entry);
      return custom_.custom;
    }
  }
  custom_ = Entry();
  return 0;
}

void Tape::give(size_t operand, Tensor* gradient) {
  RulesScope rules(reverse_rules());
  const Operand& o = custom_.operands.at(operand);
  if (o.result || !o.storage) return;
  accumulate(o.storage, o.position(),
             in_shape(in_type(Var::share(gradient), o.value->dtype), *o.value));
}

TensorRef Tape::gradient(const Tensor& t) {
  RulesScope rules(reverse_rules());
  const auto found = t.storage ? values_.find(t.storage->identity) : values_.end();
  if (found == values_.end() || !found->second.gradient ||
      found->second.gradient->size[0] < extent_of(t)) {
    return filled(t, t.nDimension, t.size, 0).release();
  }
  own_gradient(&found->second);
  return view_in(found->second.gradient.get(), t).release();
}

// ---- what rules see -----------------------------------------------------------------------------

namespace {

const Operand* find(const Entry& entry, int parameter, bool result) {
  for (const Operand& o : entry.operands) {
    if (o.parameter == parameter && o.result == result) return &o;
  }
  return nullptr;
}

// By Torch7's rules operands with as many elements pair in order, whatever their shapes. Formulas
// broadcast, so they get operands in the shape of this one. Null: the formulas are right.
const Operand* partner(const Entry& entry) {
  switch (entry.row->op) {
    case Op::dist:
      return entry.pairs_in_order ? find(entry, 0, false) : nullptr;
    case Op::maskedSelect:
      return entry.pairs_in_order ? find(entry, 1, false) : nullptr;
    case Op::maskedFill:
    case Op::maskedCopy:
    case Op::normal_means_stddevs:
      return find(entry, 0, true);
    default:
      return entry.row->flags & row_flag::element_wise ? find(entry, 0, true) : nullptr;
  }
}

}  // namespace

void* Backward::arguments() const { return entry_.arguments.get(); }

bool Backward::wants(int parameter) const {
  const Operand* o = find(entry_, parameter, false);
  return o && o->storage;
}

Var Backward::value(int parameter) const {
  const Operand* o = find(entry_, parameter, false);
  if (!o) o = find(entry_, parameter, true);
  if (!o) return Var();
  Var v = Var::share(o->value.get());
  if (!o->kept || o->result) return v;
  const Operand* p = partner(entry_);
  if (p && p->value->numel() == v->numel() && !same_size(*p->value, *v)) {
    return reshaped(v, p->value->nDimension, p->value->size);
  }
  return v;
}

int Backward::list_count() const {
  int count = 0;
  for (const Operand& o : entry_.operands) count += is_in_list(o);
  return count;
}

bool Backward::is_in_list(const Operand& o) const {
  return !o.result && o.parameter != kReturnedNumber &&
         entry_.row->parameters[o.parameter].kind == ParameterKind::list;
}

const Operand& Backward::list_operand(int k) const {
  for (const Operand& o : entry_.operands) {
    if (is_in_list(o) && k-- == 0) return o;
  }
  fail("a list has fewer tensors");
}

Var Backward::list_value(int k) const { return Var::share(list_operand(k).value.get()); }
bool Backward::wants_list(int k) const { return list_operand(k).storage != 0; }

Var Backward::gradient(int result) const {
  const Operand* o = find(entry_, result, true);
  return o ? o->gradient : Var();
}

Var Backward::gradient_or_zeros(int result) const {
  Var g = gradient(result);
  const Operand* o = find(entry_, result, true);
  return g || !o ? g : filled_like(Var::share(o->value.get()), 0);
}

Var Backward::in_own_type(const Var& v) const {
  for (const Operand& o : entry_.operands) {
    if (v && o.storage && !o.result) return in_type(v, o.value->dtype);
  }
  return v;
}

Var Backward::gradient() const {
  for (const Operand& o : entry_.operands) {
    if (o.result && o.gradient) {
      return o.parameter == kReturnedNumber ? in_own_type(o.gradient) : o.gradient;
    }
  }
  return Var();
}

Var Backward::returned() const {
  const Operand* o = find(entry_, kReturnedNumber, true);
  return o && o->kept ? in_own_type(Var::share(o->value.get())) : Var();
}

void Backward::give_to(const Operand& o, const Var& gradient) {
  if (!gradient || !o.storage) return;
  tape_.accumulate(o.storage, o.position(),
                   in_shape(in_type(gradient, o.value->dtype), *o.value));
}

void Backward::give(int parameter, const Var& gradient) {
  if (const Operand* o = find(entry_, parameter, false)) give_to(*o, gradient);
}

void Backward::give_list(int k, const Var& gradient) { give_to(list_operand(k), gradient); }

}  // namespace th::grad

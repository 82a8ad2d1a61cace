// Operations and accesses that the tape does not record: in a pause, in a computation with a
// gradient of its own, and accesses through pointers.

#include <algorithm>

#include "grad/parts.h"

namespace th::grad {

namespace {

thread_local int pauses = 0, customs = 0;

}  // namespace

void pause(bool on, bool custom) noexcept { (custom ? customs : pauses) += on ? 1 : -1; }

void Tape::set_outer_pauses() noexcept {
  outer_pauses_ = pauses;
  outer_customs_ = customs;
}

// In a computation of begin_custom(), not in another pause.
bool Tape::is_in_custom() const noexcept {
  return customs > outer_customs_ && pauses == outer_pauses_;
}
bool Tape::is_paused() const noexcept { return customs > outer_customs_ || pauses > outer_pauses_; }

// An operation in a pause.
void Tape::begin_unrecorded(const TracedCall& call) {
  records_ = false;
  for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
    if (writes(call, p)) {
      keep_before_write(*t, p.kind == ParameterKind::out);
      if (t->storage) check_written(*t->storage);
    } else if (is_in_custom() && p.kind != ParameterKind::like && tracks(*t) &&
               !custom_operands_.count(t->storage->identity)) {
      fail(
          "a function of customGradient or checkpoint uses a tensor that the gradient depends on, "
          "but that is not among its arguments: pass it, as in tensor.checkpoint(net)(params, x)");
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
    fail("a function of customGradient or checkpoint writes to its argument in a nested gradient");
  }
  custom_written_.insert(s.identity);
}

void Tape::used(Storage* s, ElementUse use) {
  if (use == ElementUse::inspects) return;
  if (use == ElementUse::dropped) return drop_gradient(*s);
  if (use != ElementUse::reads) keep_before_write(*vector_of(s, 0, s->size), true);
  if (is_paused()) {
    const bool drops = use == ElementUse::drops && customs > outer_customs_;
    if (use == ElementUse::writes || drops) check_written(*s);
  } else if (tracks(s) && use != ElementUse::drops) {
    fail("%s elements that the gradient depends on, which cannot be recorded",
         use == ElementUse::reads    ? "reads"
         : use == ElementUse::writes ? "writes"
                                     : "exposes");
  }
  if (use == ElementUse::hands_out && !is_paused()) exposed_.insert(storage_identity(s));
}

// The elements past the size of a storage that has shrunk have no influence on later values: if it
// grows, it has new elements there. In a computation of begin_custom(), the storage is written.
void Tape::drop_gradient(const Storage& s) {
  const auto found = values_.find(s.identity);
  if (found == values_.end() || customs > outer_customs_) return;
  const int64_t count = found->second.extent - s.size, stride = 1;
  if (count <= 0) return;  // it had grown, by elements without a gradient
  Operand dropped;
  dropped.result = true;
  dropped.storage = s.identity;
  dropped.value = TensorRef(tensor_new(s.dtype));
  set_geometry(dropped.value.get(), 1, &count, &stride);
  dropped.value->storageOffset = s.size;
  Entry entry;
  entry.operands.push_back(std::move(dropped));
  entries_.push_back(std::move(entry));
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
    if (depends && !is_integral(t->dtype)) track_result(t);
    found->operands.push_back(result_of(t, 0, depends));
  }
  register_kept(static_cast<size_t>(&*found - entries_.data()), first);
  if (!results.empty() && !written.empty()) {
    fail("the function writes to a tensor that the gradient depends on, but does not return it");
  }
}

}  // namespace th::grad

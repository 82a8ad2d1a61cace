// The reverse pass of the tape, and what rules see of it.

#include <algorithm>
#include <iterator>

#include "grad/functions.h"
#include "grad/parts.h"
#include "ops/compose.h"
#include "ops/operands.h"
#include "ops/rules.h"
#include "tensor/overlap.h"

namespace th::grad {

namespace {

// A view of a vector of all elements of a storage, in the geometry of `place`.
Var view_in(Tensor* all, const Tensor& place) {
  return Var(strided_view(*all, all->storageOffset + place.storageOffset, place.nDimension,
                          place.size, place.stride));
}

bool is_whole(const Tensor& t, int64_t extent) {
  return t.storageOffset == 0 && is_contiguous(t) && t.numel() == extent;
}

// Returns true if t shows each element of its storage once, in any order.
bool shows_all(const Tensor& t, int64_t extent) {
  return t.numel() == extent && extent_of(t) == extent && !has_shared_elements(t);
}

bool same_strides(const Tensor& a, const Tensor& b) {
  for (int d = 0; d < a.nDimension; ++d) {
    if (a.size[d] > 1 && a.stride[d] != b.stride[d]) return false;
  }
  return true;
}

Rules reverse_rules() {
  Rules rules;
  rules.pairing = Pairing::numpy;
  rules.torch7 = false;
  return rules;
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

// One number that is expanded is converted once.
Var converted(const Var& v, DType type, Device* device) {
  if (v->dtype == type && device_of({v.get()}) == device) return v;
  if (v->numel() > 1 && std::all_of(v->stride, v->stride + v->nDimension,
                                    [](int64_t stride) { return stride == 0; })) {
    TensorRef one = view_of(v.get());
    std::fill_n(one->size, v->nDimension, 1);
    return expand(converted(Var{std::move(one)}, type, device), Sizes{v->nDimension, v->size});
  }
  Var r{TensorRef(tensor_new_sized(type, v->nDimension, v->size))};
  ensure_storage(r.get());
  r->storage->set_current_device(device);
  trace_allocation(*r);
  ops::copy(r.get(), v.get());
  return r;
}

}  // namespace

int64_t extent_of(const Tensor& t) {
  if (t.numel() == 0) return t.storageOffset;
  return last_position(t.storageOffset, t.nDimension, t.size, t.stride) + 1;
}

bool Tape::Span::contains(const Tensor& t) const {
  return t.storageOffset >= begin && extent_of(t) <= end;
}

Var converted(const Var& v, DType type) { return converted(v, type, device_of({v.get()})); }

// 1, 2, ..., count
Var positions_of(const Tensor& like, int64_t count) {
  Var r = filled(like, 1, &count, 1);
  Var positions = converted(r, DType::Long);
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

// Gives all elements of the storage a gradient: zeros for those that had none.
void Tape::grow_gradient(Value* value) {
  const Span old = value->span;
  value->span = {0, value->extent};
  Var larger = filled(*value->gradient, 1, &value->extent, 0);
  Var part = narrow(larger, int64_t{0}, old.begin, old.size());
  ops::copy(part.get(), value->gradient.get());
  value->gradient = larger.release();
}

// Lets the gradient have the elements of `place`, or chooses the span of a new one, which is
// smaller than the storage if a single argument shows only a part. Returns the place in the
// gradient.
TensorRef Tape::place_in_gradient(Value* value, const Tensor& place) {
  value->extent = std::max(value->extent, extent_of(place));
  if (!value->gradient) {
    const bool in_argument = value->arguments == 1 && value->argument.contains(place);
    value->span = in_argument ? value->argument : Span{0, value->extent};
  } else if (!value->span.contains(place)) {
    grow_gradient(value);
  }
  TensorRef own = without_memory(place);
  own->storageOffset -= value->span.begin;
  return own;
}

void Tape::accumulate(uint64_t storage, const Tensor& place, Var v) {
  if (place.numel() == 0) return;
  Value& value = values_[storage];
  const TensorRef own = place_in_gradient(&value, place);
  const int64_t count = value.span.size();
  if (!value.gradient && shows_all(*own, count)) {
    if (!same_strides(*v, *own)) {
      value.gradient = new_tensor(v->dtype, 1, &count, *v);
      ops::copy(view_in(value.gradient.get(), *own).get(), v.get());
      return;
    }
    value.gradient = strided_view(*v, v->storageOffset, 1, &count, nullptr);
    return;
  }
  if (!value.gradient) value.gradient = filled(*v, 1, &count, 0).release();
  own_gradient(&value);
  // Elements that the operand shows several times get the sum of their gradients.
  int64_t dims[kMaxDims];
  int repeated = 0;
  for (int d = 0; d < own->nDimension; ++d) {
    if (own->stride[d] != 0 || own->size[d] <= 1) continue;
    own->size[d] = 1;
    dims[repeated++] = d;
  }
  if (repeated) v = sumDims(v, Sizes{repeated, dims}, true);
  add_elements(value.gradient.get(), *own, v);
}

void Tape::accumulate(uint64_t storage, const Tensor& place, const Product& product) {
  if (place.numel() == 0) return;
  const Var &a = product.a, &b = product.b;
  const bool is_batch = a->nDimension == 3;
  Value& value = values_[storage];
  const TensorRef own = place_in_gradient(&value, place);
  if (value.gradient && !has_shared_elements(place)) {
    own_gradient(&value);
    const Var view = view_in(value.gradient.get(), *own);
    Tensor* r = view.get();
    is_batch ? ops::baddbmm(r, 1, r, product.alpha, a.get(), b.get())
             : ops::addmm(r, 1, r, product.alpha, a.get(), b.get());
    return;
  }
  Var result;
  const int64_t count = value.span.size();
  if (!value.gradient && product.alpha == 1 && shows_all(*own, count)) {
    // In the layout of the operand, so that no copy is needed.
    value.gradient = new_tensor(a->dtype, 1, &count, *a);
    result = view_in(value.gradient.get(), *own);
    is_batch ? ops::bmm(result.get(), a.get(), b.get()) : ops::mm(result.get(), a.get(), b.get());
    return;
  }
  result = is_batch ? bmm(a, b) : mm(a, b);
  accumulate(storage, place, scaled(result, Scalar(product.alpha)));
}

Var Tape::take(const Operand& result) {
  const auto found = values_.find(result.storage);
  if (found == values_.end() || !found->second.gradient) return Var();
  Value& value = found->second;
  const Tensor& place = result.position();
  if (place.numel() == 0) return Var();
  const TensorRef own = place_in_gradient(&value, place);
  if (is_whole(*own, value.span.size())) {
    Var g = view_in(value.gradient.get(), *own);
    value.gradient = TensorRef();
    return g;
  }
  own_gradient(&value);
  Var view = view_in(value.gradient.get(), *own);
  Var g(copy_of(view.get()));
  ops::zero(view.get());
  return g;
}

void Tape::add_gradient(Tensor* t, Tensor* gradient) {
  if (!tracks(*t)) return;
  RulesScope rules(reverse_rules());
  Var g(copy_of(gradient));
  accumulate(t->storage->identity, *t, in_shape(converted(g, t->dtype), *t));
}

void Tape::add_one(Tensor* t) {
  if (!tracks(*t)) return;
  RulesScope rules(reverse_rules());
  accumulate(t->storage->identity, *t, filled_like(Var::share(t), 1));
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

void Tape::watch(const Tensor& t) {
  const uint64_t storage = t.storage ? t.storage->identity : 0;
  watched_.push_back({storage, static_cast<int64_t>(watched_.size()) + 1, SIZE_MAX});
}

void Tape::sort_watched() {
  std::unordered_map<uint64_t, size_t> first;
  for (size_t k = entries_.size(); k-- > 0;) {
    for (const Operand& operand : entries_[k].operands) {
      if (operand.storage) first[operand.storage] = k;
    }
  }
  for (Watched& w : watched_) {
    const auto found = first.find(w.storage);
    if (found != first.end()) w.first = found->second;
  }
  std::sort(watched_.begin(), watched_.end(), [](const Watched& a, const Watched& b) {
    return a.first != b.first ? a.first < b.first : a.number > b.number;
  });
  is_sorted_ = true;
}

// Keeps or frees the entry that the reverse pass has run. Without operands, there was none.
void Tape::leave_entry() {
  if (keeps_entries_ && !current_.operands.empty()) {
    for (Operand& operand : current_.operands) operand.gradient = Var();
    done_.push_back(std::move(current_));
  }
  current_ = Entry();
}

void Tape::rewind() {
  keeps_entries_ = true;
  std::move(done_.rbegin(), done_.rend(), std::back_inserter(entries_));
  done_.clear();
  for (auto& item : values_) item.second.gradient = TensorRef();
}

int64_t Tape::run() {
  stop();
  if (*unrecorded_) {
    fail("an operation was not recorded, and its error was ignored: %s", unrecorded_);
  }
  kept_.clear();
  RulesScope rules(reverse_rules());
  if (!watched_.empty() && !is_sorted_) sort_watched();
  while (true) {
    leave_entry();
    if (!watched_.empty() && watched_.back().first >= entries_.size()) {
      const int64_t number = watched_.back().number;
      watched_.pop_back();
      return -number;
    }
    if (entries_.empty()) break;
    current_ = std::move(entries_.back());
    entries_.pop_back();
    if (!take_gradients(&current_)) continue;
    if (current_.row) {
      Backward backward(*this, current_);
      const RowRule& rule = rule_of(current_.row->op);
      if (rule.fuse && Fusion::may_pay(backward)) {
        Fusion fusion(backward);
        rule.fuse(fusion);
      }
      rule.run(backward);
      // A device may have read the elements of a tensor of C code.
      for (const Operand& o : current_.operands) {
        if (o.kept) settle(o.value->storage);
      }
    } else if (current_.custom > 0) {
      return current_.custom;
    }
  }
  return 0;
}

void Tape::give(size_t operand, Tensor* gradient) {
  RulesScope rules(reverse_rules());
  const Operand& o = current_.operands.at(operand);
  if (o.result || !o.storage) return;
  accumulate(o.storage, o.position(),
             in_shape(converted(Var::share(gradient), o.value->dtype), *o.value));
}

TensorRef Tape::gradient(const Tensor& t) {
  RulesScope rules(reverse_rules());
  const auto found = t.storage ? values_.find(t.storage->identity) : values_.end();
  if (found == values_.end() || !found->second.gradient || t.numel() == 0) {
    return filled(t, t.nDimension, t.size, 0).release();
  }
  Value& value = found->second;
  const TensorRef own = place_in_gradient(&value, t);
  // The caller may write to the result, which must not change the gradients of other arguments.
  if (value.arguments > 1 || !shows_all(*own, value.span.size())) {
    return copy_of(view_in(value.gradient.get(), *own).get());
  }
  own_gradient(&value);
  return view_in(value.gradient.get(), *own).release();
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
  return o && o->storage && !(given_ & bit(parameter));
}

Var Backward::kept_value(int parameter) const {
  const Operand* o = find(entry_, parameter, false);
  if (!o || !o->kept) o = find(entry_, parameter, true);
  return o && o->kept ? value(parameter) : Var();
}

Var Backward::value(int parameter) const {
  const Operand* o = find(entry_, parameter, false);
  if (!o) o = find(entry_, parameter, true);
  if (!o) return Var();
  Var v = Var::share(o->value.get());
  if (!o->kept || o->result) return v;
  const Operand* p = partner(entry_);
  if (p && p->value->numel() == v->numel() && !same_size(*p->value, *v)) {
    v = reshaped(v, p->value->nDimension, p->value->size);
  }
  return find(entry_, kReturnedNumber, true) ? converted(v, compute_type(v->dtype)) : v;
}

Var Backward::gradient(int result) const {
  const Operand* o = find(entry_, result, true);
  return o ? o->gradient : Var();
}

Var Backward::gradient_or_zeros(int result) const {
  Var g = gradient(result);
  const Operand* o = find(entry_, result, true);
  return g || !o ? g : filled_like(Var::share(o->value.get()), 0);
}

// A number with the type and the device of the operand, so that its gradient is made there. For
// operands of 16 bits the type is float, as in value(): a rule may divide a number that half has no
// value for.
Var Backward::in_own_type(const Var& v) const {
  for (const Operand& o : entry_.operands) {
    if (v && o.storage && !o.result) return converted(v, compute_type(o.value->dtype), o.device);
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
                   in_shape(converted(gradient, o.value->dtype), *o.value));
}

void Backward::give_all(int parameter, const Var& gradient) {
  give(parameter, gradient);
  given_ |= bit(parameter);
}

void Backward::give(int parameter, const Var& gradient) {
  if (const Operand* o = find(entry_, parameter, false)) give_to(*o, gradient);
}

void Backward::give(int parameter, const Product& gradient) {
  const Operand* o = find(entry_, parameter, false);
  if (o && o->storage) tape_.accumulate(o->storage, o->position(), gradient);
}

}  // namespace th::grad

#include "ops/call.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/op_scope.h"
#include "ops/operands.h"
#include "ops/ops.h"
#include "ops/rows.h"
#include "ops/rules.h"
#include "ops/tracer.h"
#include "tensor/checked.h"
#include "tensor/overlap.h"
#include "tensor/views.h"

namespace th {

// ---- the shapes of results ----------------------------------------------------------------------

int argument_number(const OpRow& row, const void* arguments, const void* field) noexcept {
  const auto offset = static_cast<const char*>(field) - static_cast<const char*>(arguments);
  int number = 1;
  for (const Parameter& p : row) {
    if (p.offset == offset) return number;
    number += p.kind == ParameterKind::list ? 2 : 1;
  }
  return 0;
}

int argument_number(Op op, const void* arguments, const void* field) noexcept {
  return argument_number(row_of(op), arguments, field);
}

int Shapes::number_of(const void* field) const noexcept {
  return argument_number(row_, arguments_, field);
}

template <class F>
bool Shapes::any_operand(const F& test) const {
  for (const Field& field : row_.tensors) {
    if (field.kind == ParameterKind::in) {
      const Tensor* t = argument<Tensor*>(arguments_, field);
      if (t && test(*t)) return true;
    } else if (field.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(arguments_, field);
      for (int k = 0; k < list.count; ++k) {
        if (test(*list.tensors[k])) return true;
      }
    }
  }
  return false;
}

bool Shapes::is_operand(const Tensor& r) const {
  return any_operand([&](const Tensor& t) { return &t == &r; });
}

bool Shapes::shares_operand(const Tensor& r) const {
  return any_operand([&](const Tensor& t) { return &t == &r || share_storage(r, t); });
}

bool Shapes::overlaps_operand(const Tensor& r) const {
  return any_operand([&](const Tensor& t) { return &t != &r && partly_overlap(r, t); });
}

bool Shapes::is_set(const Tensor* r) const {
  for (int k = 0; k < count_; ++k) {
    if (results_[k].tensor == r) return true;
  }
  return false;
}

Shapes::Result& Shapes::add(Tensor*& r) {
  if (is_set(r)) fail(r, "the results must be different tensors");
  Result& result = results_[count_++];
  result.field = &r;
  result.tensor = r;
  result.temporary = nullptr;
  result.layout = Layout::any;
  result.ready = result.resized = false;
  result.shares = true;
  return result;
}

void Shapes::set(Tensor*& r, int ndim, const int64_t* size, Layout layout, int64_t leading) {
  // The copy needs valid dimensions; set_geometry checks the sizes themselves.
  if (ndim < 0 || ndim > kMaxDims || !size) checked_numel(ndim, size);
  Result& result = add(r);
  result.layout = layout;
  result.leading = leading;
  result.ndim = ndim;
  for (int d = 0; d < ndim; ++d) result.size[d] = size[d];
}

void Shapes::set(Tensor*& r, const Tensor& like, Layout layout) {
  Result& result = add(r);
  result.layout = layout;
  result.leading = 0;
  result.ndim = like.nDimension;
  for (int d = 0; d < like.nDimension; ++d) result.size[d] = like.size[d];
}

void Shapes::set_value(Tensor*& r, TensorRef value) {
  Result& result = add(r);
  result.ready = true;
  r = result.temporary = value.release();
  to_free_ = true;
}

void Shapes::set_in_place(Tensor*& r, int ndim, const int64_t* size, Tensor* const* operands,
                          int count) {
  bool shares = false, is_operand = false;
  for (int k = 0; k < count; ++k) {
    const Tensor& t = *operands[k];
    is_operand = is_operand || &t == r;
    shares = shares || (&t != r && share_storage(*r, t) && !same_view(*r, t));
  }
  const bool same = has_shape(*r, ndim, size);
  if (!shares && same) return;
  Result& result = add(r);
  // An operand needs its own shape until it has been read.
  result.layout = is_operand && !same ? Layout::any : Layout::in_place;
  result.shares = shares;
  result.ndim = ndim;
  for (int d = 0; d < ndim; ++d) result.size[d] = size[d];
}

void Shapes::resize(Tensor*& r, int ndim, const int64_t* size, Layout layout) {
  Result* result = nullptr;
  for (int k = 0; k < count_; ++k) {
    if (results_[k].field == &r) result = &results_[k];
  }
  if (result) {
    r = result->tensor;
    if (Tensor* t = std::exchange(result->temporary, nullptr)) tensor_free(t);
    result->ndim = ndim;
    std::copy(size, size + ndim, result->size);
  } else {
    set(r, ndim, size, layout);
    result = &results_[count_ - 1];
  }
  prepare(result);
  result->ready = true;
}

void Shapes::resize_result(Result* result, int ndim, const int64_t* size) {
  Tensor* r = result->tensor;
  const bool same = has_shape(*r, ndim, size);
  const bool columns = result->layout == Layout::columns;
  if (same && (!columns || !is_contiguous(*r) || is_operand(*r))) return;
  to_restore_ = true;
  if (!result->resized) {
    result->storage = r->storage;
    result->elements = r->storage ? r->storage->size : 0;
    result->ndim_before = r->nDimension;
    std::copy(r->size, r->size + r->nDimension, result->geometry);
    std::copy(r->stride, r->stride + r->nDimension, result->geometry + r->nDimension);
  }
  if (columns) {
    // The additional rows are part of the temporary, if there is one. A result that has the shape
    // already must not need more elements then.
    set_columns(r, ndim, size, same && result->temporary ? 0 : result->leading);
  } else {
    set_geometry(r, ndim, size, nullptr);
  }
  result->resized = true;
  if (r->numel() == 0) place_empty(r);
}

// Places a result without elements on the device of the operands, as other results are.
void Shapes::place_empty(Tensor* r) const {
  Device* device = nullptr;
  any_operand([&](const Tensor& t) { return (device = device_of({&t})) != nullptr; });
  place_result(device, r);
}

void Shapes::prepare(Result* result) {
  Tensor* r = result->tensor;
  bool temporary = false;
  if (result->layout == Layout::in_place) {
    resize_result(result, result->ndim, result->size);
    temporary = result->shares && overlaps_operand(*r);
  } else {
    temporary = shares_operand(*r) ||
                (result->layout >= Layout::separate && r->storage && r->storage->size > 0);
    for (const Result* other = results_; other != result; ++other) {
      temporary = temporary || share_storage(*r, *other->tensor);
    }
    if (!temporary) {
      resize_result(result, result->ndim, result->size);
      temporary = result->layout == Layout::contiguous && !is_contiguous(*r);
    }
  }
  // The kernels may write an element, and read it again, before they write the next.
  temporary = temporary || (!result->resized && !is_contiguous(*r) && has_shared_elements(*r));
  if (!temporary) return;
  to_free_ = true;
  Tensor* t = result->temporary = tensor_new(r->dtype);
  if (result->layout == Layout::columns) {
    set_columns(t, result->ndim, result->size, result->leading);
  } else {
    set_geometry(t, result->ndim, result->size, nullptr);
  }
  // On the device of the result, so that the operation runs where it would without the temporary.
  if (t->storage && r->storage) t->storage->set_current_device(r->storage->current_device());
  *result->field = t;
}

// Resizes a result that has a temporary. If that fails, the operation has not written any result.
void Shapes::resize_early(Result* result) {
  resize_result(result, result->temporary->nDimension, result->temporary->size);
  // An operand gets its new shape in finish().
  if (result->resized && is_operand(*result->tensor)) restore_geometry(*result);
}

void Shapes::copy_operands_of(Tensor* inout) {
  for (const Field& field : row_.tensors) {
    if (field.kind != ParameterKind::in) continue;
    Tensor*& t = argument<Tensor*>(arguments_, field);
    if (!t || !share_storage(*inout, *t)) continue;
    TensorRef copy = clone(t);  // may throw
    to_free_ = true;
    copies_[copy_count_++] = {&t, t, copy.release()};
    t = copies_[copy_count_ - 1].copy;
  }
}

inline void Shapes::commit() {
  for (int k = 0; k < count_; ++k) {
    if (!results_[k].ready) prepare(&results_[k]);
  }
  for (int k = 0; to_free_ && k < count_; ++k) {
    if (results_[k].temporary) resize_early(&results_[k]);
  }
  if (!row_.has(ParameterKind::inout)) return;
  for (const Field& field : row_.tensors) {
    if (field.kind != ParameterKind::inout) continue;
    Tensor* t = argument<Tensor*>(arguments_, field);
    if (!t || is_set(t)) continue;
    if (any_operand([&](const Tensor& o) { return share_storage(*t, o); })) copy_operands_of(t);
  }
}

inline void Shapes::finish() {
  finished_ = !to_free_;
  if (finished_) return;
  for (int k = 0; k < count_; ++k) {
    Result& result = results_[k];
    *result.field = result.tensor;
    if (const Tensor* t = result.temporary) resize_result(&result, t->nDimension, t->size);
  }
  for (int k = 0; k < count_; ++k) {
    const Result& result = results_[k];
    if (!result.temporary) continue;
    place_result(device_of({result.temporary}), result.tensor);
    ops::copy(result.tensor, result.temporary);
  }
  finished_ = true;
}

void Shapes::restore_geometry(const Result& result) noexcept {
  Tensor* t = result.tensor;
  t->nDimension = result.ndim_before;
  std::copy_n(result.geometry, result.ndim_before, t->size);
  std::copy_n(result.geometry + result.ndim_before, result.ndim_before, t->stride);
}

void Shapes::undo(const Result& result) noexcept {
  Tensor* t = result.tensor;
  // Finalizers, which may run when memory is short, may have changed the storage.
  if (result.storage && t->storage != result.storage) return;
  if (Storage* s = t->storage) {
    try {
      if (s->size > result.elements) storage_resize(s, result.elements);
    } catch (const std::exception&) {
      // In use elsewhere: the storage stays larger.
    }
    if (!result.storage) storage_free(std::exchange(t->storage, nullptr));
  }
  restore_geometry(result);
}

void Shapes::release() noexcept {
  for (int k = count_ - 1; k >= 0; --k) {
    Result& result = results_[k];
    *result.field = result.tensor;
    if (!finished_ && result.resized) undo(result);
    if (result.temporary) tensor_free(result.temporary);
  }
  for (int k = 0; k < copy_count_; ++k) {
    *copies_[k].field = copies_[k].operand;
    tensor_free(copies_[k].copy);
  }
}

// ---- the call -----------------------------------------------------------------------------------

// The functions of each operation.
#define TH_OP(name, ...)                         \
  void shapes(args::name& arguments, Shapes& s); \
  void calls(args::name& arguments);
#include "THOps.def"

namespace {

struct Operation {
  void (*shapes)(void* arguments, Shapes& shapes);
  void (*calls)(void* arguments);
};

template <class Arguments>
struct OperationOf {
  static void shapes(void* a, Shapes& s) { th::shapes(*static_cast<Arguments*>(a), s); }
  static void calls(void* a) { th::calls(*static_cast<Arguments*>(a)); }
};

constexpr Operation operations[] = {
#define TH_OP(name, ...) {&OperationOf<args::name>::shapes, &OperationOf<args::name>::calls},
#include "THOps.def"
};

// Throws if the element type is not that of the parameter, where own is the type that T stands for.
void check_type(const Parameter& p, int number, DType type, int own) {
  const bool wide = p.element_type == kWideType;
  const bool like_operands = wide || p.element_type == kOwnType;
  const int expected = like_operands ? own : p.element_type;
  if (expected < 0 || static_cast<int>(type) == expected) return;
  if (wide && fits_wide(type, static_cast<DType>(own))) return;
  const char* expected_name = name_with_article(static_cast<DType>(expected));
  const char* given_name = name_with_article(type);
  if (like_operands) {
    fail_argument(number, "%sTensor and %sTensor do not go together: convert one of them",
                  expected_name, given_name);
  }
  fail_argument(number, "%sTensor is expected, got %sTensor", expected_name, given_name);
}

// Throws the error about the first parameter whose element type is wrong.
void fail_types(const OpRow& row, void* arguments) {
  // The operands determine T; without operands of type T, the first tensor does.
  int own = kOwnType;
  for (bool operands : {true, false}) {
    for (const Parameter& p : row) {
      if (own >= 0 || p.element_type != kOwnType) continue;
      const Tensor* t = nullptr;
      if (p.is_tensor()) {
        if (operands == (p.kind == ParameterKind::in)) t = argument<Tensor*>(arguments, p);
      } else if (!operands) {
        const auto& list = argument<TensorList>(arguments, p);
        if (list.count > 0) t = list.tensors[0];
      }
      if (t) own = static_cast<int>(t->dtype);
    }
  }
  int number = 0;
  for (const Parameter& p : row) {
    ++number;
    if (p.is_tensor()) {
      if (const Tensor* t = argument<Tensor*>(arguments, p)) check_type(p, number, t->dtype, own);
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(arguments, p);
      for (int k = 0; k < list.count; ++k) check_type(p, number, list.tensors[k]->dtype, own);
      ++number;
    }
  }
  for (const Parameter& p : row) {
    if (p.element_type != kMaskType) continue;
    fail_argument(1, "the result of %sTensor cannot be %sTensor",
                  name_with_article(static_cast<DType>(own)),
                  name_with_article(argument<Tensor*>(arguments, p)->dtype));
  }
}

// Checks tensors and element types by the row.
void check_arguments(const OpRow& row, void* arguments) {
  int own = kOwnType, mask = static_cast<int>(DType::Byte), wide = kOwnType;
  bool fits = true;
  // Views may be made of a storage that has become too small.
  const bool needs_storage = !row.has(ParameterKind::view);
  auto check = [&](const Field& field, const Tensor& t) {
    const int type = static_cast<int>(t.dtype);
    if (field.element_type == kOwnType) {
      if (own < 0) own = type;
      fits &= type == own;
    } else if (field.element_type >= 0) {
      fits &= type == field.element_type;
    } else if (field.element_type == kMaskType) {
      mask = type;
    } else if (field.element_type == kWideType) {
      wide = type;
    }
    if (needs_storage && !field.is_result()) t.check_storage();
  };
  for (const Field& field : row.tensors) {
    if (field.is_tensor()) {
      if (const Tensor* t = argument<Tensor*>(arguments, field)) check(field, *t);
    } else {
      const auto& list = argument<TensorList>(arguments, field);
      for (int k = 0; k < list.count; ++k) check(field, *list.tensors[k]);
    }
  }
  fits &= mask == static_cast<int>(DType::Byte) || mask == own || own < 0;
  fits &= wide < 0 || fits_wide(static_cast<DType>(wide), static_cast<DType>(own));
  if (!fits) fail_types(row, arguments);
  if (own >= 0 && !(row.type_bits >> own & 1)) {
    fail("is not defined for %sTensor", name_with_article(static_cast<DType>(own)));
  }
}

// Returns true for operations that write nothing but new results and temporaries.
bool is_repeatable(Op op) {
  switch (op) {
#define TH_OP(name, ...) \
  case Op::name:         \
    return true;
#include "THOps/linalg.def"
#undef TH_OP
    default:
      return false;
  }
}

void run_operation(const OpRow& row, void* arguments) {
  check_arguments(row, arguments);
  const Operation& operation = operations[static_cast<int>(row.op)];
  for (bool repeats = false;; repeats = true) {
    Shapes shapes(row, arguments);
    try {
      operation.shapes(arguments, shapes);
      shapes.commit();
      operation.calls(arguments);
    } catch (const InterruptedError&) {
      if (repeats || !is_repeatable(row.op)) throw;
      continue;
    }
    shapes.finish();
    return;
  }
}

void run_traced(const OpRow& row, void* arguments) {
  TracedCall traced(row, arguments);
  run_operation(row, arguments);
  traced.finish();
}

void run_strictly(const OpRow& row, void* arguments) {
  StrictScope rules(row, arguments);
  if (tracing()) return run_traced(row, arguments);
  run_operation(row, arguments);
}

bool is_operand_of(const StrictCall& call, const Tensor* tensor) {
  bool found = false;
  for_each_tensor(call.row, call.arguments, [&](const Tensor* t, const Parameter& p) {
    const bool is_read = !p.is_result() || p.kind == ParameterKind::inout;
    found = found || (is_read && t == tensor);
  });
  return found;
}

}  // namespace

Rules StrictScope::rules_of(const StrictCall& own) noexcept {
  Rules rules = current_rules;
  const StrictCall* outermost = strict_call;
  if (!outermost) return rules;
  const Tensor* first = nullptr;
  bool are_two = false;
  for_each_tensor(own.row, own.arguments, [&](const Tensor* t, const Parameter&) {
    if (are_two || t == first || !is_operand_of(*outermost, t)) return;
    are_two = first != nullptr;
    first = t;
  });
  if (!are_two) rules.pairing = Pairing::numpy;
  return rules;
}

void call(Op op, void* arguments) {
  const OpRow& row = row_of(op);
  OpScope scope(op);
  try {
    if (current_rules.pairing == Pairing::strict) {
      run_strictly(row, arguments);
    } else if (tracing()) {
      run_traced(row, arguments);
    } else {
      run_operation(row, arguments);
    }
  } catch (const ParameterError& error) {
    fail_argument(argument_number(row, arguments, error.parameter()), "%s", error.what());
  }
}

}  // namespace th

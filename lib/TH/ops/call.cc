#include "ops/call.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/op_scope.h"
#include "ops/ops.h"
#include "ops/rows.h"
#include "tensor/overlap.h"
#include "tensor/rollback.h"

namespace th {

// ---- the shapes of results ----------------------------------------------------------------------

int Shapes::number_of(const void* field) const noexcept {
  const auto offset = static_cast<const char*>(field) - arguments_;
  int number = 1;
  for (const Parameter& p : row_) {
    if (p.offset == offset) return number;
    number += p.kind == ParameterKind::list ? 2 : 1;
  }
  return 0;
}

template <class F>
bool Shapes::any_operand(const F& test) const {
  for (const Parameter& p : row_) {
    if (p.kind == ParameterKind::in) {
      const Tensor* t = argument<Tensor*>(arguments_, p);
      if (t && test(*t)) return true;
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(arguments_, p);
      for (int k = 0; k < list.count; ++k) {
        if (test(*list.tensors[k])) return true;
      }
    }
  }
  return false;
}

bool Shapes::shares_operand(const Tensor& r) const {
  return any_operand([&](const Tensor& t) { return &t == &r || share_storage(r, t); });
}

bool Shapes::overlaps_operand(const Tensor& r) const {
  return any_operand([&](const Tensor& t) { return &t != &r && partly_overlap(r, t); });
}

Shapes::Result& Shapes::add(Tensor*& r) {
  for (int k = 0; k < count_; ++k) {
    if (results_[k].tensor == r) fail(r, "the results must be different tensors");
  }
  Result& result = results_[count_++];
  result.field = &r;
  result.tensor = r;
  result.temporary = nullptr;
  result.computed = result.resized = false;
  return result;
}

void Shapes::set(Tensor*& r, int ndim, const int64_t* size, Layout layout) {
  checked_numel(ndim, size);
  Result& result = add(r);
  result.layout = layout;
  result.ndim = ndim;
  std::copy(size, size + ndim, result.size);
}

void Shapes::set_value(Tensor*& r, TensorRef value) {
  Result& result = add(r);
  result.computed = true;
  result.temporary = value.release();
}

void Shapes::resize_result(Result* result, int ndim, const int64_t* size) {
  Tensor* r = result->tensor;
  if (r->nDimension == ndim && std::equal(size, size + ndim, r->size)) return;
  result->storage = r->storage;
  result->elements = r->storage ? r->storage->size : 0;
  result->ndim_before = r->nDimension;
  std::copy(r->size, r->size + r->nDimension, result->geometry);
  std::copy(r->stride, r->stride + r->nDimension, result->geometry + r->nDimension);
  set_geometry(r, ndim, size, nullptr);
  result->resized = true;
}

void Shapes::prepare(Result* result) {
  Tensor* r = result->tensor;
  bool temporary = false;
  if (result->layout == Layout::in_place) {
    resize_result(result, result->ndim, result->size);
    temporary = overlaps_operand(*r);
  } else {
    temporary = shares_operand(*r);
    for (const Result* other = results_; other != result; ++other) {
      temporary = temporary || share_storage(*r, *other->tensor);
    }
    if (!temporary) {
      resize_result(result, result->ndim, result->size);
      temporary = result->layout == Layout::contiguous && !is_contiguous(*r);
    }
  }
  if (!temporary) return;
  result->temporary = tensor_new_sized(r->dtype, result->ndim, result->size);
  *result->field = result->temporary;
}

void Shapes::copy_operands_of(Tensor* inout) {
  for (const Parameter& p : row_) {
    if (p.kind != ParameterKind::in) continue;
    Tensor*& t = argument<Tensor*>(arguments_, p);
    if (!t || !share_storage(*inout, *t)) continue;
    copies_[copy_count_++] = {&t, t, clone(t).release()};
    t = copies_[copy_count_ - 1].copy;
  }
}

void Shapes::commit() {
  for (int k = 0; k < count_; ++k) {
    if (!results_[k].computed) prepare(&results_[k]);
  }
  for (const Parameter& p : row_) {
    if (p.kind != ParameterKind::inout) continue;
    Tensor* t = argument<Tensor*>(arguments_, p);
    if (any_operand([&](const Tensor& o) { return share_storage(*t, o); })) copy_operands_of(t);
  }
}

void Shapes::finish() {
  for (int k = 0; k < count_; ++k) {
    Result& result = results_[k];
    *result.field = result.tensor;
    if (const Tensor* t = result.temporary) resize_result(&result, t->nDimension, t->size);
  }
  for (int k = 0; k < count_; ++k) {
    if (results_[k].temporary) ops::copy(results_[k].tensor, results_[k].temporary);
  }
  finished_ = true;
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
  t->nDimension = result.ndim_before;
  std::copy_n(result.geometry, result.ndim_before, t->size);
  std::copy_n(result.geometry + result.ndim_before, result.ndim_before, t->stride);
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

// The functions of each operation. shapes and calls are null for operations that are not divided,
// which have only direct::name.
namespace direct {
#define TH_OP(name, lua, types, returned_, parameters, ...) \
  __attribute__((weak)) TH_RETURNED_##returned_ name(TH_CORE_PARAMETERS(parameters));
#include "THOps.def"
}  // namespace direct

#define TH_OP(name, ...)                                               \
  __attribute__((weak)) void shapes(args::name& arguments, Shapes& s); \
  __attribute__((weak)) void calls(args::name& arguments);
#include "THOps.def"

namespace {

#define TH_KEEP_void(value) value
#define TH_KEEP_int(value) a.returned = value
#define TH_KEEP_int64_t(value) a.returned = value
#define TH_KEEP_double(value) a.returned = value
#define TH_KEEP_real(value) a.returned = value
#define TH_KEEP_accreal(value) a.returned = value
#define TH_OF_ARGUMENTS_(kind, type, core, name, ...) a.name

#define TH_OP(name_, lua, types, returned_, parameters, ...)                                    \
  struct name_##_operation {                                                                    \
    static void run(void* arguments) {                                                          \
      auto& a = *static_cast<args::name_*>(arguments);                                          \
      TH_KEEP_##returned_(direct::name_(                                                        \
          TH_PARAMETERS(TH_OF_ARGUMENTS_, TH_COMMA, TH_UNWRAP parameters)));                    \
    }                                                                                           \
    static void shapes(void* a, Shapes& s) { th::shapes(*static_cast<args::name_*>(a), s); }    \
    static void calls(void* a) { th::calls(*static_cast<args::name_*>(a)); }                    \
    static bool divided() {                                                                     \
      void (*function)(args::name_&) = &th::calls;                                              \
      return function != nullptr;                                                               \
    }                                                                                           \
  };
#include "THOps.def"

struct Operation {
  void (*shapes)(void* arguments, Shapes& shapes);
  void (*calls)(void* arguments);
  void (*run)(void* arguments);
};

const Operation& operation_of(Op op) {
  static const struct Table {
    Operation all[static_cast<int>(Op::copy)];
    Table() {
      Operation* next = all;
#define TH_OP(name, ...)                                                               \
  *next++ = name##_operation::divided()                                                \
                ? Operation{&name##_operation::shapes, &name##_operation::calls, nullptr} \
                : Operation{nullptr, nullptr, &name##_operation::run};
#include "THOps.def"
    }
  } table;
  return table.all[static_cast<int>(op)];
}

void check_type(const Parameter& p, int number, const Tensor& t, const Tensor** own) {
  DType expected = t.dtype;
  switch (p.type[0]) {
    case 'A':  // Any
      return;
    case 'T':
      if (!*own) *own = &t;
      expected = (*own)->dtype;
      break;
    case 'M':  // Mask: the type is checked with the operands'
      return;
    case 'B':
      expected = DType::Byte;
      break;
    case 'I':
      expected = DType::Int;
      break;
    case 'L':
      expected = DType::Long;
      break;
    case 'F':
      expected = DType::Float;
      break;
    default:
      expected = DType::Double;
  }
  if (t.dtype == expected) return;
  if (p.type[0] == 'T') {
    fail_argument(number, "a %sTensor and a %sTensor do not go together: convert one of them",
                  name(expected), name(t.dtype));
  }
  fail_argument(number, "a %sTensor is expected, got a %sTensor", name(expected), name(t.dtype));
}

// Checks tensors and element types by the row.
void check_arguments(const OpRow& row, void* arguments) {
  const Tensor* own = nullptr;
  // The operands determine T.
  for (const Parameter& p : row) {
    if (p.kind != ParameterKind::in || p.type[0] != 'T') continue;
    own = argument<Tensor*>(arguments, p);
    if (own) break;
  }
  int number = 0;
  for (const Parameter& p : row) {
    ++number;
    if (p.is_tensor()) {
      const Tensor* t = argument<Tensor*>(arguments, p);
      if (t) {
        check_type(p, number, *t, &own);
        if (!p.is_result()) t->check_storage();
      }
    } else if (p.kind == ParameterKind::list) {
      const auto& list = argument<TensorList>(arguments, p);
      for (int k = 0; k < list.count; ++k) check_type(p, number, *list.tensors[k], &own);
      ++number;
    }
  }
  for (const Parameter& p : row) {
    if (p.type[0] != 'M' || !own) continue;
    DType type = argument<Tensor*>(arguments, p)->dtype;
    if (type == DType::Byte || type == own->dtype) continue;
    fail_argument(1, "the result of a %sTensor cannot be a %sTensor", name(own->dtype), name(type));
  }
  if (own && !(row.type_bits >> static_cast<int>(own->dtype) & 1)) {
    fail("is not defined for a %sTensor", name(own->dtype));
  }
}

void run_undivided(const OpRow& row, const Operation& operation, void* arguments) {
  Rollback before;
  for (const Parameter& p : row) {
    if (!p.is_result()) continue;
    if (Tensor* t = argument<Tensor*>(arguments, p)) before.remember(t);
  }
  try {
    operation.run(arguments);
  } catch (...) {
    before.restore();
    throw;
  }
}

}  // namespace

void call(Op op, void* arguments) {
  const Operation& operation = operation_of(op);
  const OpRow& row = row_of(op);
  OpScope scope(lua_name(op));
  if (operation.run) return run_undivided(row, operation, arguments);
  check_arguments(row, arguments);
  Shapes shapes(row, arguments);
  operation.shapes(arguments, shapes);
  shapes.commit();
  operation.calls(arguments);
  shapes.finish();
}

}  // namespace th

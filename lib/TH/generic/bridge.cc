#include "generic/bridge.h"

#include "base/error.h"
#include "base/op_scope.h"
#include "ops/rows.h"

namespace th {

void Exposure::add(Tensor* t) {
  tensors_[count_++] = t;
  note(t);
}

void Exposure::add(const TensorList& list) {
  lists_[list_count_++] = &list;
  for (int k = 0; k < list.count; ++k) note(list.tensors[k]);
}

void Exposure::note(const Tensor* t) {
  const Storage* s = t->storage;
  on_request_ = on_request_ || (s && !s->is_exposed() && s->current_device());
}

void Exposure::expose(Tensor* t) const {
  Storage* s = t->storage;
  if (on_request_ && s && s->is_exposed() && s->current_device()) s->set_exposed(false);
  expose_to_c(t);
}

void Exposure::try_to_expose(Tensor* t) const noexcept {
  try {
    expose(t);
  } catch (...) {
    // The error of the operation is reported.
  }
}

namespace {

[[noreturn]] void fail_null(const OpRow& row, const Parameter& p, void* arguments) {
  const int number = argument_number(row, arguments, &argument<char>(arguments, p));
  fail_argument(number, "argument %d (%s) is NULL", number, p.name);
}

// Copies of the lists of numbers of a call, because a result may share memory with their storages.
class Lists {
 public:
  Sizes add(const void* long_storage) {
    const Sizes given = to_sizes(long_storage);
    if (given.ndim > kMaxDims) {
      fail("a list of at most %d numbers is expected, got %d", kMaxDims, given.ndim);
    }
    int64_t* copy = numbers_[count_++];
    std::copy_n(given.size, given.ndim, copy);
    return {given.ndim, given.size ? copy : nullptr};
  }

 private:
  int64_t numbers_[kMaxLists][kMaxDims];
  int count_ = 0;
};

bool has_null(const TensorList& list) {
  return list.count > 0 && (!list.tensors || std::count(list.tensors, list.tensors + list.count,
                                                        static_cast<Tensor*>(nullptr)) > 0);
}

}  // namespace

void call_from_c(Op op, void* arguments, const char* function) {
  guard(
      [&] {
        const OpRow& row = row_of(op);
        OpScope scope(row.name);
        Exposure tensors;
        Lists lists;
        for (const Parameter& p : row) {
          if (p.is_tensor()) {
            auto& t = argument<Tensor*>(arguments, p);
            if (!t && row.flags & row_flag::in_place_view) {
              t = argument<Tensor*>(arguments, *row.tensors.begin());
            }
            if (t) {
              tensors.add(t);
            } else if (!(row.flags & row_flag::null_tensors) && !p.may_be_null()) {
              fail_null(row, p, arguments);
            }
          } else if (p.kind == ParameterKind::list) {
            const auto& list = argument<TensorList>(arguments, p);
            if (has_null(list)) fail_null(row, p, arguments);
            tensors.add(list);
          } else if (p.kind == ParameterKind::text || p.kind == ParameterKind::generator) {
            if (!argument<const void*>(arguments, p)) fail_null(row, p, arguments);
          } else if (p.is_list_of_numbers()) {
            auto& sizes = argument<Sizes>(arguments, p);
            if (sizes.ndim == kUnreadSizes) sizes = lists.add(sizes.size);
          }
        }
        tensors.after([&] { call(op, arguments); });
      },
      function);
}

void copy_and_expose(Tensor* r, Tensor* src) {
  OpScope scope("copy");
  Exposure tensors;
  tensors.add(r);
  tensors.add(src);
  tensors.after([&] { ops::copy(r, src); });
}

void copy_from_c(Tensor* r, Tensor* src, const char* function) {
  guard([&] { copy_and_expose(r, src); }, function);
}

}  // namespace th

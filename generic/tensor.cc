// The tensor classes: construction, and the methods that are not rows of the op table.

#include "bindings.h"

#include <cmath>
#include <cstdio>

#include "luaT.h"
#include "ops/ops.h"
#include "tensor/type_sets.h"

namespace bind {

namespace {

// The storage, offset (from 1), sizes and strides for set(), resize() and the constructors, read
// from the stack positions first ... last.
struct View {
  Storage* storage = nullptr;
  ptrdiff_t offset = 0;
  int ndim = 0;
  bool has_strides = false;
  int64_t size[th::kMaxDims];
  int64_t stride[th::kMaxDims];
};

bool is_sizes(const Object& object) { return object.is_storage() && object.dtype() == DType::Long; }

void read_sizes_and_strides(lua_State* L, State* state, int first, int last, View* view) {
  if (last < first) return;
  view->ndim = read_sizes(L, state, first, first, view->size);
  if (last == first || lua_isnil(L, first + 1)) return;
  if (last > first + 1 && !state->is_torch7(Rule::arguments)) {
    raise_error(L, "sizes and strides are expected, got more arguments");
  }
  int strides = read_sizes(L, state, first + 1, first + 1, view->stride);
  if (strides != view->ndim) {
    argument_error(L, first + 1, "as many strides as sizes are expected");
  }
  view->has_strides = true;
}

// (storage [, offset [, sizes [, strides]]]) or (storage, offset, size1 [, stride1 ...])
void read_storage_view(lua_State* L, State* state, int first, int last, View* view) {
  view->storage = check_storage(L, state, first);
  if (last > first) {
    int64_t position = check_integer_argument(L, first + 1);
    if (position < 1) argument_error(L, first + 1, "the storage offset counts from 1");
    view->offset = position - 1;
  }
  if (last <= first + 1) {
    // As in Torch7, an offset without sizes gives a tensor without dimensions.
    view->ndim = last == first ? 1 : 0;
    view->size[0] = view->storage->size;
  } else if (is_number(L, *state, first + 2)) {
    for (int i = first + 2; i <= last; i += 2) {
      if (view->ndim == th::kMaxDims) raise_error(L, "too many dimensions");
      view->size[view->ndim] = check_integer_argument(L, i);
      view->stride[view->ndim++] = i < last ? check_integer_argument(L, i + 1) : -1;
    }
    view->has_strides = true;
  } else {
    read_sizes_and_strides(L, state, first + 2, last, view);
  }
}

// Resizes t by resize(), and reports a storage that this allocates.
template <class F>
void traced_resize(const Tensor& t, const F& resize) {
  const bool had_storage = t.storage != nullptr;
  resize();
  if (!had_storage) th::trace_allocation(t);
}
void resize_view(Tensor* t, const View& view) {
  traced_resize(
      *t, [&] { th::resize(t, view.ndim, view.size, view.has_strides ? view.stride : nullptr); });
}
// Gives t a new storage with these sizes and strides, on the device of its old one. Tensors that
// share the old one keep that.
void set_new_storage(Tensor* t, const View& view) {
  const bool is_placed = t->storage != nullptr;
  th::Device* device = is_placed ? t->storage->current_device() : nullptr;
  th::set_storage(t, nullptr, 0, view.ndim, view.size, view.has_strides ? view.stride : nullptr);
  if (device) th::ensure_storage(t);
  if (is_placed && t->storage) t->storage->set_current_device(device);
  th::trace_allocation(*t);
}

// Raises an error with the function's name if an argument is not a size. Used for constructors: Lua
// knows no name for a called table, so read_sizes could not name it.
void check_sizes(lua_State* L, int first, int last, const char* function) {
  for (int i = first; i <= last; ++i) {
    const double size = lua_tonumber(L, i);
    if (!is_number(L, *registered_state(L), i)) {
      raise_error(L, "%s: bad argument #%d (a size is a number, got %s)", function, i - first + 1,
                  shown_type(L, i));
    }
    const bool whole = size == std::floor(size);
    if (!whole && !(registered_state(L)->is_torch7(Rule::numbers) && size == size)) {
      raise_error(L, "%s: bad argument #%d (a size is a whole number, got %s)", function,
                  i - first + 1, push_number(L, size));
    }
    if (!(size >= -0x1p63 && size < 0x1p63)) {
      raise_error(L, "%s: bad argument #%d (size %s is %s)", function, i - first + 1,
                  push_number_at(L, i, size), size < 0 ? "negative" : "too large");
    }
  }
}

// Applies the arguments of a constructor or of set(), at stack positions first ... last, to t. Only
// a new tensor accepts a table, because an error in a ragged table would leave t changed.
void initialize(lua_State* L, State* state, Tensor* t, int first, int last, const char* function,
                bool making) {
  if (last < first) return;
  Object object = object_at(L, state, first);
  if (object.is_tensor()) {
    if (last > first && !state->is_torch7(Rule::arguments)) {
      argument_error(L, first + 1, "nothing is expected after a tensor");
    }
    if (object.dtype() != t->dtype) {
      raise_error(L, "%s: a %s is expected, got %s: convert it, as t:type('%s') does", function,
                  tensor_class(t->dtype), shown_class(L, state, first), tensor_class(t->dtype));
    }
    protect(L, function, [&] { th::set_view(t, *object.tensor()); });
  } else if (object.is_storage() && object.dtype() == t->dtype) {
    View view;
    read_storage_view(L, state, first, last, &view);
    protect(L, function, [&] {
      th::set_storage(t, view.storage, view.offset, view.ndim, view.size,
                      view.has_strides ? view.stride : nullptr);
    });
  } else if (is_sizes(object)) {
    View view;
    read_sizes_and_strides(L, state, first, last, &view);
    protect(L, function, [&] { set_new_storage(t, view); });
  } else if (lua_istable(L, first) && making) {
    refuse_tracked_number(L, first, function);
    if (last > first && !state->is_torch7(Rule::arguments)) {
      raise_error(L, "%s: one table is expected: rows are nested, as in {{1, 2}, {3, 4}}",
                  function);
    }
    tensor_from_table(L, t, first);
  } else if (is_number(L, *state, first)) {
    check_sizes(L, first, last, function);
    View view;
    view.ndim = read_sizes(L, state, first, last, view.size);
    protect(L, function, [&] { set_new_storage(t, view); });
  } else {
    raise_error(L,
                "%s: invalid arguments: (%s)\nexpected arguments: none | table | size1 "
                "[size2...] | LongStorage [LongStorage] | %s | %s [offset [sizes [strides]]] | "
                "%s, offset, size1, [stride1...]%s",
                function, shown_type(L, first), tensor_class(t->dtype), storage_class(t->dtype),
                storage_class(t->dtype),
                object.is_storage() ? ": convert the storage, or copy it" : "");
  }
}

template <class T>
int construct(lua_State* L) {
  State* state = registered_state(L);
  int last = lua_gettop(L);
  Tensor* t = push_new_tensor(L, state, th::DTypeOf<T>::value);
  initialize(L, state, t, 1, last, tensor_class(t->dtype), true);
  lua_settop(L, last + 1);
  return 1;
}

// Also callable from Lua code, with any argument.
int destroy(lua_State* L) {
  State* state = state_of(L);
  if (state->marks) end_marking(state);
  Object object = object_at(L, state, 1);
  if (!object.is_tensor() || is_held(state, object.box)) return 0;
  th::tensor_free(object.tensor());
  *object.box = nullptr;
  return 0;
}

template <class T>
int make_empty(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.state");
  auto* state = static_cast<State*>(lua_touserdata(L, -1));
  push_new_tensor(L, state, th::DTypeOf<T>::value);
  return 1;
}

int size_or_stride(lua_State* L, const char* function, bool stride) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  const int64_t* values = stride ? t->stride : t->size;
  if (is_number(L, *state, 2)) {
    int64_t number = check_integer(L, 2);
    int64_t d = number < 0 ? number + t->nDimension : number - 1;
    if (d < 0 || d >= t->nDimension) {
      return raise_error(L, "%s: dimension %lld is out of range of a tensor of %d dimension%s",
                         function, th::as_long(number), t->nDimension,
                         t->nDimension == 1 ? "" : "s");
    }
    push_integer(L, values[d]);
    return 1;
  }
  if (!lua_isnoneornil(L, 2) && !state->is_torch7(Rule::arguments)) {
    return type_error(L, 2, "a dimension");
  }
  push_sizes(L, state, function, t->nDimension, values);
  return 1;
}

int size(lua_State* L) { return size_or_stride(L, "size", false); }
int stride(lua_State* L) { return size_or_stride(L, "stride", true); }
int length(lua_State* L) {
  lua_settop(L, 1);
  return size(L);
}

int dim(lua_State* L) {
  lua_pushinteger(L, check_tensor(L, state_of(L), 1)->nDimension);
  return 1;
}
int element_count(lua_State* L) {
  push_integer(L, check_tensor(L, state_of(L), 1)->numel());
  return 1;
}
// A recording cannot depend on storages: replays use tensors in other memory.
void trace_storage() { th::trace_access("uses the storage or the storage offset of a tensor"); }

int storage_offset(lua_State* L) {
  trace_storage();
  push_integer(L, check_tensor(L, state_of(L), 1)->storageOffset + 1);
  return 1;
}
int storage(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  trace_storage();
  th::storage_retain(t->storage);
  push_storage(L, state, t->storage);
  return 1;
}
int is_contiguous(lua_State* L) {
  lua_pushboolean(L, th::is_contiguous(*check_tensor(L, state_of(L), 1)));
  return 1;
}
int is_size(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  int64_t sizes[th::kMaxDims];
  const bool one = is_sizes(object_at(L, state, 2)) && state->is_torch7(Rule::arguments);
  int n = read_sizes(L, state, 2, one ? 2 : lua_gettop(L), sizes);
  lua_pushboolean(L, th::has_shape(*t, n, sizes));
  return 1;
}

int clone(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = nullptr;
  Tensor* copy = push_new_like(L, state, 1, &t);
  protect(L, "clone", [&] {
    traced_resize(*copy, [&] { th::resize_as(copy, *t); });
    th::ops::copy(copy, t);
  });
  return 1;
}
int contiguous(lua_State* L) {
  lua_settop(L, 1);
  if (!th::is_contiguous(*check_tensor(L, state_of(L), 1))) return clone(L);
  return 1;
}

int copy(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  if (lua_isnoneornil(L, 2)) {
    raise_error(L, "copy: a tensor to copy from is expected; t:clone() returns a copy of t");
  }
  Tensor* source = check_tensor(L, state, 2);
  refuse_held(L, state, "copy", t->storage);
  const bool stays =
      state->cuda_classes != LUA_NOREF && !(t->storage && t->storage->current_device());
  protect(L, "copy", [&] {
    t->check_storage();
    source->check_storage();
    th::RulesScope rules(state->rules);
    th::ops::copy(t, source);
    if (stays) move_to_cpu(t->storage);
  });
  return return_self(L);
}

int resize(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  View view;
  Object object = object_at(L, state, 2);
  if (is_sizes(object) || lua_istable(L, 2)) {
    read_sizes_and_strides(L, state, 2, lua_gettop(L), &view);
  } else {
    view.ndim = read_sizes(L, state, 2, lua_gettop(L), view.size);
  }
  protect(L, "resize", [&] { resize_view(t, view); });
  collect_under_pressure(L, state);
  return return_self(L);
}

int resize_as(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  Tensor* like = check_tensor(L, state, 2);
  protect(L, "resizeAs", [&] { traced_resize(*t, [&] { th::resize_as(t, *like); }); });
  return return_self(L);
}

int set(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  if (t->storage) th::trace_access("makes a tensor a view of other memory");
  if (lua_gettop(L) == 1) {
    protect(L, "set", [&] { th::set_storage(t, nullptr, 0, 0, nullptr, nullptr); });
  } else {
    initialize(L, state, t, 2, lua_gettop(L), "set", false);
  }
  return return_self(L);
}

// sub(first1, last1 [, first2, last2 ...]): ranges count from 1, or from the end if negative.
int sub(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  int count = lua_gettop(L) - 1;
  if (count < 2 || count % 2 || count / 2 > t->nDimension) {
    return raise_error(
        L, "sub: a first and a last index for up to %d dimensions are expected; csub subtracts",
        t->nDimension);
  }
  int64_t range[2 * th::kMaxDims];
  for (int i = 0; i < count; ++i) range[i] = check_integer_argument(L, i + 2);
  Tensor* view = push_new_like(L, state, 1, &t);
  protect(L, "sub", [&] {
    th::set_view(view, *t);
    for (int d = 0; d < count / 2; ++d) {
      int64_t first = range[2 * d] > 0 ? range[2 * d] - 1 : range[2 * d] + t->size[d];
      int64_t last = range[2 * d + 1] > 0 ? range[2 * d + 1] - 1 : range[2 * d + 1] + t->size[d];
      if (range[2 * d] == 0 || range[2 * d + 1] == 0 || first < 0 || last < first ||
          last >= t->size[d]) {
        th::fail("range %lld to %lld is out of range of dimension %d of size %lld",
                 th::as_long(range[2 * d]), th::as_long(range[2 * d + 1]), d + 1,
                 th::as_long(t->size[d]));
      }
      th::ops::narrow(view, view, d, first, last - first + 1);
    }
  });
  return 1;
}

int retain(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  if (!count_retain(t)) return raise_error(L, "retain: too many references");
  th::tensor_retain(t);
  return 0;
}
// Releases a reference that retain took. Without one, frees the memory at once instead of waiting
// for the collector; the userdata keeps its own reference.
int free_reference(lua_State* L) {
  th::trace_access("frees memory");
  Tensor* t = check_tensor(L, state_of(L), 1);
  if (count_free(t)) {
    th::tensor_free(t);
  } else {
    protect(L, "free", [&] { th::set_storage(t, nullptr, 0, 0, nullptr, nullptr); });
  }
  return 0;
}

// Returns the address of the first element, and of the C struct, as numbers for the FFI. Copies the
// memory to the CPU.
int data_address(lua_State* L) {
  Tensor* t = check_tensor(L, state_of(L), 1);
  return push_address(L, "data", t->storage, [=] { return t->data(th::Access::write); });
}
int struct_address(lua_State* L) {
  trace_storage();
  Tensor* t = check_tensor(L, state_of(L), 1);
  return push_address(L, "cdata", t->storage, [=] {
    th::expose_to_c(t->storage);
    th::expose_to_c(t);
    return t;
  });
}

const Method methods[] = {{"size", guarded<size, 2>},
                          {"stride", guarded<stride, 2>},
                          {"__len__", guarded<length>},
                          {"dim", guarded<dim, 1>},
                          {"nDimension", guarded<dim, 1>},
                          {"nElement", guarded<element_count, 1>},
                          {"numel", guarded<element_count, 1>},
                          {"storageOffset", guarded<storage_offset, 1>},
                          {"storage", guarded<storage, 1>},
                          {"isContiguous", guarded<is_contiguous, 1>},
                          {"isSize", guarded<is_size>},
                          {"clone", guarded<clone, 1>},
                          {"contiguous", guarded<contiguous, 1>},
                          {"copy", guarded<copy, 2>},
                          {"resize", guarded<resize>},
                          {"resizeAs", guarded<resize_as, 2>},
                          {"set", guarded<set>},
                          {"sub", guarded<sub>},
                          {"retain", guarded<retain, 1>},
                          {"free", guarded<free_reference, 1>},
                          {"totable", guarded<tensor_to_table, 1>},
                          {"_address", guarded<data_address>},
                          {"_struct", guarded<struct_address>}};

const auto constructors = th::for_types<th::AllTypes>(
    [](auto zero) { return guarded<construct<decltype(zero)>>.function(); });
const auto factories = th::for_types<th::AllTypes>(
    [](auto zero) { return guarded<make_empty<decltype(zero)>>.function(); });

void hand_over(lua_State* L, void* object) {
  note_thread(L, registered_state(L));
  // C code outside this module will read the struct, so its data field must be valid.
  auto* t = static_cast<Tensor*>(object);
  trace_elements(L, "a C function", t->storage, th::ElementUse::hands_out);
  attempt([&] {
    th::expose_to_c(t->storage);
    th::expose_to_c(t);
  });
}

}  // namespace

void push_sizes(lua_State* L, State* state, const char* function, int count,
                const int64_t* values) {
  Storage* storage = nullptr;
  protect(L, function, [&] { storage = th::long_storage(values, count).release(); });
  push_storage(L, state, storage);
}

void register_tensor_classes(lua_State* L, State* state, int module) {
  register_classes(L, state, module,
                   {0, constructors.entry, factories.entry, guarded<destroy>, hand_over});
}

void add_tensor_methods(lua_State* L, int metatable, DType type, int like) {
  register_op_methods(L, metatable, type, like);
  register_operators(L, metatable, like);
  set_functions(L, methods, metatable, like);
  register_device_methods(L, metatable, false, like);
  register_tensor_serialization(L, metatable, like);
  set_class_functions(L,
                      {{"elementSize", guarded<element_size, 1>},
                       {"__index", guarded<tensor_index>},
                       {"__newindex", guarded<tensor_newindex>},
                       {"__index__", guarded<tensor_index_method>},
                       {"__newindex__", guarded<tensor_newindex_method>}},
                      metatable);
}

}  // namespace bind

// t[key] and t[key] = value, where key is a number, a table of numbers, ranges and tensors, a mask,
// or a tensor of indices.

#include <algorithm>

#include "grad/tape.h"
#include "arguments.h"
#include "bindings.h"

#include "luaT.h"
#include "ops/ops.h"
#include "ops/subscript.h"

namespace bind {

namespace {

const char* const kIndexing = "indexing";

int64_t checked_position(lua_State* L, const Tensor* t, int d, double number) {
  number = check_whole(L, number, "an index");
  int64_t size = t->size[d], index = 0;
  const bool is_read = read_integer(number, &index);  // false for NaN
  const int64_t position = index < 0 ? index + size : index - 1;
  if (!is_read || position < 0 || position >= size) {
    raise_error(L, "index %s is out of range of dimension %d of size %lld",
                push_number_at(L, 2, number), d + 1, th::as_long(size));
  }
  return position;
}

// Returns the position of a vector's element in its storage.
ptrdiff_t vector_element(lua_State* L, const Tensor* t, double number) {
  int64_t position = checked_position(L, t, 0, number);
  return t->position(&position);
}

void check_storage(lua_State* L, const Tensor* t) {
  if (t->storage && t->storage->shrunk) protect(L, kIndexing, [&] { t->check_fits(); });
}

// Pushes an element of a vector if it is on the CPU. Returns false if the general path is needed.
bool push_vector_element(lua_State* L, const Tensor* t, double number) {
  if (t->nDimension != 1 || !(number >= 1 && number <= static_cast<double>(t->size[0])))
    return false;
  auto i = static_cast<int64_t>(number);
  const Storage* storage = t->storage;
  if (static_cast<double>(i) != number || !storage || storage->shrunk) return false;
  if (th::tracing() && th::grad::is_tracked(storage)) return false;
  th::trace_access(kElementAccess);
  const char* block = static_cast<char*>(storage->memory.cpu_if_ready(th::Access::read));
  if (!block) return false;
  ptrdiff_t at = t->storageOffset + (i - 1) * t->stride[0];
  push_element(L, t->dtype, block + at * static_cast<ptrdiff_t>(th::item_size(t->dtype)));
  return true;
}

// Writes an element at a checked position. Returns false if an operation has to write it: if only a
// device has valid bytes, or if a gradient tape records.
bool write_host_element(lua_State* L, const Tensor* t, ptrdiff_t element, const th::Scalar& value) {
  if (th::tracing() && !th::grad::recording_tapes().empty()) return false;
  th::trace_access(kElementAccess);
  if (th::is_on_device(t->storage)) return false;
  char* data = t->data_if_ready();
  if (!data) protect(L, kIndexing, [&] { data = t->data(th::Access::write); });
  data += (element - t->storageOffset) * static_cast<ptrdiff_t>(th::item_size(t->dtype));
  write_element(t->dtype, data, value);
  return true;
}

// Returns true if the table at key has one number for each dimension, and sets *element to the
// offset of that element in the storage.
bool read_table_position(lua_State* L, int key, const Tensor* t, ptrdiff_t* element) {
  auto count = static_cast<int>(compat_rawlen(L, key));
  if (count != t->nDimension || count == 0) return false;
  double numbers[th::kMaxDims];
  bool all = true;
  for (int d = 0; d < count && all; ++d) {
    lua_rawgeti(L, key, d + 1);
    // Lua returns 0 for other values, so one call of Lua is enough for most numbers.
    numbers[d] = lua_tonumber(L, -1);
    all = numbers[d] != 0 || lua_isnumber(L, -1);
    lua_pop(L, 1);
  }
  if (!all) return false;
  check_index_list(L, kIndexing, key, count, count);
  int64_t position[th::kMaxDims];
  for (int d = 0; d < count; ++d) position[d] = checked_position(L, t, d, numbers[d]);
  *element = t->position(position);
  return true;
}

// Returns the same offset for a LongStorage, which must have one position for each dimension.
ptrdiff_t read_storage_position(lua_State* L, State* state, int key, Tensor** tensor) {
  Storage* positions = object_at(L, state, key).storage();
  int64_t count = 0;
  int64_t position[th::kMaxDims];
  // A copy from a device may run finalizers, so the sizes and the tensor are read after it.
  protect(L, kIndexing, [&] {
    const void* block = positions->cpu(th::Access::read);
    count = positions->size;
    if (count > 0 && count <= th::kMaxDims) {
      __builtin_memcpy(position, block, count * sizeof(int64_t));
    }
  });
  Tensor* t = *tensor = check_tensor(L, state, 1);
  check_storage(L, t);
  if (t->nDimension == 0) raise_error(L, "an empty tensor cannot be indexed");
  if (count != t->nDimension) {
    raise_error(L, "%lld indices for a tensor of %d dimensions", th::as_long(count), t->nDimension);
  }
  for (int d = 0; d < t->nDimension; ++d) {
    position[d] = checked_position(L, t, d, static_cast<double>(position[d]));
  }
  return t->position(position);
}

// Returns true if the table or LongStorage at key selects one element, and sets *element to its
// offset in the storage.
bool read_position(lua_State* L, State* state, int key, Tensor** t, ptrdiff_t* element) {
  if (lua_istable(L, key)) return read_table_position(L, key, *t, element);
  *element = read_storage_position(L, state, key, t);
  return true;
}

// The entries of a table as a subscript, for the first dimensions of a tensor.
struct TableEntries {
  th::Subscript list[th::kMaxDims];  // only those below count are initialized
  int count = 0;

  th::Subscript& add(th::Subscript::Kind kind) { return list[count++] = th::new_subscript(kind); }
};

constexpr char kRange[] = "a range is {}, {index}, {first, last} or {first, last, step}";

// Reads {first, last, step} from the top of the stack. As in Torch7, {nil, last} begins at the
// first element. Torch7's rule `arguments` ignores entries that are not numbers, and those after
// the step.
void read_range(lua_State* L, const State* state, const Tensor* t, int d, th::Subscript* range) {
  constexpr int kMost = 3;
  const bool lenient = state->is_torch7(Rule::arguments);
  int table = lua_gettop(L);
  int count = static_cast<int>(compat_rawlen(L, table));
  if (count > kMost && !lenient) raise_error(L, "%s", kRange);
  check_index_list(L, kIndexing, table, count, kMost);
  double number[kMost];
  bool found[kMost] = {};
  for (int i = 0; i < count && i < kMost; ++i) {
    lua_rawgeti(L, table, i + 1);
    found[i] = lua_isnumber(L, -1);
    if (!found[i] && !lenient && !(i == 0 && lua_isnil(L, -1))) {
      raise_error(L, "%s, got %s in it", kRange, shown_type(L, lua_gettop(L)));
    }
    number[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  range->kind = th::Subscript::Kind::range;
  range->first = 0;
  range->last = t->size[d] - 1;
  if (count == 0) return;
  if (found[0]) range->first = range->last = checked_position(L, t, d, number[0]);
  if (found[1]) range->last = checked_position(L, t, d, number[1]);
  if (found[2]) {
    check_whole(L, number[2], "the step of a range");
    double most = static_cast<double>(t->size[d]);
    if (number[2] == 0) raise_error(L, "the step of a range is 0");
    range->step = static_cast<int64_t>(number[2] < -most  ? -most
                                       : number[2] > most ? most
                                                          : number[2]);
  }
  if (range->step > 0 ? range->last < range->first : range->last > range->first) {
    raise_error(L, "the range of dimension %d ends before it begins", d + 1);
  }
}

void read_entries(lua_State* L, State* state, int key, const Tensor* t, TableEntries* entries) {
  int count = static_cast<int>(compat_rawlen(L, key));
  if (count > t->nDimension) {
    const bool may_be_range = count == 2 && t->nDimension == 1;
    raise_error(L, "%d indices for a tensor of %d dimensions%s", count, t->nDimension,
                may_be_range ? "; a range is a table in the table: t[{{2, 5}}]" : "");
  }
  check_index_list(L, kIndexing, key, count, t->nDimension + 1);
  int d = 0;
  for (int i = 0; i < count; ++i) {
    th::Subscript& entry = entries->add(th::Subscript::Kind::index);
    if (d >= t->nDimension) {
      raise_error(L, "indices for more than the %d dimensions of a tensor", t->nDimension);
    }
    lua_rawgeti(L, key, i + 1);
    Object object = object_at(L, state, lua_gettop(L));
    if (lua_isnumber(L, -1)) {
      entry.first = checked_position(L, t, d++, lua_tonumber(L, -1));
    } else if (lua_istable(L, -1)) {
      refuse_tracked_number(L, -1, kIndexing);
      read_range(L, state, t, d++, &entry);
    } else if (object.is_tensor() &&
               (object.dtype() == DType::Long || object.dtype() == DType::Byte)) {
      entry.kind = th::Subscript::Kind::indices;
      entry.tensor = object.tensor();
      d += object.dtype() == DType::Byte ? entry.tensor->nDimension : 1;
    } else {
      raise_error(L,
                  "an index is a number, a range, a LongTensor or a ByteTensor, got %s at "
                  "position %d",
                  shown_type(L, lua_gettop(L)), i + 1);
    }
    lua_pop(L, 1);
  }
}

bool is_indices(const Object& object) {
  return object.is_tensor() && object.dtype() == DType::Long;
}
bool is_positions(const Object& object) {
  return object.is_storage() && object.dtype() == DType::Long;
}
bool is_mask(const Object& object) { return object.is_tensor() && object.dtype() == DType::Byte; }

// Returns true for a mask of the first dimensions, as in t[{mask}], by NumPy's rule. A mask with as
// many elements as t pairs with them in order, unless its sizes are those of the first dimensions.
bool is_mask_of_first(const State& state, const Tensor& t, const Object& key) {
  if (!is_mask(key) || state.is_torch7(Rule::broadcast)) return false;
  const Tensor& mask = *key.tensor();
  if (mask.nDimension == 0 || mask.nDimension >= t.nDimension) return false;
  return mask.numel() != t.numel() || std::equal(mask.size, mask.size + mask.nDimension, t.size);
}

// Returns the tensor to assign.
Tensor* check_source(lua_State* L, State* state) {
  Object object = object_at(L, state, 3);
  if (!object.is_tensor()) {
    raise_error(L, "%s: a number, a tensor or a table of numbers is expected, got %s", kIndexing,
                shown_type(L, 3));
  }
  return object.tensor();
}

constexpr char kKeys[] =
    "a tensor is indexed by numbers, tables, a ByteTensor mask, a LongTensor or a LongStorage, "
    "got %s%s";

int refuse_key(lua_State* L, State* state) {
  return raise_error(L, kKeys, shown_type(L, 2),
                     object_at(L, state, 2).is_tensor()
                         ? ": compare it for a mask, as t:gt(0), or convert it by t:long()"
                         : "");
}

// Assigns the value at stack index 3, a number or a tensor, to the selected elements of t. Without
// entries, assigns it to all elements.
void assign(lua_State* L, State* state, Tensor* t, const TableEntries* entries = nullptr) {
  if (lua_isnumber(L, 3)) {
    const th::Scalar value = check_element(L, 3, t->dtype, kIndexing);
    protect(L, kIndexing, [&] {
      if (entries) {
        th::subscript_fill(t, entries->list, entries->count, value);
      } else {
        th::ops::fill(t, value);
      }
    });
    return;
  }
  Tensor* source = check_source(L, state);
  protect(L, kIndexing, [&] {
    th::RulesScope rules(state->rules);
    if (entries) {
      th::subscript_write(t, entries->list, entries->count, source);
    } else {
      th::ops::copy(t, source);
    }
  });
}

// Converts a table that will be assigned to a tensor.
void read_table(lua_State* L, State* state, DType type) {
  if (!lua_istable(L, 3)) return;
  Tensor* made = push_new_tensor(L, state, type);
  tensor_from_table(L, made, 3);
  lua_replace(L, 3);
}

// t[key] for keys that are not strings. Returns false if the key selects nothing.
bool index_by(lua_State* L, State* state, Tensor* t) {
  const int type = lua_type(L, 2);
  if (type == LUA_TNUMBER && push_vector_element(L, t, lua_tonumber(L, 2))) return true;
  check_storage(L, t);
  if (type == LUA_TNUMBER || (type != LUA_TTABLE && is_number(L, *state, 2))) {
    if (t->nDimension == 0) raise_error(L, "an empty tensor cannot be indexed");
    double number = lua_tonumber(L, 2);
    if (t->nDimension == 1) {
      push_element_of(L, t->storage, vector_element(L, t, number));
      return true;
    }
    int64_t position = checked_position(L, t, 0, number);
    Tensor* slice = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] { th::ops::select(slice, t, 0, position); });
    return true;
  }
  const Object key = type == LUA_TTABLE ? Object() : convert_index(L, state, 2);
  if (type == LUA_TTABLE || is_positions(key)) {
    refuse_tracked_number(L, 2, kIndexing);
    ptrdiff_t element = 0;
    if (read_position(L, state, 2, &t, &element)) {
      push_element_of(L, t->storage, element);
      return true;
    }
    Tensor* selected = push_new_like(L, state, 1, &t);
    TableEntries entries;
    read_entries(L, state, 2, t, &entries);
    protect(L, kIndexing, [&] {
      t->check_storage();
      th::subscript_read(selected, t, entries.list, entries.count);
    });
    return true;
  }
  if (is_indices(key) || is_mask_of_first(*state, *t, key)) {
    Tensor* selected = push_new_like(L, state, 1, &t);
    th::Subscript by = th::new_subscript(th::Subscript::Kind::indices);
    by.tensor = check_tensor(L, state, 2);
    protect(L, kIndexing, [&] { th::subscript_read(selected, t, &by, 1); });
    return true;
  }
  if (is_mask(key)) {
    Tensor* selected = push_new_like(L, state, 1, &t);
    Tensor* mask = check_tensor(L, state, 2);
    protect(L, kIndexing, [&] {
      th::RulesScope rules(state->rules);
      th::ops::maskedSelect(selected, t, mask);
    });
    return true;
  }
  return false;
}

// t[key] = value. Returns false if the key selects nothing.
bool assign_by(lua_State* L, State* state, Tensor* t) {
  const bool tracked = lua_istable(L, 3) && is_tracked_number(L, 3);
  if (tracked) {
    read_tracked_number(L, 3);
    t = check_tensor(L, state, 1);
  }
  refuse_held(L, state, kIndexing, t->storage);
  check_storage(L, t);
  const int type = lua_type(L, 2);
  if (type == LUA_TNUMBER || (type != LUA_TTABLE && is_number(L, *state, 2))) {
    double number = lua_tonumber(L, 2);
    // If only a device has valid bytes, it writes the element.
    if (t->nDimension == 1 && lua_type(L, 3) == LUA_TNUMBER) {
      const th::Scalar value = check_element(L, 3, t->dtype, kIndexing);
      ptrdiff_t element = vector_element(L, t, number);
      if (write_host_element(L, t, element, value)) return true;
    }
    read_table(L, state, t->dtype);
    Tensor* slice = push_new_like(L, state, 1, &t);
    if (t->nDimension == 0) raise_error(L, "an empty tensor cannot be indexed");
    int64_t position = checked_position(L, t, 0, number);
    protect(L, kIndexing, [&] {
      if (t->nDimension == 1) {
        th::ops::narrow(slice, t, 0, position, 1);
      } else {
        th::ops::select(slice, t, 0, position);
      }
    });
    assign(L, state, slice);
    return true;
  }
  const Object key = type == LUA_TTABLE ? Object() : convert_index(L, state, 2);
  if (type == LUA_TTABLE || is_positions(key)) {
    refuse_tracked_number(L, 2, kIndexing);
    read_table(L, state, t->dtype);
    t = check_tensor(L, state, 1);
    ptrdiff_t element = 0;
    if (!read_position(L, state, 2, &t, &element)) {
      TableEntries entries;
      read_entries(L, state, 2, t, &entries);
      assign(L, state, t, &entries);
      return true;
    }
    if (lua_type(L, 3) == LUA_TNUMBER) {
      const th::Scalar value = check_element(L, 3, t->dtype, kIndexing);
      if (write_host_element(L, t, element, value)) return true;
    }
    Tensor* view = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] {
      int64_t one = 1;
      th::set_storage(view, t->storage, element, 1, &one, nullptr);
    });
    assign(L, state, view);
    return true;
  }
  if (!is_mask(key) && !is_indices(key)) return false;
  read_table(L, state, t->dtype);
  t = check_tensor(L, state, 1);
  Tensor* by = check_tensor(L, state, 2);
  if (is_indices(key) || is_mask_of_first(*state, *t, key)) {
    TableEntries entries;
    entries.add(th::Subscript::Kind::indices).tensor = by;
    assign(L, state, t, &entries);
    return true;
  }
  const bool number = lua_isnumber(L, 3);
  const th::Scalar value = number ? check_element(L, 3, t->dtype, kIndexing) : th::Scalar(0);
  Tensor* source = number ? nullptr : check_source(L, state);
  if (!number && source->dtype != t->dtype && !state->is_torch7(Rule::types)) {
    push_converted(L, state, kIndexing, 3, t->dtype);
    lua_replace(L, 3);
    t = check_tensor(L, state, 1);
    by = check_tensor(L, state, 2);
    source = check_source(L, state);
  }
  // indexPutMask checks the number of elements, and assigns one element to each position.
  const bool is_put =
      !number && (!state->is_torch7(Rule::broadcast) || (tracked && source->numel() == 1));
  protect(L, kIndexing, [&] {
    th::RulesScope rules(state->rules);
    if (number) {
      th::ops::maskedFill(t, by, value);
    } else if (is_put) {
      th::ops::indexPutMask(t, by, source, false);
    } else {
      th::ops::maskedCopy(t, by, source);
    }
  });
  return true;
}

Tensor* indexed_tensor(lua_State* L, State* state) {
  Object self = object_at(L, state, 1);
  return self.is_tensor() ? self.tensor() : check_tensor(L, state, 1);  // throws
}

// After require 'cutorch' a tensor on the host stays there, also if a device tensor is assigned.
bool assign_in_place(lua_State* L, State* state, Tensor* t) {
  const bool stays =
      state->cuda_classes != LUA_NOREF && t->storage && !t->storage->current_device();
  if (!assign_by(L, state, t)) return false;
  if (stays) {
    t = indexed_tensor(L, state);
    protect(L, kIndexing, [&] { move_to_cpu(t->storage); });
  }
  return true;
}

}  // namespace

int tensor_index(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 2);
  if (lua_type(L, 2) == LUA_TSTRING) {
    if (state->cuda_classes != LUA_NOREF && push_cuda_field(L, state, object_at(L, state, 1), 2)) {
      return 1;
    }
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    if (!lua_isnil(L, 3)) return 1;
    lua_settop(L, 2);
    if (!is_number(L, *state, 2)) {
      if (call_override(L, "__index__", 2, guarded<tensor_index_method>)) return 1;
      return unknown_field(L, state);
    }
  }
  if (index_by(L, state, indexed_tensor(L, state))) return 1;
  if (call_override(L, "__index__", 2, guarded<tensor_index_method>)) return 1;
  const bool is_nil = state->is_torch7(Rule::fields) && (lua_isnil(L, 2) || lua_isboolean(L, 2));
  return is_nil ? unknown_field(L, state) : refuse_key(L, state);
}

int tensor_newindex(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 3);
  if (lua_istable(L, 1)) {  // a field of a class derived from a tensor's
    lua_rawset(L, 1);
    return 0;
  }
  Tensor* t = indexed_tensor(L, state);
  if (assign_in_place(L, state, t)) return 0;
  if (call_override(L, "__newindex__", 3, guarded<tensor_newindex_method>)) return 0;
  if (lua_type(L, 2) != LUA_TSTRING) return refuse_key(L, state);
  return raise_error(L, "the class %s cannot be indexed by '%s': its objects have no fields to set",
                     shown_class(L, state, 1), lua_tostring(L, 2));
}

// __index__ and __newindex__ of Torch7's classes: return the selected value, if any, and a boolean.
int tensor_index_method(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 2);
  bool found = index_by(L, state, indexed_tensor(L, state));
  lua_pushboolean(L, found);
  return found ? 2 : 1;
}

int tensor_newindex_method(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 3);
  lua_pushboolean(L, assign_in_place(L, state, indexed_tensor(L, state)));
  return 1;
}

}  // namespace bind

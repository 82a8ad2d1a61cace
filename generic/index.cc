// t[key] and t[key] = value: numbers, tables of numbers and ranges, masks, and index vectors.

#include "bindings.h"

#include "luaT.h"
#include "ops/ops.h"

namespace bind {

namespace {

const char* const kIndexing = "indexing";

int64_t checked_position(lua_State* L, const Tensor* t, int d, double number) {
  int64_t size = t->size[d];
  double position = number < 0 ? number + 1 + static_cast<double>(size) : number;
  // Also false for NaN.
  if (!(position >= 1 && position < static_cast<double>(size) + 1)) {
    raise_error(L, "index %.14g is out of range of dimension %d of size %lld", number, d + 1,
                static_cast<long long>(size));
  }
  return static_cast<int64_t>(position) - 1;
}

// Where the element of a vector is in its storage.
ptrdiff_t vector_element(lua_State* L, const Tensor* t, double number) {
  int64_t position = checked_position(L, t, 0, number);
  return t->position(&position);
}

double range_bound(lua_State* L, int table, int position) {
  lua_rawgeti(L, table, position);
  if (lua_type(L, -1) != LUA_TNUMBER) {
    raise_error(L, "a range is {}, {index} or {first, last}, got a %s in it", luaL_typename(L, -1));
  }
  double bound = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return bound;
}

// Narrows view, already a view of the tensor, as the table at `key` says: a number per dimension
// selects, {first, last} narrows, {} keeps. Returns true where a single element is left, whose
// position is then in *offset.
bool apply_table(lua_State* L, int key, Tensor* view, ptrdiff_t* offset) {
  int n = static_cast<int>(lua_objlen(L, key));
  if (n > view->nDimension) {
    raise_error(L, "%d indices for a tensor of %d dimensions", n, view->nDimension);
  }
  int d = 0;
  for (int i = 1; i <= n; ++i) {
    lua_rawgeti(L, key, i);
    int type = lua_type(L, -1);
    if (type == LUA_TNUMBER) {
      int64_t position = checked_position(L, view, d, lua_tonumber(L, -1));
      if (view->nDimension == 1) {
        *offset = view->position(&position);
        lua_pop(L, 1);
        return true;
      }
      protect(L, kIndexing, [&] { th::ops::select(view, view, d, position); });
    } else if (type == LUA_TTABLE) {
      int range = lua_gettop(L);
      int bounds = static_cast<int>(lua_objlen(L, range));
      if (bounds > 2) raise_error(L, "a range is {}, {index} or {first, last}");
      if (bounds > 0) {
        int64_t first = checked_position(L, view, d, range_bound(L, range, 1));
        int64_t last = bounds > 1 ? checked_position(L, view, d, range_bound(L, range, 2)) : first;
        if (last < first) {
          raise_error(L, "the range of dimension %d ends before it begins", d + 1);
        }
        protect(L, kIndexing, [&] { th::ops::narrow(view, view, d, first, last - first + 1); });
      }
      ++d;
    } else {
      raise_error(L, "an index is a number or a range, got a %s at position %d",
                  luaL_typename(L, -1), i);
    }
    lua_pop(L, 1);
  }
  return false;
}

bool is_vector_of_longs(const Object& object) {
  return object.is_tensor() && object.dtype() == DType::Long;
}
bool is_mask(const Object& object) { return object.is_tensor() && object.dtype() == DType::Byte; }

// Assigns the value at stack index 3 to all of a view.
void assign(lua_State* L, State* state, Tensor* view) {
  if (lua_type(L, 3) == LUA_TNUMBER) {
    double value = lua_tonumber(L, 3);
    protect(L, kIndexing, [&] { th::ops::fill(view, value); });
    return;
  }
  Tensor* source = check_tensor(L, state, 3);
  protect(L, kIndexing, [&] {
    th::PairingScope pairing(state->pairing);
    th::ops::copy(view, source);
  });
}

// A method of a class derived in Lua may replace __index__ and __newindex__.
bool lookup_override(lua_State* L, const char* name, int arguments) {
  lua_pushstring(L, name);
  lua_rawget(L, lua_upvalueindex(2));
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return false;
  }
  lua_insert(L, 1);
  lua_call(L, arguments, 2);
  return true;
}

}  // namespace

int tensor_index(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 2);
  int type = lua_type(L, 2);
  if (type == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(2));
    return 1;
  }
  Object self = object_at(L, state, 1);
  if (!self.is_tensor()) luaT_typerror(L, 1, "torch.*Tensor");
  Tensor* t = self.tensor();
  protect(L, kIndexing, [&] { t->check_storage(); });
  if (type == LUA_TNUMBER) {
    if (t->nDimension == 0) return raise_error(L, "an empty tensor cannot be indexed");
    double number = lua_tonumber(L, 2);
    if (t->nDimension == 1) {
      push_element_of(L, t->storage, vector_element(L, t, number));
      return 1;
    }
    int64_t position = checked_position(L, t, 0, number);
    Tensor* slice = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] { th::ops::select(slice, t, 0, position); });
    return 1;
  }
  if (type == LUA_TTABLE) {
    Tensor* view = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] {
      t->check_storage();
      th::set_view(view, *t);
    });
    ptrdiff_t offset;
    if (apply_table(L, 2, view, &offset)) {
      push_element_of(L, view->storage, offset);
    }
    return 1;
  }
  Object key = object_at(L, state, 2);
  if (is_mask(key)) {
    Tensor* selected = push_new_like(L, state, 1, &t);
    Tensor* mask = check_tensor(L, state, 2);
    protect(L, kIndexing, [&] {
      th::PairingScope pairing(state->pairing);
      th::ops::maskedSelect(selected, t, mask);
    });
    return 1;
  }
  if (is_vector_of_longs(key)) {
    Tensor* selected = push_new_like(L, state, 1, &t);
    Tensor* positions = check_tensor(L, state, 2);
    protect(L, kIndexing, [&] { th::ops::indexSelect(selected, t, 0, positions); });
    return 1;
  }
  if (key.is_storage() && key.dtype() == DType::Long) {
    // A storage of one position per dimension.
    Storage* positions = key.storage();
    int64_t n = positions->size;
    if (n == 0) return raise_error(L, "an empty tensor cannot be indexed");
    if (n != t->nDimension) {
      return raise_error(L, "%lld indices for a tensor of %d dimensions", static_cast<long long>(n),
                         t->nDimension);
    }
    int64_t at[th::kMaxDims];
    protect(L, kIndexing,
            [&] { __builtin_memcpy(at, positions->cpu(th::Access::read), n * sizeof(int64_t)); });
    for (int d = 0; d < n; ++d) at[d] = checked_position(L, t, d, static_cast<double>(at[d]));
    push_element_of(L, t->storage, t->position(at));
    return 1;
  }
  if (lookup_override(L, "__index__", 2)) return 1;
  return raise_error(L,
                     "a tensor is indexed by numbers, tables, a ByteTensor mask or a "
                     "LongTensor, got %s",
                     luaL_typename(L, 2));
}

int tensor_newindex(lua_State* L) {
  State* state = state_of(L);
  lua_settop(L, 3);
  Object self = object_at(L, state, 1);
  if (!self.is_tensor()) luaT_typerror(L, 1, "torch.*Tensor");
  Tensor* t = self.tensor();
  int type = lua_type(L, 2);
  refuse_held(L, state, kIndexing, t->storage);
  protect(L, kIndexing, [&] { t->check_storage(); });
  if (type == LUA_TNUMBER) {
    if (t->nDimension == 0) return raise_error(L, "an empty tensor cannot be indexed");
    double number = lua_tonumber(L, 2);
    // Where only a device has the bytes, it writes them too.
    if (t->nDimension == 1 && lua_type(L, 3) == LUA_TNUMBER && !th::is_on_device(t->storage)) {
      double value = lua_tonumber(L, 3);
      ptrdiff_t element = vector_element(L, t, number);
      char* data = nullptr;
      protect(L, kIndexing, [&] { data = t->data(th::Access::write); });
      data += (element - t->storageOffset) * static_cast<ptrdiff_t>(th::item_size(t->dtype));
      write_element(t->dtype, data, value);
      return 0;
    }
    int64_t position = checked_position(L, t, 0, number);
    Tensor* slice = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] {
      if (t->nDimension == 1) {
        th::ops::narrow(slice, t, 0, position, 1);
      } else {
        th::ops::select(slice, t, 0, position);
      }
    });
    assign(L, state, slice);
    return 0;
  }
  if (type == LUA_TTABLE) {
    Tensor* view = push_new_like(L, state, 1, &t);
    protect(L, kIndexing, [&] { th::set_view(view, *t); });
    ptrdiff_t offset;
    if (!apply_table(L, 2, view, &offset)) {
      assign(L, state, view);
      return 0;
    }
    protect(L, kIndexing, [&] {
      int64_t one = 1;
      th::set_storage(view, t->storage, offset, 1, &one, nullptr);
    });
    assign(L, state, view);
    return 0;
  }
  Object key = object_at(L, state, 2);
  if (is_mask(key)) {
    if (lua_type(L, 3) == LUA_TNUMBER) {
      double value = lua_tonumber(L, 3);
      protect(L, kIndexing, [&] {
        th::PairingScope pairing(state->pairing);
        th::ops::maskedFill(t, key.tensor(), value);
      });
    } else {
      Tensor* source = check_tensor(L, state, 3);
      protect(L, kIndexing, [&] {
        th::PairingScope pairing(state->pairing);
        th::ops::maskedCopy(t, key.tensor(), source);
      });
    }
    return 0;
  }
  if (is_vector_of_longs(key)) {
    if (lua_type(L, 3) == LUA_TNUMBER) {
      double value = lua_tonumber(L, 3);
      protect(L, kIndexing, [&] { th::ops::indexFill(t, 0, key.tensor(), value); });
    } else {
      Tensor* source = check_tensor(L, state, 3);
      protect(L, kIndexing, [&] { th::ops::indexCopy(t, 0, key.tensor(), source); });
    }
    return 0;
  }
  if (lookup_override(L, "__newindex__", 3)) return 0;
  return raise_error(L, "the class %s cannot be indexed", tensor_class(t->dtype));
}

}  // namespace bind

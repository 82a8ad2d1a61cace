#include "dependencies.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace bind {

namespace {

// Rows are numbered from 0, the list's elements from 1.
enum Column { kHolder = 1, kKey, kValue };
void push(lua_State* L, int rows, int row, Column column) {
  lua_rawgeti(L, rows, 3 * row + column);
}

// Finds the first positions of pointers in a list.
class FirstPositions {
 public:
  explicit FirstPositions(size_t count) : few_(count <= kFew) {}
  // Returns the first position of the pointer at position k, which grows from call to call.
  // at(j): the pointer at position j.
  template <class At>
  size_t operator()(size_t k, At at) {
    if (!few_) return first_.try_emplace(at(k), k).first->second;
    size_t same = 0;
    while (at(same) != at(k)) ++same;
    return same;
  }

 private:
  static constexpr size_t kFew = 32;  // comparing them all is faster than hashing
  bool few_;
  std::unordered_map<const void*, size_t> first_;
};

}  // namespace

bool is_integer([[maybe_unused]] lua_State* L, [[maybe_unused]] int index) {
#if LUA_VERSION_NUM >= 503
  return lua_isinteger(L, index);
#else
  return false;
#endif
}

int64_t number_bits(lua_State* L, int index) {
  if (is_integer(L, index)) return static_cast<int64_t>(lua_tointeger(L, index));
  const lua_Number number = lua_tonumber(L, index);
  int64_t bits;
  static_assert(sizeof(bits) == sizeof(number));
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

void TensorsOnStack::append_key(std::vector<int64_t>* key) const {
  const size_t at = key->size();
  size_t added = 4 * tensors.size();
  for (const Tensor* t : tensors) added += 2 * t->nDimension;
  key->resize(at + added);
  int64_t* part = key->data() + at;
  FirstPositions first_tensor(tensors.size()), first_storage(tensors.size());
  for (size_t k = 0; k < tensors.size(); ++k) {
    const Tensor* t = tensors[k];
    const size_t same = first_tensor(k, [&](size_t j) { return tensors[j]; });
    const size_t sharing =
        t->storage ? first_storage(k, [&](size_t j) { return tensors[j]->storage; }) : k;
    *part++ = static_cast<int64_t>(t->dtype) << 32 | t->nDimension;
    *part++ = t->storage ? reinterpret_cast<intptr_t>(t->storage->current_device()) : -1;
    *part++ = static_cast<int64_t>(same << 32 | sharing);
    *part++ = sharing < k ? t->storageOffset - tensors[sharing]->storageOffset : 0;
    part = std::copy(t->size, t->size + t->nDimension, part);
    part = std::copy(t->stride, t->stride + t->nDimension, part);
  }
}

bool TensorsOnStack::unchanged(lua_State* L, State* state) const {
  for (size_t k = 0; k < tensors.size(); ++k) {
    if (object_at(L, state, positions[k]).payload != tensors[k]) return false;
  }
  return true;
}

Dependencies::Dependencies(lua_State* L, int rows, const std::string& kinds) {
  rows_.resize(kinds.size() / 2);
  for (size_t k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    row.kind = kinds[2 * k];
    row.value = kinds[2 * k + 1];
    tensors_ += row.value == 't';
    push(L, rows, static_cast<int>(k), kKey);
    if (lua_type(L, -1) == LUA_TNUMBER) row.key = static_cast<int>(lua_tonumber(L, -1));
    lua_pop(L, 1);
    push(L, rows, static_cast<int>(k), kValue);
    if (row.value == 'v' && lua_type(L, -1) == LUA_TNUMBER) {
      row.value = 'n';
      row.integer = is_integer(L, -1);
      row.bits = number_bits(L, -1);
    }
    lua_pop(L, 1);
  }
}

// Compares the value at the top of the stack. Pops it, unless it is a tensor.
bool Dependencies::same_value(lua_State* L, State* state, int rows, int k,
                              TensorsOnStack* found) const {
  const Row& row = rows_[k];
  bool same = false;
  switch (row.value) {
    case 't': {
      const Object object = object_at(L, state, -1);
      if (!object.is_tensor() || !object.payload) break;
      found->add(object.tensor(), lua_gettop(L));
      return true;
    }
    case '-':
      same = lua_isnil(L, -1);
      break;
    case 'n':
      same = lua_type(L, -1) == LUA_TNUMBER && is_integer(L, -1) == row.integer &&
             number_bits(L, -1) == row.bits;
      break;
    default:
      // The list refers to objects weakly: nil stands for one that was collected.
      push(L, rows, k, kValue);
      same = !lua_isnil(L, -1) && lua_rawequal(L, -1, -2);
      lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return same;
}

// Compares all fields of the table at the top of the stack, which is popped. changed: the row of
// the value that differs, if the keys are the same.
bool Dependencies::same_fields(lua_State* L, State* state, int rows, int* k, int* changed,
                               TensorsOnStack* found) const {
  int table = lua_gettop(L);
  const int last = *k + rows_[*k].key;
  lua_pushnil(L);
  while (*k < last) {
    if (!lua_next(L, table)) return false;
    push(L, rows, ++*k, kKey);
    if (!lua_rawequal(L, -1, -3)) return false;
    lua_pop(L, 1);
    const bool is_tensor = rows_[*k].value == 't';
    if (is_tensor) lua_insert(L, table++);
    if (is_tensor) lua_pushvalue(L, table - 1);
    if (!same_value(L, state, rows, *k, found)) {
      *changed = *k;
      return false;
    }
    if (!is_tensor) continue;
    lua_pop(L, 1);
    found->positions.back() = table - 1;
  }
  if (lua_next(L, table)) return false;
  lua_settop(L, table - 1);
  return true;
}

// Compares the rows for the fields of one table, which is at the top of the stack and popped.
bool Dependencies::same_fields_by_name(lua_State* L, State* state, int rows, int* k,
                                       TensorsOnStack* found) const {
  const int count = static_cast<int>(rows_.size());
  for (;;) {
    push(L, rows, *k, kKey);
    lua_rawget(L, -2);
    if (!same_value(L, state, rows, *k, found)) return false;
    if (rows_[*k].value == 't') {
      lua_insert(L, -2);
      --found->positions.back();
    }
    if (*k + 1 == count || rows_[*k + 1].kind != 'F') break;
    ++*k;
  }
  lua_pop(L, 1);
  return true;
}

bool Dependencies::fits_stack(lua_State* L) const {
  return lua_checkstack(L, 2 * tensors_ + 20) != 0;
}

int Dependencies::first_change(lua_State* L, State* state, int rows, TensorsOnStack* found) const {
  const int count = static_cast<int>(rows_.size());
  if (!lua_checkstack(L, tensors_ + 10)) return 0;
  for (int k = 0; k < count; ++k) {
    const Row& row = rows_[k];
    int start = k;
    if (row.kind == 'U') {
      if (!lua_getupvalue(L, 2, row.key)) return start;
      if (!same_value(L, state, rows, k, found)) return start;
      continue;
    }
    push(L, rows, k, kHolder);
    if (lua_isnil(L, -1)) return start;
    switch (row.kind) {
      case 'u':
        if (!lua_getupvalue(L, -1, row.key)) return start;
        break;
      case 'f':
        if (!same_fields_by_name(L, state, rows, &k, found)) return k;
        continue;
      case 'm':
        if (!lua_getmetatable(L, -1)) lua_pushnil(L);
        break;
#if LUA_VERSION_NUM < 502
      case 'e':
        lua_getfenv(L, -1);
        break;
#endif
      case 'p':
        if (!same_fields(L, state, rows, &k, &start, found)) return start;
        continue;
      default:
        return start;
    }
    lua_replace(L, -2);
    if (!same_value(L, state, rows, k, found)) return start;
  }
  return -1;
}

std::string Dependencies::path_of(lua_State* L, int rows, int k) const {
  const int top = lua_gettop(L);
  std::string path;  // from the last key to the first
  for (int steps = 0; k >= 0 && steps < 20; ++steps) {
    const char kind = rows_[k].kind;
    int holder = k;
    while (rows_[k].kind == 'n' && rows_[holder].kind != 'p') --holder;
    push(L, rows, holder, kHolder);
    if (kind == 'U' || kind == 'u') {
      const int function = kind == 'U' ? 2 : lua_gettop(L);
      const char* name =
          lua_isfunction(L, function) ? lua_getupvalue(L, function, rows_[k].key) : nullptr;
      path = name ? name + path : "";
      break;
    }
    if (kind == 'f' || kind == 'F' || kind == 'n') {
      push(L, rows, k, kKey);
      const bool is_name = lua_type(L, -1) == LUA_TSTRING;
      const bool is_number = lua_type(L, -1) == LUA_TNUMBER;
      lua_pushvalue(L, -1);  // lua_tostring changes it
      const std::string key = is_name || is_number ? lua_tostring(L, -1) : "?";
      path = (is_name ? "." + key : "[" + key + "]") + path;
      lua_pop(L, 2);
    }
    // The row whose value is the holder.
    int from = holder - 1;
    for (; from >= 0; --from) {
      push(L, rows, from, kValue);
      const bool found = !lua_isnil(L, -1) && lua_rawequal(L, -1, -2);
      lua_pop(L, 1);
      if (found) break;
    }
    lua_pop(L, 1);
    k = from;
  }
  lua_settop(L, top);
  return path.compare(0, 1, ".") == 0 ? path.substr(1) : path;
}

std::string Dependencies::row_text(lua_State* L, int rows, int k) const {
  const char kind = rows_[k].kind;
  const std::string path = path_of(L, rows, k);
  if (path.empty()) return "a table";
  if (kind == 'U' || kind == 'u') return "the upvalue '" + path + "'";
  if (kind == 'm') return "the metatable of '" + path + "'";
  return (kind == 'p' ? "the table '" : "'") + path + "'";
}

}  // namespace bind

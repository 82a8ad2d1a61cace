// Serialization in Torch7's file format: the parts of File's writeObject and readObject that handle
// numbers and strings, and the contents of tensors, storages and generators.

#include <algorithm>
#include <cstring>
#include <utility>

#include "bindings.h"
#include "files.h"
#include "luaT.h"
#include "random/generator_state.h"

namespace bind {

namespace {

// The type code at the start of every object.
enum class Kind : int { nil = 0, number = 1, string = 2, boolean = 5, last = 8 };

void put_int(File& file, int64_t value) {
  if (value > INT32_MAX) th::fail("%lld is too large for a file", th::as_long(value));
  auto number = static_cast<int>(value);
  file.write(DType::Int, &number, 1);
}
int get_int(File& file) {
  int number = 0;
  file.read(DType::Int, &number, 1);
  return number;
}
// Writes two integers. In text they are on lines of their own.
void put_pair(File& file, int64_t first, int64_t second) {
  if (!file.binary || second > INT32_MAX) {
    put_int(file, first);
    return put_int(file, second);
  }
  const int pair[] = {static_cast<int>(first), static_cast<int>(second)};
  file.write(DType::Int, pair, 2);
}
void put_number(File& file, double number) {
  const auto kind = static_cast<int>(Kind::number);
  if (!file.binary || file.swapped) {
    put_int(file, kind);
    file.write(DType::Double, &number, 1);
    return;
  }
  char bytes[sizeof(kind) + sizeof(number)];
  std::memcpy(bytes, &kind, sizeof(kind));
  std::memcpy(bytes + sizeof(kind), &number, sizeof(number));
  file.write(DType::Char, bytes, sizeof(bytes));
}
void put_string(File& file, const char* text, size_t size) {
  put_int(file, static_cast<int64_t>(size));
  file.write(DType::Char, text, size);
}

// A string read from a file. Short strings are stored inline, long ones in a storage.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  void read(File& file) {
    int size = get_int(file);
    if (size < 0) th::fail("invalid string length %d", size);
    size_ = static_cast<size_t>(size);
    if (size_ <= sizeof(short_)) {
      file.read(DType::Char, short_, size_);
    } else {
      long_ = file.read_storage(DType::Char, size_);
      if (long_->size != size) size_ = static_cast<size_t>(long_->size);
    }
  }
  // The garbage collector owns a long string's storage before Lua copies it, so an error raised by
  // Lua leaks nothing.
  void push(lua_State* L, State* state) {
    if (!long_) {
      lua_pushlstring(L, short_, size_);
      return;
    }
    const char* data = static_cast<const char*>(long_->cpu(th::Access::read));
    push_storage(L, state, long_.release());
    lua_pushlstring(L, data ? data : "", size_);
    lua_remove(L, -2);
  }

 private:
  size_t size_ = 0;
  char short_[512];
  th::StorageRef long_;
};

// Writes nil, a number, a string or a boolean, and returns true. Writes nothing and returns false
// for other types.
bool put_value(File& file, lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      put_int(file, static_cast<int>(Kind::nil));
      return true;
    case LUA_TNUMBER:
      put_number(file, lua_tonumber(L, index));
      return true;
    case LUA_TSTRING: {
      size_t size = 0;
      const char* text = lua_tolstring(L, index, &size);
      put_pair(file, static_cast<int>(Kind::string), static_cast<int64_t>(size));
      file.write(DType::Char, text, size);
      return true;
    }
    case LUA_TBOOLEAN:
      put_pair(file, static_cast<int>(Kind::boolean), lua_toboolean(L, index));
      return true;
    default:
      return false;
  }
}

// file:_writeValue(value [, wants_position]): returns the result of put_value. If that is false and
// wants_position is true, also returns the position, or nil if the file has none.
int write_value(lua_State* L) {
  const bool wants_position = lua_toboolean(L, 3);
  size_t at = File::kUnknown;
  bool known = false;
  with_file(L, "writeObject", [&](File& file) {
    known = put_value(file, L, 2);
    if (!known && wants_position) at = file.find_position();
  });
  lua_pushboolean(L, known);
  if (at == File::kUnknown) return 1;
  push_integer(L, at + 1);
  return 2;
}

bool is_plain(lua_State* L, int index) {
  const int type = lua_type(L, index);
  return type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN;
}

lua_Integer count_entries(lua_State* L, int table) {
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) ++count;
  return count;
}

// file:_writeEntries(table [, key, left]): writes the number of entries of the table and then the
// entries, up to the next one whose key or value is an object. With `key`, continues after it;
// `left` is the number of entries left. Returns the new number and that key and value, which are
// nil at the end of the table.
int write_entries(lua_State* L) {
  constexpr int table = 2, key = 3, value = 4;
  check_kind(L, table, LUA_TTABLE);
  lua_Integer left = 0;
  if (lua_isnoneornil(L, key)) {
    left = count_entries(L, table);
    with_file(L, "writeObject", [&](File& file) { put_int(file, left); });
  } else {
    left = static_cast<lua_Integer>(check_integer(L, 4));
  }
  lua_settop(L, key);
  while (lua_next(L, table)) {
    if (!is_plain(L, key) || !is_plain(L, value)) {
      lua_pushinteger(L, left);
      lua_insert(L, key);
      return 3;
    }
    with_file(L, "writeObject", [&](File& file) {
      put_value(file, L, key);
      put_value(file, L, value);
    });
    --left;
    lua_pop(L, 1);
  }
  lua_pushinteger(L, left);
  return 1;
}

// file:_readValue(): returns the type code of the next object, and its value, or its index if it is
// not a plain value.
int read_value(lua_State* L) {
  State* state = state_of(L);
  Text text;
  int kind = 0, integer = 0;
  double number = 0;
  with_file(L, "readObject", [&](File& file) {
    kind = get_int(file);
    switch (static_cast<Kind>(kind)) {
      case Kind::nil:
        break;
      case Kind::number:
        file.read(DType::Double, &number, 1);
        break;
      case Kind::string:
        text.read(file);
        break;
      default:
        if (kind > 0 && kind <= static_cast<int>(Kind::last)) integer = get_int(file);
    }
  });
  lua_pushinteger(L, kind);
  switch (static_cast<Kind>(kind)) {
    case Kind::nil:
      lua_pushnil(L);
      break;
    case Kind::number:
      lua_pushnumber(L, number);
      break;
    case Kind::string:
      text.push(L, state);
      break;
    case Kind::boolean:
      lua_pushboolean(L, integer == 1);
      break;
    default:
      if (kind < 0 || kind > static_cast<int>(Kind::last)) return 1;
      lua_pushinteger(L, integer);
  }
  return 2;
}

// file:_writeHead(kind, index [, version, class name])
int write_head(lua_State* L) {
  int64_t kind = check_integer(L, 2), index = check_integer(L, 3);
  const char* version = optional_string(L, 4, nullptr);
  size_t size = 0;
  const char* name = version ? luaL_checklstring(L, 5, &size) : nullptr;
  with_file(L, "writeObject", [&](File& file) {
    put_pair(file, kind, index);
    if (!version) return;
    put_string(file, version, std::strlen(version));
    put_string(file, name, size);
  });
  return 0;
}

// file:_writeText(string) writes a string; file:_readText() reads one written by _writeText.
int write_text(lua_State* L) {
  check_kind(L, 2, LUA_TSTRING);
  size_t size = 0;
  const char* text = lua_tolstring(L, 2, &size);
  with_file(L, "writeObject", [&](File& file) { put_string(file, text, size); });
  return 0;
}
int read_text(lua_State* L) {
  Text text;
  with_file(L, "readObject", [&](File& file) { text.read(file); });
  text.push(L, state_of(L));
  return 1;
}

// ---- contents ----------------------------------------------------------------------------------

// Calls a method of the file at stack position 2 with the topmost stack values as arguments.
void call_file(lua_State* L, const char* method, int arguments, int results) {
  lua_getfield(L, 2, method);
  lua_insert(L, -1 - arguments);
  lua_pushvalue(L, 2);
  lua_insert(L, -1 - arguments);
  lua_call(L, arguments + 1, results);
}

// t:write(file): writes the number of dimensions, sizes, strides, offset (from 1), and the storage
// as a separate object.
int write_tensor(lua_State* L) {
  State* state = state_of(L);
  Tensor* t = check_tensor(L, state, 1);
  with_file(L, "write", 2, [&](File& file) {
    t->check_storage();
    int64_t offset = t->storageOffset + 1;
    put_int(file, t->nDimension);
    file.write(DType::Long, t->size, static_cast<size_t>(t->nDimension));
    file.write(DType::Long, t->stride, static_cast<size_t>(t->nDimension));
    file.write(DType::Long, &offset, 1);
  });
  lua_settop(L, 2);
  th::storage_retain(t->storage);
  push_storage(L, state, t->storage);
  call_file(L, "writeObject", 1, 0);
  return 0;
}

struct FileGeometry {
  int ndim;
  int64_t size[th::kMaxDims], stride[th::kMaxDims], offset;

  void read(File& file) {
    ndim = get_int(file);
    if (ndim < 0 || ndim > th::kMaxDims) th::fail("invalid number of dimensions %d", ndim);
    file.read(DType::Long, size, static_cast<size_t>(ndim));
    file.read(DType::Long, stride, static_cast<size_t>(ndim));
    file.read(DType::Long, &offset, 1);
    if (offset < 1) th::fail("invalid storage offset %lld", th::as_long(offset));
    --offset;
  }
  // The tensor must fit into the storage as read: a file must not make us enlarge it.
  void check(const Storage* storage) const {
    int64_t elements = th::checked_numel(ndim, size);
    for (int d = 0; d < ndim; ++d) {
      if (stride[d] < 0) th::fail("stride %lld is negative", th::as_long(stride[d]));
    }
    int64_t available = storage ? storage->size : 0;
    if (ndim > 0 && elements > 0 && th::last_position(offset, ndim, size, stride) >= available) {
      th::fail("a tensor %s at offset %lld reaches beyond its storage of %lld elements",
               th::shape_text(ndim, size).c_str(), th::as_long(offset + 1), th::as_long(available));
    }
  }
};

// t:read(file): makes t the view that was written, on the storage read from the file.
int read_tensor(lua_State* L) {
  State* state = state_of(L);
  check_tensor(L, state, 1);
  FileGeometry geometry;
  with_file(L, "read", 2, [&](File& file) { geometry.read(file); });
  lua_settop(L, 2);
  call_file(L, "readObject", 0, 1);
  Tensor* t = check_tensor(L, state, 1);
  Object object = object_at(L, state, 3);
  if (!lua_isnil(L, 3) && (!object.is_storage() || object.dtype() != t->dtype)) {
    return raise_error(L, "read: %s is expected in the file, got %s", storage_class(t->dtype),
                       luaT_typename(L, 3) ? luaT_typename(L, 3) : luaL_typename(L, 3));
  }
  Storage* storage = object.is_storage() ? object.storage() : nullptr;
  protect(L, "read", [&] {
    geometry.check(storage);
    th::set_storage(t, storage, geometry.ndim > 0 || storage ? geometry.offset : 0, geometry.ndim,
                    geometry.size, geometry.stride);
  });
  return return_self(L);
}

// s:write(file): writes the number of elements, then the elements.
int write_storage(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  with_file(L, "write", 2, [&](File& file) {
    Pinned pinned(storage);
    int64_t size = storage->size;
    file.write(DType::Long, &size, 1);
    if (size) file.write(storage->dtype, storage->cpu(th::Access::read), static_cast<size_t>(size));
  });
  return 0;
}

// s:read(file): resizes s and reads its elements.
int read_storage(lua_State* L) {
  State* state = state_of(L);
  Storage* storage = check_storage(L, state, 1);
  refuse_held(L, state, "read", storage);
  trace_elements(L, "read", storage, th::ElementUse::writes);
  with_file(L, "read", 2, [&](File& file) {
    int64_t size = 0;
    file.read(DType::Long, &size, 1);
    if (size < 0) th::fail("invalid storage size %lld", th::as_long(size));
    th::StorageRef elements = file.read_storage(storage->dtype, static_cast<size_t>(size));
    th::Device* device = storage->current_device();
    th::storage_swap(storage, elements.get());
    if (device) th::storage_to(storage, device);
  });
  collect_under_pressure(L, state);
  return return_self(L);
}

th::Generator* check_generator(lua_State* L) {
  Object object = object_at(L, state_of(L), 1);
  if (!object.is_generator()) luaT_typerror(L, 1, "torch.Generator");
  return static_cast<th::Generator*>(object.payload);
}

// g:write(file): writes the generator's state as returned by getRNGState.
int write_generator(lua_State* L) {
  th::Generator* generator = check_generator(L);
  with_file(L, "write", 2, [&](File& file) {
    th::TensorRef bytes(th::tensor_new(DType::Byte));
    th::generator_state(*generator, bytes.get());
    file.write(DType::Byte, bytes->data(th::Access::read), static_cast<size_t>(bytes->numel()));
  });
  return 0;
}

// In text mode, a read takes the end of the line after its elements. The first read of a state
// would take an element that looks like one.
class NoSpacing {
 public:
  explicit NoSpacing(File& file) : file_(file), spacing_(std::exchange(file.spacing, false)) {}
  NoSpacing(const NoSpacing&) = delete;
  NoSpacing& operator=(const NoSpacing&) = delete;
  ~NoSpacing() { file_.spacing = spacing_; }

 private:
  File& file_;
  bool spacing_;
};

// g:read(file): restores the generator's state, of either algorithm.
int read_generator(lua_State* L) {
  th::Generator* generator = check_generator(L);
  with_file(L, "read", 2, [&](File& file) {
    constexpr size_t kHead = 8;
    unsigned char head[kHead] = {};
    {
      NoSpacing part(file);
      file.read(DType::Byte, head, kHead);
    }
    const int64_t size = th::generator_state_size(head);
    th::StorageRef storage(th::storage_new(DType::Byte, size));
    auto* bytes = static_cast<unsigned char*>(storage->cpu(th::Access::overwrite));
    std::copy(head, head + kHead, bytes);
    file.read(DType::Byte, bytes + kHead, static_cast<size_t>(size) - kHead);
    th::set_generator_state(*generator, th::vector_of(storage.get(), 0, size).get());
  });
  return return_self(L);
}

const Method file_methods[] = {
    {"_writeValue", guarded<write_value>}, {"_writeEntries", guarded<write_entries>},
    {"_readValue", guarded<read_value>},   {"_writeHead", guarded<write_head>},
    {"_writeText", guarded<write_text>},   {"_readText", guarded<read_text>}};
const Method tensor_methods[] = {{"write", guarded<write_tensor>}, {"read", guarded<read_tensor>}};
const Method storage_methods[] = {{"write", guarded<write_storage>},
                                  {"read", guarded<read_storage>}};
const Method generator_methods[] = {{"write", guarded<write_generator>},
                                    {"read", guarded<read_generator>}};

template <size_t count>
void extend_class(lua_State* L, const char* name, const Method (&methods)[count]) {
  if (!luaT_pushmetatable(L, name)) return;
  set_functions(L, methods, lua_gettop(L));
  lua_pop(L, 1);
}

}  // namespace

void register_serialization(lua_State* L) {
  extend_class(L, "torch.File", file_methods);
  extend_class(L, "torch.Generator", generator_methods);
}

void register_tensor_serialization(lua_State* L, int metatable, int like) {
  set_functions(L, tensor_methods, metatable, like);
}
void register_storage_serialization(lua_State* L, int metatable, int like) {
  set_functions(L, storage_methods, metatable, like);
}

}  // namespace bind

// The file classes: torch.File, and the derived classes DiskFile, PipeFile and MemoryFile. The
// methods that write and read objects are written in Lua (lua/core/serialize.lua).

#include "files.h"

#include <cmath>
#include <cstdio>
#include <cstring>

#include "bindings.h"
#include "luaT.h"
#include "native.h"
#include "ops/scalars.h"

namespace bind {

namespace {

using th::StorageRef;

const char* const kClasses[] = {"torch.File", "torch.DiskFile", "torch.PipeFile",
                                "torch.MemoryFile"};

int push_file(lua_State* L, File* file, const char* name) {
  luaT_pushudata(L, file, name);
  // Programs may leave files in memory unclosed.
  collect_under_pressure(L, registered_state(L));
  if (file) {
    // Each file has its own table, where writeObject and readObject record the objects they have
    // seen.
    lua_newtable(L);
    compat_setenv(L, -2);
  }
  return 1;
}

template <File* open(const char*, const char*, bool)>
int construct_stream(lua_State* L, const char* name) {
  const char* function = name + std::strlen("torch.");
  const char* path = check_text(L, 1, function);
  const char* mode = optional_string(L, 2, "r");
  bool quiet = lua_toboolean(L, 3);
  File* file = nullptr;
  protect(L, function, [&] { file = open(path, mode, quiet); });
  return push_file(L, file, name);
}
int construct_disk_file(lua_State* L) {
  return construct_stream<th::open_disk_file>(L, "torch.DiskFile");
}
int construct_pipe_file(lua_State* L) {
  return construct_stream<th::open_pipe>(L, "torch.PipeFile");
}

// MemoryFile([storage,] [mode])
int construct_memory_file(lua_State* L) {
  Object object = object_at(L, registered_state(L), 1);
  bool in_storage = object.is_storage() && object.dtype() == DType::Char;
  if (!in_storage && !lua_isnoneornil(L, 1) && lua_type(L, 1) != LUA_TSTRING) {
    luaT_typerror(L, 1, "torch.CharStorage or a mode");
  }
  const int arguments = in_storage ? 2 : 1;
  if (lua_gettop(L) > arguments) refuse_extra(L, arguments);
  const char* mode = optional_string(L, arguments, "rw");
  Storage* storage = in_storage ? object.storage() : nullptr;
  File* file = nullptr;
  protect(L, "MemoryFile", [&] { file = th::open_memory_file(storage, mode); });
  return push_file(L, file, "torch.MemoryFile");
}

// Also callable from Lua code while the file is in use.
int destroy(lua_State* L) {
  auto* file = static_cast<File*>(luaT_rawudata(L, 1, "torch.File"));
  if (!file || file->in_use) return 0;
  *static_cast<void**>(lua_touserdata(L, 1)) = nullptr;
  delete file;
  return 0;
}

#define TH_FILE_QUESTION(name, value)     \
  int name(lua_State* L) {                \
    const File& file = *check_file(L, 1); \
    lua_pushboolean(L, value);            \
    return 1;                             \
  }
#define TENSOR_FILE_ACTION(name, ...)                      \
  int name(lua_State* L) {                                 \
    with_file(L, #name, [&](File& file) { __VA_ARGS__; }); \
    return return_self(L);                                 \
  }
#define TH_FILE_ACTION TENSOR_FILE_ACTION
#include "io/file_methods.def"
TENSOR_FILE_ACTION(noBuffer, th::set_unbuffered(file))

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
TENSOR_FILE_ACTION(nativeEndianEncoding, file.swapped = false)
TENSOR_FILE_ACTION(littleEndianEncoding, file.swapped = !kLittleEndian)
TENSOR_FILE_ACTION(bigEndianEncoding, file.swapped = kLittleEndian)

int isLittleEndianCPU(lua_State* L) {
  lua_pushboolean(L, kLittleEndian);
  return 1;
}
int isBigEndianCPU(lua_State* L) {
  lua_pushboolean(L, !kLittleEndian);
  return 1;
}

int seek(lua_State* L) {
  int64_t position = check_integer_argument(L, 2);
  if (position < 1) return argument_error(L, 2, "a position counts from 1");
  with_file(L, "seek", [&](File& file) {
    file.check_open();
    if (!file.seek(static_cast<size_t>(position - 1))) {
      file.fail_quietly("unable to seek at position %lld", th::as_long(position));
    }
  });
  return return_self(L);
}

int position(lua_State* L) {
  size_t at = 0;
  with_file(L, "position", [&](File& file) {
    file.check_open();
    at = file.position();
  });
  push_integer(L, at + 1);
  return 1;
}

int long_size(lua_State* L) {
  int64_t size = check_integer_argument(L, 2);
  if (size != 0 && size != 4 && size != 8) return argument_error(L, 2, "0, 4 or 8 is expected");
  with_file(L, "longSize",
            [&](File& file) { file.long_bytes = size ? static_cast<int>(size) : 8; });
  return return_self(L);
}

// ---- numbers -----------------------------------------------------------------------------------

// Returns the storage at stack position 2 if it has that element type, otherwise null.
Storage* storage_argument(lua_State* L, DType type) {
  Object object = object_at(L, state_of(L), 2);
  return object.is_storage() && object.dtype() == type ? object.storage() : nullptr;
}

constexpr int kTextBytes = 32;

const char* method_name(char (&text)[kTextBytes], const char* verb, DType type) {
  std::snprintf(text, sizeof(text), "%s%s", verb, th::name(type));
  return text;
}

// read<Type>() returns a number. read<Type>(n) returns a storage of at most n elements, as many as
// the file has. read<Type>(storage) fills the storage and returns the number of elements read.
template <int type>
int read_numbers(lua_State* L) {
  constexpr auto dtype = static_cast<DType>(type);
  char name[kTextBytes];
  method_name(name, "read", dtype);
  if (lua_gettop(L) < 2) {
    alignas(8) char element[8] = {};
    with_file(L, name, [&](File& file) { file.read(dtype, element, 1); });
    push_element(L, dtype, element);
    return 1;
  }
  if (lua_gettop(L) == 2 && lua_isnumber(L, 2)) {
    int64_t n = check_integer_argument(L, 2);
    if (n < 0) return argument_error(L, 2, "a count is expected");
    StorageRef storage;
    with_file(L, name,
              [&](File& file) { storage = file.read_storage(dtype, static_cast<size_t>(n)); });
    push_storage(L, state_of(L), storage.release());
    collect_under_pressure(L, state_of(L));
    return 1;
  }
  Storage* storage = lua_gettop(L) == 2 ? storage_argument(L, dtype) : nullptr;
  if (!storage) {
    return raise_error(L, "%s: nothing, number, or %sStorage expected", name, th::name(dtype));
  }
  refuse_held(L, state_of(L), name, storage);
  trace_elements(L, name, storage, th::ElementUse::writes);
  size_t count = 0;
  with_file(L, name, [&](File& file) {
    Pinned pinned(storage);
    count = file.read(dtype, storage->cpu(th::Access::write), static_cast<size_t>(storage->size));
  });
  push_integer(L, count);
  return 1;
}

// Converts a Lua number to an element. For integer types, other numbers are an error. In Torch7
// mode fractions are truncated, and integers may be in the signed or the unsigned range.
template <int type>
void check_element_of_file(lua_State* L, const char* name, char* element) {
  constexpr auto dtype = static_cast<DType>(type);
  const double value = lua_tonumber(L, 2);
  const bool is_torch7 = registered_state(L)->is_torch7(Rule::numbers);
  const bool is_fraction = std::isfinite(value) && value != std::floor(value);
  if (th::is_integral(dtype) && is_fraction && !is_torch7) {
    raise_error(L, "%s: an integer is expected, got %s", name, push_number(L, value));
  }
  if (th::is_integral(dtype) && dtype != DType::Long) {
    double half = std::ldexp(1.0, static_cast<int>(8 * th::item_size(dtype)) - 1);
    const bool fits =
        is_torch7 ? value > -half - 1 && value < 2 * half : th::holds(dtype, th::Scalar(value));
    if (!fits) {
      raise_error(L, "%s: %s is out of range of type %s", name, push_number(L, value),
                  th::name(dtype));
    }
    auto bits = static_cast<int64_t>(value);
    std::memcpy(element, &bits, th::item_size(dtype));
    return;
  }
  write_element(dtype, element, check_element(L, 2, dtype, name));
}

// write<Type>(number), or write<Type>(storage), which returns the number of elements written.
template <int type>
int write_numbers(lua_State* L) {
  constexpr auto dtype = static_cast<DType>(type);
  char name[kTextBytes];
  method_name(name, "write", dtype);
  if (lua_gettop(L) == 2 && lua_isnumber(L, 2)) {
    alignas(8) char element[8] = {};
    check_element_of_file<type>(L, name, element);
    with_file(L, name, [&](File& file) { file.write(dtype, element, 1); });
    return 0;
  }
  Storage* storage = lua_gettop(L) == 2 ? storage_argument(L, dtype) : nullptr;
  if (!storage) return raise_error(L, "%s: number, or %sStorage expected", name, th::name(dtype));
  size_t count = 0;
  with_file(L, name, [&](File& file) {
    Pinned pinned(storage);
    count = file.write(dtype, storage->cpu(th::Access::read), static_cast<size_t>(storage->size));
  });
  push_integer(L, count);
  return 1;
}

int write_string(lua_State* L) {
  check_kind(L, 2, LUA_TSTRING);
  size_t size = 0, count = 0;
  const char* text = lua_tolstring(L, 2, &size);
  with_file(L, "writeString", [&](File& file) { count = file.write_text(text, size); });
  push_integer(L, count);
  return 1;
}

// readString('*a') returns the rest of the file; readString('*l') a line without its end.
int read_string(lua_State* L) {
  const char* format = check_string(L, 2);
  if (std::strncmp(format, "*a", 2) != 0 && std::strncmp(format, "*l", 2) != 0) {
    return argument_error(L, 2, "'*a' or '*l' is expected");
  }
  char* text = nullptr;
  size_t size = 0;
  with_file(L, "readString", [&](File& file) { size = file.read_text(format[1] == 'l', &text); });
  Storage* holder = nullptr;
  protect(L, "readString", [&] {
    holder = th::storage_from_block(DType::Char, text, static_cast<ptrdiff_t>(size),
                                    &THDefaultAllocator, nullptr);
  });
  push_storage(L, state_of(L), holder);
  lua_pushlstring(L, text ? text : "", size);
  return 1;
}

int storage(lua_State* L) {
  Storage* storage = nullptr;
  with_file(L, "storage", [&](File& file) {
    storage = th::storage_of_file(file);
    th::storage_retain(storage);
  });
  push_storage(L, state_of(L), storage);
  return 1;
}

int to_string(lua_State* L) {
  const bool in_memory = luaT_isudata(L, 1, "torch.MemoryFile");
  const char* type = luaT_typename(L, 1);
  // Before the file is read: Lua may run finalizers, which may free it.
  auto** box = Native<std::string>::push(L);
  File& file = *check_file(L, 1);
  protect(L, "tostring", [&] {
    std::string text = type;
    if (!in_memory) text += " on <" + th::name_of_file(file) + ">";
    text += std::string(" [status: ") + (file.is_open() ? "open" : "closed") + " -- mode";
    text += in_memory ? ": " : " ";
    text += file.readable ? 'r' : ' ';
    text += file.writable ? 'w' : ' ';
    *box = new std::string(text + "]");
  });
  lua_pushlstring(L, (*box)->data(), (*box)->size());
  return 1;
}

#define TENSOR_METHOD(name) \
  { #name, guarded < name, 1> }
const Method methods[] = {
#define TH_FILE_QUESTION(name, value) TENSOR_METHOD(name),
#define TH_FILE_ACTION(name, ...) TENSOR_METHOD(name),
#include "io/file_methods.def"
    {"seek", guarded<seek, 2>},
    TENSOR_METHOD(position),
    TENSOR_METHOD(nativeEndianEncoding),
    TENSOR_METHOD(littleEndianEncoding),
    TENSOR_METHOD(bigEndianEncoding),
    {"longSize", guarded<long_size, 2>},
    {"readString", guarded<read_string, 2>},
    {"writeString", guarded<write_string, 2>},
#define TH_TYPE(Name, real, accreal, kind, ...)                         \
  {"read" #Name, guarded<read_numbers<static_cast<int>(DType::Name)>>}, \
      {"write" #Name, guarded<write_numbers<static_cast<int>(DType::Name)>>},
#include "THTypes.def"
#undef TH_TYPE
};
const Method disk_methods[] = {
    TENSOR_METHOD(noBuffer),
    TENSOR_METHOD(isLittleEndianCPU),
    TENSOR_METHOD(isBigEndianCPU),
    {"__tostring__", guarded<to_string>},
};
const Method memory_methods[] = {TENSOR_METHOD(storage), {"__tostring__", guarded<to_string>}};

// Registers the class and leaves its metatable at the top of the stack.
void make_class(lua_State* L, int which, const char* parent, lua_CFunction constructor,
                int module) {
  State* state = registered_state(L);
  luaT_newlocalmetatable(L, kClasses[which], parent, constructor,
                         constructor ? guarded<destroy>.function() : nullptr, nullptr, module);
  state->file_metatable[which] = lua_topointer(L, -1);
  if (!constructor) return;
  lua_pushvalue(L, lua_upvalueindex(1));
  push_closure(L, guarded<destroy>, 1);
  lua_setfield(L, -2, "__gc");
}

}  // namespace

File* check_file(lua_State* L, int index) {
  if (lua_type(L, index) == LUA_TUSERDATA && lua_getmetatable(L, index)) {
    const void* metatable = lua_topointer(L, -1);
    lua_pop(L, 1);
    for (const void* known : state_of(L)->file_metatable) {
      auto* file = known == metatable ? *static_cast<File**>(lua_touserdata(L, index)) : nullptr;
      if (file) return file;
    }
  }
  // Either an instance of a Lua class derived from a file class, or an error.
  auto* file = static_cast<File*>(luaT_rawudata(L, index, "torch.File"));
  if (!file) luaT_typerror(L, index, "torch.File");
  return file;
}

void register_file_classes(lua_State* L, int module) {
  make_class(L, 0, nullptr, nullptr, module);
  set_functions(L, methods, lua_gettop(L));
  make_class(L, 1, "torch.File", guarded<construct_disk_file, 3>.function(), module);
  set_functions(L, disk_methods, lua_gettop(L));
  make_class(L, 2, "torch.DiskFile", guarded<construct_pipe_file, 3>.function(), module);
  make_class(L, 3, "torch.File", guarded<construct_memory_file>.function(), module);
  set_functions(L, memory_methods, lua_gettop(L));
  lua_settop(L, module);
}

}  // namespace bind

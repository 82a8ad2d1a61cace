// The readers and writers of lua/extras/formats/arrays.lua: .npy, .npz and .safetensors files.

#include "io/array_file.h"

#include "bindings.h"
#include "files.h"
#include "native.h"

namespace bind {

template <>
const char* Native<th::ArrayReader>::key() {
  return "tensor.ArrayReader";
}
template <>
const char* Native<th::ArrayWriter>::key() {
  return "tensor.ArrayWriter";
}

namespace {

using th::ArrayReader;
using th::ArrayWriter;

void push_text(lua_State* L, const std::string& text) {
  lua_pushlstring(L, text.data(), text.size());
}

// Returns the position of an array, which counts from 1 in Lua.
size_t check_array(lua_State* L, const ArrayReader& reader, int index) {
  int64_t k = check_index(L, index, "an array");
  if (k < 0 || static_cast<size_t>(k) >= reader.count()) {
    argument_error(L, index, "invalid array number");
  }
  return static_cast<size_t>(k);
}

// reader(filename, extension): returns a reader, a table of names, and a table of the metadata.
int reader(lua_State* L) {
  const char *name = check_text(L, 1, "load"), *extension = check_text(L, 2, "load");
  auto** box = Native<ArrayReader>::push(L);
  protect(L, "load", [&] { *box = ArrayReader::open(name, extension).release(); });
  const ArrayReader& file = **box;
  lua_newtable(L);
  for (size_t k = 0; k < file.count(); ++k) {
    push_text(L, file.name(k));
    lua_rawseti(L, -2, static_cast<int>(k + 1));
  }
  lua_newtable(L);
  for (const auto& entry : file.metadata()) {
    push_text(L, entry.first);
    push_text(L, entry.second);
    lua_rawset(L, -3);
  }
  return 3;
}

// bytes(reader, k): returns the number of bytes of an array.
int bytes(lua_State* L) {
  ArrayReader& file = Native<ArrayReader>::check(L, 1);
  size_t k = check_array(L, file, 2);
  int64_t count = 0;
  protect(L, "load", [&] { count = file.array(k).bytes(); });
  push_integer(L, count);
  return 1;
}

// begin(reader, k, map): starts to read an array. Collects garbage first, so that its memory is
// reused for the array.
int begin(lua_State* L) {
  collect_under_pressure(L, state_of(L));
  ArrayReader& file = Native<ArrayReader>::check(L, 1);
  size_t k = check_array(L, file, 2);
  bool map = lua_toboolean(L, 3);
  protect(L, "load", [&] { file.begin(k, map); });
  return 0;
}

// run(reader, bytes): reads about that many bytes. Returns how many; 0 at the end.
int run(lua_State* L) {
  ArrayReader& file = Native<ArrayReader>::check(L, 1);
  int64_t most = check_integer(L, 2), done = 0;
  protect(L, "load", [&] { done = file.run(most); });
  push_integer(L, done);
  return 1;
}

// finish(reader): returns the tensor that was read.
int finish(lua_State* L) {
  ArrayReader& file = Native<ArrayReader>::check(L, 1);
  Tensor* t = nullptr;
  protect(L, "load", [&] { t = file.finish().release(); });
  push_tensor(L, state_of(L), t);
  return 1;
}

// close(reader)
int close(lua_State* L) {
  Native<ArrayReader>::check(L, 1);
  return Native<ArrayReader>::destroy(L);
}

// writer(filename, extension): returns a writer.
int writer(lua_State* L) {
  const char *name = check_text(L, 1, "save"), *extension = check_text(L, 2, "save");
  auto** box = Native<ArrayWriter>::push(L);
  protect(L, "save", [&] { *box = ArrayWriter::create(name, extension).release(); });
  return 1;
}

// add(writer, name, tensor)
int add(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  size_t size = 0;
  const char* name = luaL_checklstring(L, 2, &size);
  Tensor* t = check_tensor(L, state_of(L), 3);
  trace_elements(L, "save", t->storage, th::ElementUse::inspects);
  protect(L, "save", [&] { file.add(std::string(name, size), t); });
  return 0;
}

// set_metadata(writer, key, value): sets a string of the metadata.
int set_metadata(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  size_t key_size = 0, size = 0;
  const char* key = luaL_checklstring(L, 2, &key_size);
  const char* value = luaL_checklstring(L, 3, &size);
  protect(L, "save",
          [&] { file.set_metadata(std::string(key, key_size), std::string(value, size)); });
  return 0;
}

// compress(writer)
int compress(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  protect(L, "save", [&] { file.compress(); });
  return 0;
}

// start(writer): opens the file. Returns the number of bytes of all elements.
int start(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  int64_t total = 0;
  protect(L, "save", [&] { total = file.begin(); });
  push_integer(L, total);
  return 1;
}

// write(writer, bytes, report): writes about that many bytes. Returns how many; 0 at the end.
// If a call takes long, it calls report(bytes) meanwhile, whose errors end it.
int write(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  int64_t most = check_integer(L, 2), done = 0;
  check_kind(L, 3, LUA_TFUNCTION);
  luaL_checkstack(L, 4, "save");
  bool has_error = false;  // which is on top of the stack
  protect(L, "save", [&] {
    file.set_report([&](int64_t bytes) {
      lua_pushvalue(L, 3);
      push_integer(L, bytes);
      has_error = lua_pcall(L, 1, 0, 0) != 0;
      return !has_error;
    });
    struct EndOfReports {
      ArrayWriter& file;
      ~EndOfReports() { file.set_report(nullptr); }
    } end_of_reports{file};
    try {
      done = file.run(most);
    } catch (const th::Error&) {
      if (!has_error) throw;
    }
  });
  if (has_error) return lua_error(L);
  push_integer(L, done);
  return 1;
}

// commit(writer [, sync]): replaces the file.
int commit(lua_State* L) {
  ArrayWriter& file = Native<ArrayWriter>::check(L, 1);
  protect(L, "save", [&] { file.commit(sync_of(L, 2)); });
  return 0;
}

// drop(writer): frees the writer. If it has not replaced the file, the file stays as it is.
int drop(lua_State* L) {
  Native<ArrayWriter>::check(L, 1);
  return Native<ArrayWriter>::destroy(L);
}

const Method functions[] = {{"reader", guarded<reader>},
                            {"bytes", guarded<bytes>},
                            {"begin", guarded<begin>},
                            {"run", guarded<run>},
                            {"finish", guarded<finish>},
                            {"close", guarded<close>},
                            {"writer", guarded<writer>},
                            {"add", guarded<add>},
                            {"set_metadata", guarded<set_metadata>},
                            {"compress", guarded<compress>},
                            {"start", guarded<start>},
                            {"write", guarded<write>},
                            {"commit", guarded<commit>},
                            {"drop", guarded<drop>}};

}  // namespace

void register_array_functions(lua_State* L, int module) {
  set_function_table(L, functions, module, "_arrays");
}

}  // namespace bind

// luaopen_tensor_core: everything of `require 'tensor'` that is written in C++.

#include <dlfcn.h>
#include <omp.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "TH.h"
#include "base/op_scope.h"
#include "bindings.h"
#include "fuse/expression.h"
#include "luaT.h"
#include "lualib.h"
#include "ops/ops.h"

namespace bind {

void set_functions(lua_State* L, const Method* functions, size_t count, int table, int like) {
  for (size_t i = 0; i < count; ++i) {
    if (like) lua_getfield(L, like, functions[i].name);
    if (!like || lua_tocfunction(L, -1) != functions[i].function.function()) {
      if (like) lua_pop(L, 1);
      lua_pushvalue(L, lua_upvalueindex(1));
      push_closure(L, functions[i].function, 1);
    }
    lua_setfield(L, table, functions[i].name);
  }
}

namespace {

// Returns the C function with which LuaJIT calls FFI objects, or null.
lua_CFunction find_ffi_call(lua_State* L) {
  int top = lua_gettop(L);
  lua_CFunction function = nullptr;
  if (luaL_dostring(L, "return rawget(_G, 'jit') and require('ffi').new('int')") == 0 &&
      luaL_getmetafield(L, -1, "__call")) {
    function = lua_tocfunction(L, -1);
  }
  lua_settop(L, top);
  return function;
}

void find_resume(lua_State* L, State* state) {
  int top = lua_gettop(L);
  if (luaL_dostring(L, "return coroutine.resume, coroutine.wrap(function() end)") == 0) {
    state->resume[0] = lua_tocfunction(L, -2);
    state->resume[1] = lua_tocfunction(L, -1);
  }
  lua_settop(L, top);
}

int set_threads(lua_State* L) {
  int64_t n = check_integer_argument(L, 1);
  // Torch7 passed the number to OpenMP, where numbers below 1 mean 1.
  if (n < 1 && state_of(L)->is_torch7(Rule::arguments)) n = 1;
  if (n < 1 || n > th::kMaxThreads) {
    char text[64];
    std::snprintf(text, sizeof(text), "the number of threads must be from 1 to %d",
                  th::kMaxThreads);
    return argument_error(L, 1, text);
  }
  THSetNumThreads(static_cast<int>(n));
  return 0;
}
int get_threads(lua_State* L) {
  lua_pushinteger(L, THGetNumThreads());
  return 1;
}
int get_cores(lua_State* L) {
  lua_pushinteger(L, THGetNumCores());
  return 1;
}

int info(lua_State* L) {
  const char* const keys[] = {"version", "compiler",   "build", "blas",     "lapack", "openmp",
                              "isa",     "vectormath", "sort",  "protobuf", "random"};
  lua_newtable(L);
  for (const char* key : keys) {
    if (const char* value = THInfo(key)) {
      lua_pushstring(L, value);
      lua_setfield(L, -2, key);
    }
  }
  return 1;
}

int default_type(lua_State* L) {
  State* state = state_of(L);
  if (lua_gettop(L) == 0) {
    lua_pushstring(L, tensor_class(state->default_type));
    return 1;
  }
  const char* name = check_string(L, 1);
  for (int k = 0; k < th::kDTypes; ++k) {
    if (!std::strcmp(name, tensor_class(static_cast<DType>(k)))) {
      state->default_type = static_cast<DType>(k);
      return 0;
    }
  }
  return argument_error(L, 1, lua_pushfstring(L, "a tensor class is expected, got %s", name));
}

int is_tensor(lua_State* L) {
  lua_pushboolean(L, object_at(L, state_of(L), 1).is_tensor());
  return 1;
}
int is_storage(lua_State* L) {
  lua_pushboolean(L, object_at(L, state_of(L), 1).is_storage());
  return 1;
}
// _isfreed(value): returns true for an object that a finalizer or tensor.scope has freed.
int is_freed(lua_State* L) {
  const Object object = object_at(L, state_of(L), 1);
  lua_pushboolean(L, object.box && !object.payload);
  return 1;
}

// Two functions for checks of tensors that do not affect results. Neither a recording of
// tensor.compile nor a gradient notices them.
// _place(t): returns a number that tensors of the same storage have in common, and the offset.
int place(lua_State* L) {
  const Tensor* t = check_tensor(L, state_of(L), 1);
  lua_pushnumber(L, static_cast<lua_Number>(reinterpret_cast<uintptr_t>(t->storage)));
  push_integer(L, t->storageOffset);
  return 2;
}
// _element(t): returns the element of a tensor with one element.
int element(lua_State* L) {
  const Tensor* t = check_tensor(L, state_of(L), 1);
  luaL_argcheck(L, t->storage && t->numel() == 1, 1, "a tensor with one element is expected");
  alignas(8) char value[8];
  protect(L, "indexing", [&] { th::storage_read(t->storage, t->storageOffset, value); });
  push_element(L, t->dtype, value);
  return 1;
}

// tic() returns seconds of a monotonic clock. toc(start) returns the seconds since start.
int tic(lua_State* L) {
  lua_pushnumber(L, omp_get_wtime());
  return 1;
}
int toc(lua_State* L) {
  lua_pushnumber(L, omp_get_wtime() - check_number(L, 1));
  return 1;
}

// Returns the seconds since 1970, with microseconds.
int clock(lua_State* L) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  lua_pushnumber(L,
                 static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec / 1000) * 1e-6);
  return 1;
}
// A signal may end the sleep early.
int sleep(lua_State* L) {
  double seconds = check_number(L, 1);
  if (!(seconds >= 0 && seconds < 1e9)) return argument_error(L, 1, "a time is expected");
  timespec rest = {};
  rest.tv_sec = static_cast<time_t>(seconds);
  rest.tv_nsec = static_cast<long>((seconds - static_cast<double>(rest.tv_sec)) * 1e9);
  nanosleep(&rest, nullptr);
  return 0;
}

// _mkdir(folder): creates a directory for its owner only. Returns true on success.
int make_folder(lua_State* L) {
  lua_pushboolean(L, mkdir(check_string(L, 1), 0700) == 0);
  return 1;
}

// _loadglobal(path): loads a library whose symbols later libraries and ffi.C find. Returns true, or
// nil and a message.
int load_global(lua_State* L) {
  if (dlopen(check_string(L, 1), RTLD_LAZY | RTLD_GLOBAL)) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, dlerror());
  return 2;
}

void make_global(void* function) {
  Dl_info library;
  if (dladdr(function, &library)) dlopen(library.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

// _makeglobal(): makes the symbols of libTH and libluaT global, as they are in Torch7. Lua loads C
// modules, and with them their libraries, with local symbols.
int make_own_global(lua_State*) {
  make_global(reinterpret_cast<void*>(&THInfo));
  make_global(reinterpret_cast<void*>(&luaT_typename));
  return 0;
}

// Returns the names of an expression's operands, in the order of the text, separated by blanks.
int fuse_operands(lua_State* L) {
  const char* text = check_text(L, 1, "fuse");
  // The names and separators are not longer than the text.
  auto* names = static_cast<char*>(lua_newuserdata(L, std::strlen(text) + 2));
  protect(L, "fuse", [&] {
    char* to = names;
    for (const std::string& name : th::Expression(text).operands) {
      to = std::copy(name.begin(), name.end(), to);
      *to++ = ' ';
    }
    *to = 0;
  });
  lua_pushstring(L, names);
  return 1;
}

// _fusecall(expression, count, [result,] operands...): evaluates the expression for `count` tensors
// of one type. Returns nothing if the arguments are of another form.
int fuse_call(lua_State* L) {
  constexpr int kMost = 16;
  State* state = state_of(L);
  const int tensors = lua_gettop(L) - 2;
  const auto count = static_cast<int>(lua_tointeger(L, 2));
  if (lua_type(L, 1) != LUA_TSTRING || count < 1 || count > kMost || tensors < count ||
      tensors > count + 1) {
    return 0;
  }
  size_t length = 0;
  const char* text = lua_tolstring(L, 1, &length);
  if (std::strlen(text) != length) return 0;
  Object objects[kMost + 1];
  for (int k = 0; k < tensors; ++k) {
    objects[k] = object_at(L, state, 3 + k);
    if (!objects[k].is_tensor() || objects[k].kind != objects[0].kind) return 0;
  }
  const int first = tensors - count;  // index of the first operand
  if (first == 0) push_new_tensor(L, state, objects[0].dtype());
  const int result_at = first ? 3 : lua_gettop(L);
  Tensor* operands[kMost];
  for (int k = 0; k < count; ++k) {
    operands[k] = static_cast<Tensor*>(payload(L, objects[first + k], 3 + first + k));
  }
  Tensor* result = check_tensor(L, state, result_at);
  refuse_held(L, state, "fuse", result->storage);
  protect(L, "fuse", [&] {
    for (int k = 0; k < count; ++k) operands[k]->check_storage();
    th::OpScope scope("fuse");
    th::RulesScope rules(state->rules);
    th::ops::fuse(result, text, th::TensorList(operands, count));
  });
  lua_pushvalue(L, result_at);
  return 1;
}

const char* const pairings[] = {"torch7", "numpy", "strict", nullptr};

int get_broadcast(lua_State* L) {
  lua_pushstring(L, pairings[static_cast<int>(state_of(L)->rules.pairing)]);
  return 1;
}
int set_broadcast(lua_State* L) {
  State* state = state_of(L);
  const char* name = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
  if (std::strcmp(name, "tensor") == 0) name = "numpy";  // the name of the rule's value
  for (int k = 0; pairings[k]; ++k) {
    if (std::strcmp(name, pairings[k]) != 0) continue;
    get_broadcast(L);
    state->set_pairing(static_cast<th::Pairing>(k));
    return 1;
  }
  return raise_error(L, "setBroadcast: 'numpy', 'torch7' or 'strict' is expected, got %s",
                     *name ? name : shown_type(L, 1));
}
int set_strict(lua_State* L) {
  State* state = state_of(L);
  check_kind(L, 1, LUA_TBOOLEAN);
  state->set_pairing(lua_toboolean(L, 1) ? th::Pairing::strict : state->not_strict);
  return 0;
}

// Sets whether Lua's collector runs when the memory of tensors has grown (_heaptracking).
int set_heap_tracking(lua_State* L) {
  bool on = luaT_checkboolean(L, 1);
  State* state = state_of(L);
  state->collect_at = on ? 0 : INT64_MAX;
  state->after_collection = 0;  // less memory in use would set a new limit
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.module");
  lua_pushboolean(L, on);
  lua_setfield(L, -2, "_heaptracking");
  return 0;
}

int is_terminal(lua_State* L) {
  luaL_getmetatable(L, LUA_FILEHANDLE);
  if (!lua_getmetatable(L, 1) || !lua_rawequal(L, -1, -2)) luaT_typerror(L, 1, LUA_FILEHANDLE);
  auto* file = *static_cast<FILE**>(lua_touserdata(L, 1));
  lua_pushboolean(L, file && isatty(fileno(file)));
  return 1;
}

// Sets the directory of the module's Lua files, so that errors do not blame their lines.
int set_own_source(lua_State* L) {
  State* state = state_of(L);
  std::snprintf(state->own_source, sizeof(state->own_source), "%s", check_string(L, 1));
  return 0;
}

const Method functions[] = {{"setnumthreads", guarded<set_threads, 1>},
                            {"getnumthreads", guarded<get_threads, 0>},
                            {"getnumcores", guarded<get_cores, 0>},
                            {"info", guarded<info, 0>},
                            {"_defaulttype", guarded<default_type>},
                            {"_optable", guarded<op_table>},
                            {"_fuseoperands", guarded<fuse_operands>},
                            {"_fusecall", guarded<fuse_call>},
                            {"_ownsource", guarded<set_own_source>},
                            {"_namehint", guarded<set_name_hint>},
                            {"_refuseextra", guarded<refuse_extra_of>},
                            {"_listlength", guarded<list_length, 2>},
                            {"tic", guarded<tic, 0>},
                            {"toc", guarded<toc, 1>},
                            {"_clock", guarded<clock>},
                            {"_sleep", guarded<sleep>},
                            {"_mkdir", guarded<make_folder>},
                            {"_loadglobal", guarded<load_global>},
                            {"_makeglobal", guarded<make_own_global>},
                            {"getBroadcast", guarded<get_broadcast, 0>},
                            {"setBroadcast", guarded<set_broadcast, 1>},
                            {"setStrict", guarded<set_strict, 1>},
                            {"setheaptracking", guarded<set_heap_tracking, 1>},
                            {"isatty", guarded<is_terminal>},
                            {"isTensor", guarded<is_tensor>},
                            {"isStorage", guarded<is_storage>},
                            {"_isfreed", guarded<is_freed>},
                            {"_place", guarded<place, 1>},
                            {"_element", guarded<element, 1>},
                            {"updateerrorhandlers", guarded<update_handlers, 0>},
                            {"updatethreadlocals", guarded<update_handlers, 0>}};

const Method luaT_functions[] = {{"factory", guarded<luaT_lua_factory>},
                                 {"getconstructortable", guarded<luaT_lua_getconstructortable>},
                                 {"newmetatable", guarded<luaT_lua_newmetatable>},
                                 {"getmetatable", guarded<luaT_lua_getmetatable>},
                                 {"setmetatable", guarded<luaT_lua_setmetatable>},
                                 {"metatype", guarded<luaT_lua_metatype>},
                                 {"isequal", guarded<luaT_lua_isequal>},
                                 {"pointer", guarded<luaT_lua_pointer>},
                                 {"pushudata", guarded<luaT_lua_pushudata>},
                                 {"setenv", guarded<luaT_lua_setenv>},
                                 {"getenv", guarded<luaT_lua_getenv>},
                                 {"version", guarded<luaT_lua_version>}};

// Runs as a closure over the State, like all functions that register classes.
int open(lua_State* L) {
  State* state = state_of(L);
  lua_newtable(L);
  int module = lua_gettop(L);
  register_class_functions(L, module);
  register_table_functions(L, module);
  register_tensor_classes(L, state, module);
  register_storage_classes(L, state, module);
  register_generator_class(L, state, module);
  register_blob_classes(L, module);
  register_rule_functions(L, module);
  register_timer_class(L, module);
  register_file_classes(L, module);
  register_format_functions(L, module);
  register_array_functions(L, module);
  register_print_functions(L, module);
  register_drawing_functions(L, module);
  register_csv_functions(L, module);
  register_dlpack_functions(L, module);
  register_serialization(L);
  register_op_functions(L, module);
  register_random_functions(L, module);
  register_device_functions(L, module);
  register_cuda_functions(L, module);
  register_interrupt_functions(L, module);
  register_profile_functions(L, module);
  register_compile_functions(L, module);
  register_coroutine_functions(L, module);
  register_grad_functions(L, module);
  register_dist_functions(L, module);
  register_worker_functions(L, module);
  register_apply_functions(L, module);
  set_functions(L, functions, module);
  set_functions(L, luaT_functions, module);
  lua_pushboolean(L, true);
  lua_setfield(L, module, "_heaptracking");
  lua_pushstring(L, THInfo("version"));
  lua_setfield(L, module, "_VERSION");
  return 1;
}

int load(lua_State* L) {
  // A Lua state gets its classes once, even if the module is loaded several times.
  lua_getfield(L, LUA_REGISTRYINDEX, "tensor.module");
  if (lua_istable(L, -1)) return 1;
  auto* state = static_cast<State*>(lua_newuserdata(L, sizeof(State)));
  new (state) State;
  state->ffi_call = find_ffi_call(L);
  find_resume(L, state);
  lua_newtable(L);
  push_closure(L, guarded<forget_state>, 0);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.state");
  update_handlers(L);
  push_closure(L, guarded<open>, 1);
  lua_call(L, 0, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, "tensor.module");
  return 1;
}

}  // namespace
}  // namespace bind

extern "C" __attribute__((visibility("default"))) int luaopen_tensor_core(lua_State* L) {
  return bind::guarded<bind::load>.function()(L);
}

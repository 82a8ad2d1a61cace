#ifndef TENSOR_GENERIC_STATE_H
#define TENSOR_GENERIC_STATE_H

// What the bindings keep per lua_State, and how objects cross between Lua and the core. Every C
// function of the module is a closure whose first upvalue is the State.

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include <atomic>
#include <exception>
#include <memory>
#include <new>

#include "lua_compat.h"

#include "base/error.h"
#include "base/op.h"
#include "generic/deferred.h"
#include "ops/rules.h"
#include "tensor/tensor.h"

namespace th {
class Device;
struct Generator;
}  // namespace th

namespace bind {

using th::DType;
using th::Storage;
using th::Tensor;

// The tensors, the storages, and the generator.
constexpr int kClasses = 2 * th::kDTypes + 1;

class OperandGuard;

struct State {
  // Of classes, by the addresses of their metatables: which one it is, or -1.
  struct Known {
    const void* metatable = nullptr;
    int kind = -1;
  };
  static constexpr size_t kKnown = 64;
  Known known[kKnown];
  static size_t slot(const void* metatable) {
    return (reinterpret_cast<uintptr_t>(metatable) * 0x9e3779b97f4a7c15u) >> 58;
  }
  void add_class(const void* metatable, int kind) {
    size_t k = slot(metatable);
    while (known[k].metatable) k = (k + 1) % kKnown;
    known[k] = {metatable, kind};
  }
  int kind_of(const void* metatable) const {
    size_t k = slot(metatable);
    while (known[k].metatable != metatable && known[k].metatable) k = (k + 1) % kKnown;
    return known[k].metatable ? known[k].kind : -1;
  }

  int reference[kClasses];  // of the metatables, in the registry
  const void* file_metatable[4] = {};
  DType default_type = DType::Double;
  th::Rules rules{th::Pairing::numpy, false};   // of all that is called from this Lua state
  th::Pairing not_strict = th::Pairing::numpy;  // what it was before it was strict
  th::Generator* generator = nullptr;           // null once the Lua state is closing
  const void* generator_userdata = nullptr;     // which shows it to Lua code, but does not own it
  // After require 'cutorch', in the registry: the classes and generators of cutorch.cc; else
  // LUA_NOREF.
  int cuda_classes = LUA_NOREF;
  int cuda_generators = LUA_NOREF;
  th::Device* cuda_default = nullptr;  // where the default type is CudaTensor: its device
  // What operations that a finalizer has interrupted work on; null: there are none.
  OperandGuard* operands = nullptr;
  // Whether the Lua state is; outlives it, for other threads that know of it. Null once it closes.
  std::shared_ptr<std::atomic<bool>> open = std::make_shared<std::atomic<bool>>(true);
  int noted_thread = LUA_NOREF;      // in the registry: a weak table of one Lua thread
  lua_CFunction ffi_call = nullptr;  // what calls C functions through the FFI
  // What runs coroutines, where that is C's, as in all Luas but LuaJIT.
  lua_CFunction resume[2] = {nullptr, nullptr};
  bool in_luajit() const { return !resume[0]; }
  int64_t collect_at = 0;  // bytes in use from which on Lua is asked to collect
  int64_t surely_collect_at = 0;
  int64_t after_collection = 0;                // bytes that were in use
  int64_t garbage = 0;                         // bytes that may be
  double collected = 0, collection_takes = 0;  // when it last was, and how long; in seconds
  int64_t objects = 0;                         // made since then; Lua sees only eight bytes of each
  char own_source[512] = "";  // how the sources of the module's own Lua functions begin
};

// An object's kind and payload; none for anything that is no tensor, storage or generator.
struct Object {
  int kind = -1;
  void* payload = nullptr;
  void** box = nullptr;  // the userdata, which holds the payload, or null once it is freed
  bool is_tensor() const { return kind >= 0 && kind < th::kDTypes; }
  bool is_storage() const { return kind >= th::kDTypes && kind < 2 * th::kDTypes; }
  bool is_generator() const { return kind == 2 * th::kDTypes; }
  DType dtype() const { return static_cast<DType>(is_storage() ? kind - th::kDTypes : kind); }
  Tensor* tensor() const { return static_cast<Tensor*>(payload); }
  Storage* storage() const { return static_cast<Storage*>(payload); }
};

const char* exception_text(const std::exception& error) noexcept;

// A C function for Lua out of which no C++ exception comes: what it throws becomes a Lua error.
// guarded<f> makes one, and only such become functions of the module.
class Guarded {
 public:
  lua_CFunction function() const { return function_; }

 private:
  explicit constexpr Guarded(lua_CFunction function) : function_(function) {}
  static int raise(lua_State* L, const char* text);
  // Errors of Lua, which may pass as exceptions, too, are none of std's.
  template <lua_CFunction f>
  static int call(lua_State* L) {
    char text[th::Error::kLength];
    try {
      return f(L);
    } catch (const std::exception& error) {
      __builtin_snprintf(text, sizeof(text), "%s", exception_text(error));
    }
    return raise(L, text);
  }
  template <lua_CFunction f>
  friend constexpr Guarded make_guarded();

  lua_CFunction function_;
};
template <lua_CFunction f>
constexpr Guarded make_guarded() {
  return Guarded(&Guarded::call<f>);
}
template <lua_CFunction f>
constexpr Guarded guarded = make_guarded<f>();

struct Method {
  const char* name;
  Guarded function;
};
void push_closure(lua_State* L, Guarded function, int upvalues);

inline State* state_of(lua_State* L) {
  return static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
}
State* registered_state(lua_State* L);
// Returns the object at a stack index, or none. Does not allocate.
Object object_at(lua_State* L, State* state, int index);
// The same for callers that know that it is a full userdata.
inline Object object_of_userdata(lua_State* L, State* state, int index) {
  return object_at(L, state, index);
}
// Pushes a userdata of a class with the payload null, and returns the address of its payload.
void** push_box(lua_State* L, State* state, int kind);

const char* tensor_class(DType type);   // "torch.FloatTensor"
const char* storage_class(DType type);  // "torch.FloatStorage"

// Raise an argument error where there is no such object. Nothing is moved between devices.
Tensor* check_tensor(lua_State* L, State* state, int index);
Storage* check_storage(lua_State* L, State* state, int index);

// For what finalizers do while they interrupt an operation. Whether it works on the object of this
// userdata, which cannot be freed then.
bool holds_object(const OperandGuard* operands, const void* userdata);
inline bool is_held(const State* state, const void* userdata) {
  return state->operands && holds_object(state->operands, userdata);
}
// Raises an error where it works on this storage, to which nobody may write then.
void check_unheld(lua_State* L, const OperandGuard* operands, const char* function,
                  const Storage* storage);
inline void refuse_held(lua_State* L, const State* state, const char* function,
                        const Storage* storage) {
  if (state->operands && storage) check_unheld(L, state->operands, function, storage);
}

// The payload of an object that was read before the collector may have run. Finalizers may have
// freed it, which is an argument error.
[[noreturn]] void fail_freed(lua_State* L, int index);
inline void* payload(lua_State* L, const Object& object, int index) {
  if (!*object.box) fail_freed(L, index);
  return *object.box;
}
// Raises an error where the Lua state is closing.
th::Generator* default_generator(lua_State* L, const State* state);

// Push a userdata that owns the reference it is given; nullptr pushes nil.
void push_tensor(lua_State* L, State* state, Tensor* owned);
void push_storage(lua_State* L, State* state, Storage* owned);
// Push a userdata with a new, empty tensor in it.
Tensor* push_new_tensor(lua_State* L, State* state, DType type);

// The same of the type of the tensor at index, which is given in *like: read after the collector
// may have run, as finalizers may free it.
Tensor* push_new_like(lua_State* L, State* state, int index, Tensor** like);

// retain() and free() of tensors and storages. A reference that retain did not take is somebody
// else's: free must not give it back, however often it is called.
template <class T>
bool count_retain(T* object) {
  int count = __atomic_load_n(&object->retained, __ATOMIC_RELAXED);
  do {
    if (count == INT32_MAX / 2) return false;
  } while (!__atomic_compare_exchange_n(&object->retained, &count, count + 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return true;
}
template <class T>
bool count_free(T* object) {
  int count = __atomic_load_n(&object->retained, __ATOMIC_RELAXED);
  do {
    if (count == 0) return false;
  } while (!__atomic_compare_exchange_n(&object->retained, &count, count - 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  return true;
}

// Collects when the memory that Lua cannot see has grown since the last time.
void collect_under_pressure(lua_State* L, State* state);

// Raises an error blamed on the line of the innermost Lua function that is not the module's own.
int raise_error(lua_State* L, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Text of an error, kept in plain memory until every C++ frame is gone.
struct Failure {
  bool failed = false;
  int argument = 0;
  char text[th::Error::kLength];
};
template <class F>
Failure attempt(F&& body) noexcept {
  Failure failure;
  try {
    body();
  } catch (const th::Error& error) {
    failure.failed = true;
    failure.argument = error.argument();
    const char* text = error.is_late() ? error.what() : th::past_operation(error.what());
    __builtin_snprintf(failure.text, sizeof(failure.text), "%s", text);
  } catch (const std::exception& error) {
    failure.failed = true;
    __builtin_snprintf(failure.text, sizeof(failure.text), "%s", exception_text(error));
  }
  return failure;
}
// The Lua thread that runs the operation, null outside of any: where finalizers may run when memory
// is short.
extern __thread lua_State* running __attribute__((tls_model("initial-exec")));

template <class F>
Failure attempt(lua_State* L, F&& body) noexcept {
  lua_State* before = running;
  running = L;
  Failure failure = attempt([&] {
    th::raise_deferred();
    body();
  });
  running = before;
  return failure;
}
// Runs body, which must not call Lua, and raises what it throws, blamed on the caller's line.
template <class F>
void protect(lua_State* L, const char* function, F&& body) {
  Failure failure = attempt(L, static_cast<F&&>(body));
  if (!failure.failed) return;
  size_t n = __builtin_strlen(function);
  bool named = __builtin_strncmp(failure.text, function, n) == 0 && failure.text[n] == ':';
  if (named) {
    raise_error(L, "%s", failure.text);
  } else {
    raise_error(L, "%s: %s", function, failure.text);
  }
}

// Integers as they come from Lua: fractions raise an argument error, unless they are cut towards 0
// as Torch7 does; NaN, infinity and what int64 does not hold raise one in any case.
int64_t check_integer(lua_State* L, int index);
// A string without a byte 0.
const char* check_text(lua_State* L, int index, const char* function);
// As luaL_check..., but that messages have the class of an object.
double check_number(lua_State* L, int index);
const char* check_string(lua_State* L, int index);
const char* optional_string(lua_State* L, int index, const char* by_default);
void check_kind(lua_State* L, int index, int type);
// A number that becomes an element. Raises an error if the type is of integers and does not hold
// the number. After require 'torch' finite numbers are truncated.
double check_element(lua_State* L, int index, DType type, const char* function);
// The same for a number of a table. After require 'torch' NaN and infinity are converted, too.
double check_listed_element(lua_State* L, double number, DType type, const char* function);
// A number that is to be an index: a fraction raises an error, unless it is cut as in Torch7.
double check_whole(lua_State* L, double number, const char* what);
// A dimension or index counted from 1, or from the end where negative, as the core counts it.
// 0 raises an error.
int64_t check_index(lua_State* L, int index, const char* what);

// A list of sizes from stack positions first ... last: numbers, one LongStorage, or one table of
// numbers. Returns how many; raises errors naming the function's argument.
int read_sizes(lua_State* L, State* state, int first, int last, int64_t* sizes);
// An error that names the function where an argument is no size. Lua knows no name of what a
// constructor table calls, and read_sizes could give none.
void check_sizes(lua_State* L, int first, int last, const char* function);

void push_element(lua_State* L, DType type, const char* address);
template <class T>
void push_integer(lua_State* L, T number) {
  compat_pushint64(L, static_cast<int64_t>(number));
}
// The result of an operation.
inline void push_scalar(lua_State* L, const th::Scalar& number) {
  if (number.integral) {
    push_integer(L, number.i);
  } else {
    lua_pushnumber(L, number.d);
  }
}
// The same of a storage's element, counted from 0, wherever its memory is.
void push_element_of(lua_State* L, Storage* storage, ptrdiff_t index);
// value must be a number at index.
void write_element(DType type, char* address, double value);

}  // namespace bind

#endif

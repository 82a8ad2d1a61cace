#ifndef TENSOR_GENERIC_STATE_H
#define TENSOR_GENERIC_STATE_H

// The data of the bindings per lua_State, and the exchange of objects between Lua and the core.
// Each C function of the module is a closure whose first upvalue is the State.

extern "C" {
#include <lauxlib.h>
#include <lua.h>
}

#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <new>

#include "lua_compat.h"

#include "base/error.h"
#include "generic/deferred.h"
#include "ops/rules.h"
#include "ops/tracer.h"
#include "rules.h"
#include "tensor/tensor.h"

namespace th {
class Device;
struct Generator;
}  // namespace th

namespace bind {

using th::DType;
using th::Storage;
using th::Tensor;

// Tensor classes, storage classes and the generator class.
constexpr int kClasses = 2 * th::kDTypes + 1;

class OperandGuard;

// A coroutine that a function of the module has resumed and that has not returned.
struct Resumption {
  lua_State *thread, *resumer;
  Resumption*& innermost;
  Resumption* outer;
  Resumption(lua_State* of, lua_State* by, Resumption** innermost_one)
      : thread(of), resumer(by), innermost(*innermost_one), outer(innermost) {
    innermost = this;
  }
  ~Resumption() { innermost = outer; }
  Resumption(const Resumption&) = delete;
  Resumption& operator=(const Resumption&) = delete;
};

struct State {
  // A hash table from the addresses of metatables to class numbers. Missing keys give -1.
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
  // The classes that have no methods yet (bit k: kind k), the first class of tensors and that of
  // storages that has got them, and the registry reference of the function that adds those of Lua.
  uint32_t unprepared = 0;
  int first_prepared[2] = {-1, -1};
  int class_extension = LUA_NOREF;
  int list_loops = LUA_NOREF;  // the registry reference of the loops for long lists (table.cc)
  const void* file_metatable[4] = {};
  DType default_type = DType::Double;
  uint32_t torch7_rules = 0;                   // bit k: Rule k is that of require 'torch'
  th::Rules rules{th::Pairing::numpy, false};  // the rules of the core among them
  th::Pairing not_strict =
      th::Pairing::numpy;  // the previous pairing, restored by setStrict(false)
  bool is_torch7(Rule rule) const { return torch7_rules >> static_cast<int>(rule) & 1; }
  void set_rule(Rule rule, bool torch7);
  void set_pairing(th::Pairing pairing);     // changes Rule::broadcast
  th::Generator* generator = nullptr;        // null once the Lua state is closing
  const void* generator_userdata = nullptr;  // its Lua object, which does not own it
  // Registry reference of the classes and generators of cutorch.cc. Without require 'cutorch' it is
  // LUA_NOREF.
  int cuda_classes = LUA_NOREF;
  int cuda_generators = LUA_NOREF;
  // The registry reference of the open scopes by thread (coroutines.cc), and whether there are any.
  int scopes = LUA_NOREF;
  bool has_scopes = false;
  Resumption* resumption = nullptr;    // the innermost one
  th::Device* cuda_default = nullptr;  // if the default type is CudaTensor: its device
  // The operands of the operations that a finalizer has interrupted; null: none.
  OperandGuard* operands = nullptr;
  // Identifies the thread whose handlers serve the Lua state, the last that updated them; null once
  // the Lua state closes. Outlives it, because other threads may refer to it (handlers.cc).
  using Owner = std::atomic<const void*>;
  std::shared_ptr<Owner> owner = std::make_shared<Owner>(nullptr);
  int noted_thread = LUA_NOREF;      // in the registry: handlers.cc
  bool knows_main_thread = false;    // it has registered
  lua_CFunction ffi_call = nullptr;  // LuaJIT's function that calls C functions through the FFI
  // The functions that resume coroutines, if they are C functions, as in all Luas but LuaJIT.
  lua_CFunction resume[2] = {nullptr, nullptr};
  bool in_luajit() const { return !resume[0]; }
  int64_t collect_at = 0;  // bytes in use at which Lua's collector runs
  int64_t surely_collect_at = 0;
  int64_t after_collection = 0;  // bytes in use after the last collection
  int64_t garbage = 0;           // bytes of garbage that are tolerated
  double collected = 0;          // the time of the last collection, in seconds

  // The result of recycle_fresh() when the garbage was last checked, and the seconds that new
  // memory may cost before the next collection.
  int64_t fresh = 0;
  double credit = 0;
  // Its duration up to the first finalizer of a tensor, and the time of that finalizer.
  double collection_takes = 0, marked = 0;
  bool marks = false;   // a collection has begun and has called no such finalizer
  int64_t objects = 0;  // created since then; Lua sees eight bytes of each
  // The userdata of the values and indices that the last operation returned, or null, and that of
  // its operand.
  const void* last_pair[2] = {nullptr, nullptr};
  const void* last_operand = nullptr;
  char own_source[512] = "";  // prefix of the source names of the module's Lua functions
};

// The class number and the payload of an object. kind is -1 for other values.
struct Object {
  int kind = -1;
  void* payload = nullptr;
  void** box = nullptr;  // the userdata: a pointer to the payload, null once it is freed
  bool is_tensor() const { return kind >= 0 && kind < th::kDTypes; }
  bool is_storage() const { return kind >= th::kDTypes && kind < 2 * th::kDTypes; }
  bool is_generator() const { return kind == 2 * th::kDTypes; }
  DType dtype() const { return static_cast<DType>(is_storage() ? kind - th::kDTypes : kind); }
  Tensor* tensor() const { return static_cast<Tensor*>(payload); }
  Storage* storage() const { return static_cast<Storage*>(payload); }
};

// The access that the bindings report to tracers if they read or write elements.
constexpr const char* kElementAccess = "accesses elements directly";

const char* exception_text(const std::exception& error) noexcept;

// Raises an error if the running function has more than `most` arguments, unless Torch7's rule
// `arguments` holds.
void refuse_extra(lua_State* L, int most);

// A C function for Lua that lets no C++ exception out: exceptions become Lua errors. guarded<f>
// creates one. guarded<f, most> refuses more than `most` arguments; the object of a method counts.
// All functions of the module are created this way.
class Guarded {
 public:
  lua_CFunction function() const { return function_; }

 private:
  explicit constexpr Guarded(lua_CFunction function) : function_(function) {}
  static int raise(lua_State* L, const char* text);
  // Lua errors may be exceptions, too, but are not derived from std::exception.
  template <lua_CFunction f, int most>
  static int call(lua_State* L) {
    char text[th::Error::kLength];
    try {
      if (most >= 0 && lua_gettop(L) > most) refuse_extra(L, most);
      return f(L);
    } catch (const std::exception& error) {
      __builtin_snprintf(text, sizeof(text), "%s", exception_text(error));
    }
    return raise(L, text);
  }
  template <lua_CFunction f, int most>
  friend constexpr Guarded make_guarded();

  lua_CFunction function_;
};
template <lua_CFunction f, int most>
constexpr Guarded make_guarded() {
  return Guarded(&Guarded::call<f, most>);
}
template <lua_CFunction f, int most = -1>
constexpr Guarded guarded = make_guarded<f, most>();

struct Method {
  const char* name;
  Guarded function;
};
void push_closure(lua_State* L, Guarded function, int upvalues);

inline State* state_of(lua_State* L) {
  return static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1)));
}
State* registered_state(lua_State* L);
// Returns the first argument to Lua.
inline int return_self(lua_State* L) {
  lua_settop(L, 1);
  return 1;
}
// The contents of a userdata made by push_box. The tag identifies it without a look-up of its
// metatable. Other userdata of our classes, as luaT_pushudata makes, have only the payload.
struct Box {
  void* payload;
  const char* tag;
};
// Tags are addresses in this array, so no other userdata contains one by accident.
extern const char tags[kClasses];
// Returns the kind of a tag, or -1. The subtraction is done on integers: the pointer may be any.
inline int kind_of_tag(const char* tag) {
  const uintptr_t kind = reinterpret_cast<uintptr_t>(tag) - reinterpret_cast<uintptr_t>(tags);
  return kind < kClasses ? static_cast<int>(kind) : -1;
}

// Returns the object at a stack index, or none. Does not allocate. Inline, because every call of an
// operation reads its arguments with it.
Object object_by_metatable(lua_State* L, State* state, int index);  // of a userdata without a tag
inline Object object_at(lua_State* L, State* state, int index) {
  auto* box = static_cast<Box*>(lua_touserdata(L, index));
  if (!box) return Object();
  // A light userdata has the length 0.
  const int kind = compat_rawlen(L, index) == sizeof(Box) ? kind_of_tag(box->tag) : -1;
  if (kind < 0) return object_by_metatable(L, state, index);
  return {box->payload ? kind : -1, box->payload, &box->payload};
}
// Adds the methods of a class if it has none yet (classes.cc). Called before a program can get one
// of its objects, or the class itself. kind may be -1.
void prepare_unprepared(lua_State* L, State* state, int kind);
inline void prepare_class(lua_State* L, State* state, int kind) {
  if (kind >= 0 && state->unprepared >> kind & 1) prepare_unprepared(L, state, kind);
}
// Pushes a userdata of a class with the payload null, and returns the address of its payload.
void** push_box(lua_State* L, State* state, int kind);
// Adds the object on top of the stack to those of this thread's open scope, if it has one.
void record_in_scope(lua_State* L, const State& state);

const char* tensor_class(DType type);   // "torch.FloatTensor"
const char* storage_class(DType type);  // "torch.FloatStorage"

// Raise an argument error if the value is not such an object. Do not copy between devices.
Tensor* check_tensor(lua_State* L, State* state, int index);
Storage* check_storage(lua_State* L, State* state, int index);

// For finalizers that interrupt an operation: returns true if the operation uses the object of this
// userdata. Such an object must not be freed.
bool holds_object(const OperandGuard* operands, const void* userdata);
inline bool is_held(const State* state, const void* userdata) {
  return state->operands && holds_object(state->operands, userdata);
}
// Raises an error if an interrupted operation uses this storage. It must not be written then.
void check_unheld(lua_State* L, const OperandGuard* operands, const char* function,
                  const Storage* storage);
inline void refuse_held(lua_State* L, const State* state, const char* function,
                        const Storage* storage) {
  if (state->operands && storage) check_unheld(L, state->operands, function, storage);
}

// Reports an access to elements of s outside of operations, and raises an error if a gradient tape
// forbids it. function: the name in messages. The tracers that record operations give up.
void trace_elements(lua_State* L, const char* function, Storage* s, th::ElementUse use);

// The payload of an object that was read before the collector could run. If a finalizer has freed
// the object, raises an argument error.
[[noreturn]] void fail_freed(lua_State* L, int index);
inline void* payload(lua_State* L, const Object& object, int index) {
  if (!*object.box) fail_freed(L, index);
  return *object.box;
}
// Raises an error if the Lua state is closing.
th::Generator* default_generator(lua_State* L, const State* state);

// Push a userdata that takes ownership of the reference. nullptr pushes nil.
void push_tensor(lua_State* L, State* state, Tensor* owned);
void push_storage(lua_State* L, State* state, Storage* owned);
// Push a userdata with a new, empty tensor.
Tensor* push_new_tensor(lua_State* L, State* state, DType type);

// The same with the type of the tensor at index, which is stored in *like. The tensor is read after
// the collector may have run, because finalizers may free it.
Tensor* push_new_like(lua_State* L, State* state, int index, Tensor** like);

// retain() and free() of tensors and storages. free releases only references that retain took, even
// if it is called more often.
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

// Collects garbage if the memory that Lua cannot see has grown enough since the last collection.
void collect_under_pressure(lua_State* L, State* state);
// Called by the finalizer of a tensor if state->marks.
void end_marking(State* state);

// Raises an error blamed on the line of the innermost Lua function that is not the module's own.
int raise_error(lua_State* L, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Returns true if the value is the module, as in tensor:zeros(3).
bool is_module(lua_State* L, int index);

// Raises an error about an argument of the running C function. Like luaL_argerror, but the message
// does not name the function '?' if Lua knows no name, as in tail calls.
int argument_error(lua_State* L, int index, const char* text);
// The same, with the expected type and that of the argument.
int type_error(lua_State* L, int index, const char* expected);

// The text of an error, in memory that needs no destructor, because raising a Lua error may skip
// C++ frames.
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
    __builtin_snprintf(failure.text, sizeof(failure.text), "%s", error.what());
  } catch (const std::exception& error) {
    failure.failed = true;
    __builtin_snprintf(failure.text, sizeof(failure.text), "%s", exception_text(error));
  }
  if (failure.failed) th::trace_access("handles errors");
  return failure;
}
// The Lua thread that runs the current operation; null outside of operations. Finalizers run in it
// if memory is short.
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
// Runs body, which must not call Lua. Exceptions become Lua errors that blame the caller's line.
// The messages of the core do not name the function: this adds its name in Lua.
template <class F>
void protect(lua_State* L, const char* function, F&& body) {
  Failure failure = attempt(L, static_cast<F&&>(body));
  if (failure.failed) raise_error(L, "%s: %s", function, failure.text);
}

// Sets *integer and returns true if the number is an integer of at most 2^62.
inline bool read_integer(double number, int64_t* integer) {
  if (!(number >= -0x1p62 && number <= 0x1p62)) return false;
  *integer = static_cast<int64_t>(number);
  return static_cast<double>(*integer) == number;
}
// The same for the value at a stack index. False for 0, which lua_tonumber returns for no number,
// and for large integers, which it may round.
inline bool read_nonzero_integer(lua_State* L, int index, int64_t* integer) {
  const double number = lua_tonumber(L, index);
  return std::fabs(number) < 0x1p53 && read_integer(number, integer) && *integer != 0;
}
// Pushes and returns a number as text: with 14 digits, or with 17 if it needs them.
const char* push_number(lua_State* L, double number);
// The same for a number that was read from a stack index: an integer of Lua 5.3 or later is shown
// with all digits.
const char* push_number_at(lua_State* L, int index, double number);
// For the arguments that check_integer does not handle inline.
int64_t check_other_integer(lua_State* L, int index, const char* function, const char* parameter);
// Returns the integer at index. Fractions raise an argument error, or are truncated in Torch7 mode.
// NaN, infinity and numbers outside of int64 always raise an error. The error names the function
// and the parameter if they are given. Inline, because a call of an operation reads several.
inline int64_t check_integer(lua_State* L, int index, const char* function = nullptr,
                             const char* parameter = nullptr) {
  int64_t integer = 0;
  if (read_nonzero_integer(L, index, &integer)) return integer;
  return check_other_integer(L, index, function, parameter);
}
// The same for an argument that may be a string, which is a number by Torch7's rule only.
int64_t check_integer_argument(lua_State* L, int index);
// Returns a string without zero bytes.
const char* check_text(lua_State* L, int index, const char* function);
// Like luaL_check..., but error messages name the class of an object. Strings are numbers by
// Torch7's rule only.
double check_number(lua_State* L, int index);
const char* check_string(lua_State* L, int index);
const char* optional_string(lua_State* L, int index, const char* by_default);
void check_kind(lua_State* L, int index, int type);
// Returns the number at a stack index, for elements of a type. For a type of integers, an integer
// of Lua 5.3 or later that a double would round is returned as an integer.
inline th::Scalar read_scalar(lua_State* L, int index, [[maybe_unused]] DType type) {
  const double number = lua_tonumber(L, index);
#if LUA_VERSION_NUM >= 503
  if ((number >= 0x1p53 || number <= -0x1p53) && th::is_integral(type) && lua_isinteger(L, index)) {
    return th::Scalar(static_cast<int64_t>(lua_tointeger(L, index)));
  }
#endif
  return th::Scalar(number);
}
// Returns a number that will be stored as an element. Raises an error if the type is integral and
// cannot represent the number. After require 'torch' finite numbers are truncated.
th::Scalar check_element(lua_State* L, int index, DType type, const char* function);
// The same for a number in a table, or for one that is not beside a tensor. After require 'torch'
// NaN and infinity are converted, too.
th::Scalar check_listed_element(lua_State* L, int index, DType type, const char* function);
// For the numbers that check_whole does not handle inline.
double check_other_whole(lua_State* L, double number, const char* what);
// Returns an index as a whole number. Fractions raise an error, or are truncated in Torch7 mode.
inline double check_whole(lua_State* L, double number, const char* what) {
  int64_t integer = 0;
  return read_integer(number, &integer) ? number : check_other_whole(L, number, what);
}
// For the arguments that check_index does not handle inline.
int64_t check_other_index(lua_State* L, int index, const char* what, const char* function);
// Converts a dimension or index, which counts from 1, or from the end if negative, to one that
// counts from 0. 0 raises an error.
inline int64_t check_index(lua_State* L, int index, const char* what,
                           const char* function = nullptr) {
  int64_t i = 0;
  if (!read_nonzero_integer(L, index, &i)) i = check_other_index(L, index, what, function);
  return i > 0 ? i - 1 : i;
}

// Returns true for a number, and by Torch7's rule for a string that contains one.
inline bool is_number(lua_State* L, const State& state, int index) {
  const int type = lua_type(L, index);
  return type == LUA_TNUMBER ||
         (type == LUA_TSTRING && state.is_torch7(Rule::numbers) && lua_isnumber(L, index));
}

// Reads a list of sizes from stack positions first ... last: numbers, one LongStorage, or one table
// of numbers. Returns the number of sizes. Errors name the argument of the function, or the
// function and what the numbers are if they are given.
int read_sizes(lua_State* L, State* state, int first, int last, int64_t* sizes,
               const char* function = nullptr, const char* what = nullptr);
// Raises an error if a list has a key that is a string, as {1, dim = 2}, or nil before an element,
// as {1, nil, 3}. By Torch7's rules these are ignored. The key `n`, which table.pack sets, is
// always ignored.
// function: its name if the message shall not name the argument.
void check_list(lua_State* L, int index, const char* function = nullptr);
// The same, but faster, for an index of `count` elements, of which `last` are allowed. Names are
// found only if they follow the elements in Lua's order, as they do in a table of a constructor.
void check_index_list(lua_State* L, const char* function, int table, int count, int last);

void push_element(lua_State* L, DType type, const char* address);
template <class T>
void push_integer(lua_State* L, T number) {
  compat_pushint64(L, static_cast<int64_t>(number));
}
// If the value at the top of the stack is a whole number, replaces it by an integer.
inline void replace_by_integer(lua_State* L) {
  int64_t integer = 0;
  if (lua_type(L, -1) != LUA_TNUMBER || !read_integer(lua_tonumber(L, -1), &integer)) return;
  lua_pop(L, 1);
  push_integer(L, integer);
}
// Pushes the result of an operation.
inline void push_scalar(lua_State* L, const th::Scalar& number) {
  if (number.integral) {
    push_integer(L, number.i);
  } else {
    lua_pushnumber(L, number.d);
  }
}
// Pushes an element of a storage, which counts from 0, on whatever device the memory is.
void push_element_of(lua_State* L, Storage* storage, ptrdiff_t index);
// Stores the number in the element.
void write_element(DType type, char* address, const th::Scalar& value);

}  // namespace bind

#endif

#include "state.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bindings.h"
#include "luaT.h"
#include "memory/footprint.h"
#include "memory/heap.h"
#include "memory/recycle.h"
#include "ops/scalars.h"
#include "tensor/convert.h"

namespace bind {

const char tags[kClasses] = {};

namespace {

// The bytes of a tensor, its storage and the overhead of their elements. Lua's collector does not
// see them, and heap_usage() does not count them.
const auto object_bytes =
    static_cast<int64_t>(th::recycled_footprint(sizeof(Tensor)) +
                         th::recycled_footprint(sizeof(Storage)) + th::heap_overhead());
constexpr int64_t kLeastGarbage = int64_t{4} << 20;
// The collector runs, independent of its cost, before the memory has grown by this and by the size
// of the live memory.
constexpr int64_t kSurelyCollected = int64_t{64} << 20;
// Lua code runs for at least this multiple of the time that collections take. With more garbage
// than kCached, results reach memory that is in no cache, which costs more than collections do.
constexpr double kOtherParts = 8, kLeastOtherParts = 4;
constexpr int64_t kCached = int64_t{8} << 20;
// So much garbage is in no cache, and writing to it takes longer than a short collection, by about
// .6 ms. kShort: seconds.
constexpr int64_t kCold = int64_t{16} << 20;
constexpr double kShort = .3e-3;
// The seconds in which the system maps and clears a byte of new memory. In virtual machines it is
// .1 ns in large pages, 1 ns in small ones, and more if the host maps the memory, too.
constexpr double kClearByte = .5e-9;
// A collection is put off while results reuse memory, and while new memory has cost less than the
// collections. The debt is at most this multiple of the time of the last collection.
constexpr double kMostDebt = 8;

// The processor time of this thread. Unlike the time of day, it does not count other programs.
double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace

void** push_box(lua_State* L, State* state, int kind) {
  prepare_class(L, state, kind);
  auto* box = static_cast<Box*>(lua_newuserdata(L, sizeof(Box)));
  *box = {nullptr, tags + kind};
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->reference[kind]);
  lua_setmetatable(L, -2);
  const bool is_generator = kind == 2 * th::kDTypes;  // the collector frees it
  if (state->has_scopes && !is_generator) record_in_scope(L, *state);
  return &box->payload;
}

const char* tensor_class(DType type) {
#define TH_TYPE(Name, real, accreal, kind, ...) "torch." #Name "Tensor",
  static const char* const names[] = {
#include "THTypes.def"
  };
#undef TH_TYPE
  return names[static_cast<int>(type)];
}

const char* storage_class(DType type) {
#define TH_TYPE(Name, real, accreal, kind, ...) "torch." #Name "Storage",
  static const char* const names[] = {
#include "THTypes.def"
  };
#undef TH_TYPE
  return names[static_cast<int>(type)];
}

const char* exception_text(const std::exception& error) noexcept {
  return dynamic_cast<const std::bad_alloc*>(&error) ? "out of memory" : error.what();
}

int Guarded::raise(lua_State* L, const char* text) {
  lua_Debug frame;
  const char* name = nullptr;
  if (lua_getstack(L, 0, &frame) && lua_getinfo(L, "n", &frame)) name = frame.name;
  return name ? raise_error(L, "%s: %s", name, text) : raise_error(L, "%s", text);
}

void push_closure(lua_State* L, Guarded function, int upvalues) {
  lua_pushcclosure(L, function.function(), upvalues);
}

Object object_by_metatable(lua_State* L, State* state, int index) {
  Object object;
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return object;
  const int kind = state->kind_of(lua_topointer(L, -1));
  lua_pop(L, 1);
  auto** box = static_cast<void**>(lua_touserdata(L, index));
  if (kind >= 0) {
    if (compat_rawlen(L, index) < sizeof(void*)) return object;
    object.box = box;
    object.payload = *box;
    if (object.payload) object.kind = kind;
    return object;
  }
  // An object of a class derived from one of ours.
  for (int k = 0; k < kClasses; ++k) {
    const char* name = k < th::kDTypes       ? tensor_class(static_cast<DType>(k))
                       : k < 2 * th::kDTypes ? storage_class(static_cast<DType>(k - th::kDTypes))
                                             : "torch.Generator";
    if (void* payload = luaT_rawudata(L, index, name)) {
      object.box = box;
      object.payload = payload;
      object.kind = k;
      return object;
    }
  }
  return object;
}

void fail_freed(lua_State* L, int index) {
  argument_error(L, index, "a finalizer or tensor.scope has freed it");
  __builtin_unreachable();
}

th::Generator* default_generator(lua_State* L, const State* state) {
  if (!state->generator) raise_error(L, "the Lua state is closing, and its generator is gone");
  return state->generator;
}

namespace {
[[noreturn]] void fail_type(lua_State* L, const Object& object, int index, const char* expected) {
  if (object.box && !object.payload) fail_freed(L, index);
  const char* got = lua_type(L, index) == LUA_TNONE ? "no value" : shown_type(L, index);
  const char* colon = index == 1 && !object.box ? ": a method is called with a colon" : "";
  argument_error(L, index, lua_pushfstring(L, "%s expected, got %s%s", expected, got, colon));
  __builtin_unreachable();
}
}  // namespace

Tensor* check_tensor(lua_State* L, State* state, int index) {
  Object object = object_at(L, state, index);
  if (!object.is_tensor()) fail_type(L, object, index, "torch.*Tensor");
  return object.tensor();
}

Storage* check_storage(lua_State* L, State* state, int index) {
  Object object = object_at(L, state, index);
  if (!object.is_storage()) fail_type(L, object, index, "torch.*Storage");
  return object.storage();
}

void push_tensor(lua_State* L, State* state, Tensor* owned) {
  if (!owned) {
    lua_pushnil(L);
    return;
  }
  *push_box(L, state, static_cast<int>(owned->dtype)) = owned;
  state->objects++;
}

void push_storage(lua_State* L, State* state, Storage* owned) {
  if (!owned) {
    lua_pushnil(L);
    return;
  }
  *push_box(L, state, th::kDTypes + static_cast<int>(owned->dtype)) = owned;
  state->objects++;
}

Tensor* push_new_tensor(lua_State* L, State* state, DType type) {
  collect_under_pressure(L, state);
  void** box = push_box(L, state, static_cast<int>(type));
  try {
    *box = new Tensor(type);
  } catch (const std::bad_alloc&) {
  }
  if (!*box) raise_error(L, "%s: out of memory", tensor_class(type));
  auto* tensor = static_cast<Tensor*>(*box);
  state->objects++;
  state->last_pair[1] = nullptr;  // its address may be that of the new object
  return tensor;
}

Tensor* push_new_like(lua_State* L, State* state, int index, Tensor** like) {
  Object object = object_at(L, state, index);
  if (!object.is_tensor()) fail_type(L, object, index, "torch.*Tensor");
  Tensor* made = push_new_tensor(L, state, object.dtype());
  *like = static_cast<Tensor*>(payload(L, object, index));
  return made;
}

void end_marking(State* state) {
  state->marks = false;
  state->marked = seconds();
}

static int64_t memory_in_use() {
  const th::HeapUsage usage = th::heap_usage();
  return usage.bytes + usage.device_bytes;
}

// Runs one cycle of the garbage collector, or the rest of a cycle that has begun. A full collection
// would sweep all objects twice if a cycle has begun.
static void run_cycle(lua_State* L, const State& state) {
#if LUA_VERSION_NUM >= 504
  // In generational mode a step never ends a cycle. Setting the mode runs a full collection.
  if (lua_gc(L, LUA_GCINC, 0, 0, 0) == LUA_GCGEN) {
    lua_gc(L, LUA_GCGEN, 0, 0);
    return;
  }
#endif
  constexpr int kAll = 1 << 20, kMostSteps = 1000;  // KiB, and calls
  for (int steps = 0; !lua_gc(L, LUA_GCSTEP, kAll); ++steps) {
    if (steps < kMostSteps) continue;
    lua_gc(L, LUA_GCCOLLECT, 0);
    break;
  }
  // LuaJIT counts finalized objects as free memory and would begin the next cycle at once. Other
  // Luas begin it if they get this call.
  if (state.in_luajit()) lua_gc(L, LUA_GCRESTART, -1);
}

// Sets the limits for the next collection.
static void expect_more(lua_State* L, State* state, int64_t in_use) {
  const int64_t lua_heap = int64_t{lua_gc(L, LUA_GCCOUNT, 0)} << 10;
  // The last result before a collection may exceed this, so a fifth is left for it.
  const int64_t growth = (kSurelyCollected + in_use + lua_heap) / 5 * 4;
  state->after_collection = in_use;
  state->collect_at = in_use + state->garbage;
  state->surely_collect_at = in_use + growth;
  th::recycle_expect(in_use, growth);
}

// Collects garbage once 4 MiB may be garbage, so that the next result reuses a block that is still
// in the CPU cache. The threshold rises if collections take too large a part of the time, because
// Lua's own heap is large, or if they find little garbage. Without a collection the memory never
// grows to more than twice what was live after the last one, Lua's own heap included, and 64 MiB.
// Garbage of that size is kept for reuse, so that a collection returns no memory to the system.
__attribute__((noinline)) static void collect_if_due(lua_State* L, State* state, int64_t in_use,
                                                     int64_t of_objects) {
  // Memory freed by other threads does not count toward the garbage budget.
  if (in_use < state->after_collection || state->collect_at == 0) {
    if (state->collect_at == 0) state->fresh = th::recycle_fresh();
    state->garbage = kLeastGarbage;
    expect_more(L, state, in_use);
  }
  if (in_use + of_objects < state->collect_at) return;
  double start = seconds();
  const int64_t all_fresh = th::recycle_fresh();
  // The number is that of a thread, and the Lua state may have moved to another one.
  const int64_t fresh = std::max(all_fresh - state->fresh, int64_t{0});
  state->fresh = all_fresh;
  state->credit -= kClearByte * static_cast<double>(fresh);
  const int64_t garbage = in_use + of_objects - state->after_collection;
  const double other_parts = garbage < kCached ? kOtherParts : kLeastOtherParts;
  const bool is_cold = garbage >= kCold && state->collection_takes < kShort;
  if (in_use + of_objects < state->surely_collect_at && (fresh == 0 || state->credit > 0) &&
      !is_cold && start - state->collected < other_parts * state->collection_takes) {
    state->collect_at = in_use + of_objects + kLeastGarbage / 16;
    return;
  }
  const int64_t before = in_use;
  state->marks = true;
  run_cycle(L, *state);
  state->collected = seconds();
  // Finalizers take the same time for each object in small collections and large ones. Only the
  // part before them becomes rarer with more garbage.
  if (state->marks) state->marked = state->collected;
  state->marks = false;
  state->collection_takes = state->marked - start;
  state->credit = std::min(std::max(state->credit, -kMostDebt * state->collection_takes), 0.0) +
                  state->collection_takes;
  state->objects = 0;
  in_use = memory_in_use();
  const bool few = in_use - state->after_collection > (before - state->after_collection) / 2;
  state->garbage = few ? std::min(2 * state->garbage, kSurelyCollected) : kLeastGarbage;
  expect_more(L, state, in_use);
}

// Each new object calls this, so what is rarely needed is in another function.
void collect_under_pressure(lua_State* L, State* state) {
  const int64_t in_use = memory_in_use();
  const int64_t of_objects = state->objects * object_bytes;
  if (in_use < state->after_collection || in_use + of_objects >= state->collect_at) {
    collect_if_due(L, state, in_use, of_objects);
  }
}

double check_number(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER && !is_number(L, *registered_state(L), index)) {
    type_error(L, index, "number");
  }
  return lua_tonumber(L, index);
}

const char* check_string(lua_State* L, int index) {
  if (!lua_isstring(L, index)) type_error(L, index, "string");
  return lua_tostring(L, index);
}

const char* optional_string(lua_State* L, int index, const char* by_default) {
  return lua_isnoneornil(L, index) ? by_default : check_string(L, index);
}

void check_kind(lua_State* L, int index, int type) {
  if (lua_type(L, index) != type) type_error(L, index, lua_typename(L, type));
}

int64_t check_other_integer(lua_State* L, int index, const char* function, const char* parameter) {
  const double number = check_number(L, index);
  const th::Scalar scalar = read_scalar(L, index, DType::Long);
  if (scalar.integral) return scalar.i;
  const bool fits = number >= -0x1p63 && number < 0x1p63;
  const auto integer = fits ? static_cast<int64_t>(number) : 0;
  const bool exact = fits && static_cast<double>(integer) == number;
  if (exact || (fits && registered_state(L)->is_torch7(Rule::numbers))) return integer;
  const char* shown = push_number(L, number);
  if (!fits && number == std::trunc(number) && std::isfinite(number)) {
    const char* size = number < 0 ? "small" : "large";
    if (function) raise_error(L, "%s: %s %s is too %s", function, parameter, shown, size);
    argument_error(L, index, lua_pushfstring(L, "%s is too %s", shown, size));
  }
  if (function) raise_error(L, "%s: %s must be an integer, got %s", function, parameter, shown);
  argument_error(L, index, lua_pushfstring(L, "an integer is expected, got %s", shown));
  __builtin_unreachable();
}

int64_t check_integer_argument(lua_State* L, int index) {
  check_number(L, index);
  return check_integer(L, index);
}

double check_other_whole(lua_State* L, double number, const char* what) {
  if (number == std::floor(number) || number != number ||
      registered_state(L)->is_torch7(Rule::numbers)) {
    return std::trunc(number);
  }
  raise_error(L, "%s must be an integer, got %s", what, push_number(L, number));
  __builtin_unreachable();
}

const char* check_text(lua_State* L, int index, const char* function) {
  const char* text = check_string(L, index);
  if (std::strlen(text) != compat_rawlen(L, index)) {
    raise_error(L, "%s: the string contains a zero byte", function);
  }
  return text;
}

[[noreturn]] static void fail_misfit(lua_State* L, double number, DType type, const char* function,
                                     const char* advice = "") {
  raise_error(L, "%s: %s does not fit into elements of type %s%s", function, push_number(L, number),
              th::name(type), advice);
  __builtin_unreachable();
}

th::Scalar check_element(lua_State* L, int index, DType type, const char* function) {
  // Lua returns 0 for other values, so one call of Lua is enough for most numbers.
  const double number = lua_tonumber(L, index);
  if (number == 0 && !lua_isnumber(L, index)) type_error(L, index, "number");
  const th::Scalar scalar = read_scalar(L, index, type);
  if (th::holds(type, scalar)) return scalar;
  const bool finite = std::isfinite(number) || !th::is_integral(type);
  if (finite && registered_state(L)->is_torch7(Rule::numbers)) return number;
  fail_misfit(L, number, type, function, ": convert the tensor, as t:double() does");
}

th::Scalar check_listed_element(lua_State* L, int index, DType type, const char* function) {
  const th::Scalar scalar = read_scalar(L, index, type);
  if (th::holds(type, scalar)) return scalar;
  const double number = scalar.to_double();
  if (!registered_state(L)->is_torch7(Rule::numbers)) fail_misfit(L, number, type, function);
  return number;
}

int64_t check_other_index(lua_State* L, int index, const char* what, const char* function) {
  int64_t i = check_integer(L, index, function, what);
  if (i == 0 && function) {
    raise_error(L, "%s: %s 0 is out of range: numbers count from 1, or back from -1", function,
                what);
  }
  if (i == 0) argument_error(L, index, lua_pushfstring(L, "%s 0 is out of range", what));
  return i;
}

int read_sizes(lua_State* L, State* state, int first, int last, int64_t* sizes,
               const char* function, const char* what) {
  int count = 0;
  auto check_count = [&](int n) {
    if (n > th::kMaxDims) {
      argument_error(L, first,
                     lua_pushfstring(L,
                                     "%d sizes are given, a tensor has at most %d "
                                     "dimensions",
                                     n, th::kMaxDims));
    }
  };
  if (first == last) {
    Object object = object_at(L, state, first);
    if (object.is_storage() && object.dtype() == DType::Long) {
      Storage* storage = object.storage();
      check_count(
          static_cast<int>(storage->size > th::kMaxDims ? th::kMaxDims + 1 : storage->size));
      auto* data = static_cast<const int64_t*>(storage->cpu(th::Access::read));
      for (; count < storage->size; ++count) sizes[count] = data[count];
      return count;
    }
    if (lua_istable(L, first)) {
      int n = static_cast<int>(compat_rawlen(L, first));
      check_count(n);
      check_list(L, first);
      const int list = lua_gettop(L) + 1;
      lua_pushvalue(L, first);
      for (; count < n; ++count) {
        lua_rawgeti(L, list, count + 1);
        if (!lua_isnumber(L, -1)) {
          const char* got = shown_type(L, lua_gettop(L));
          argument_error(L, first,
                         lua_pushfstring(L, "number expected at position %d of the table, got %s",
                                         count + 1, got));
        }
        if (lua_type(L, -1) == LUA_TSTRING) {
          lua_pushnumber(L, lua_tonumber(L, -1));
          lua_replace(L, -2);
        }
        lua_replace(L, first);  // errors name the argument of the table
        sizes[count] = check_integer(L, first, function, what);
      }
      lua_replace(L, first);
      return count;
    }
  }
  check_count(last - first + 1);
  for (int i = first; i <= last; ++i) {
    if (!is_number(L, *state, i)) type_error(L, i, "number");
    sizes[count++] = check_integer(L, i, function, what);
  }
  return count;
}

void push_element(lua_State* L, DType type, const char* address) {
  th::dispatch(type, [&](auto zero) {
    auto value = th::load(*reinterpret_cast<const decltype(zero)*>(address));
    if constexpr (std::is_integral_v<decltype(value)>) {
      push_integer(L, value);
    } else {
      lua_pushnumber(L, static_cast<double>(value));
    }
  });
}

void trace_elements(lua_State* L, const char* function, Storage* s, th::ElementUse use) {
  if (!th::tracing()) return;
  th::trace_access(kElementAccess, s);
  protect(L, function, [&] { th::trace_use(s, use); });
}

void push_element_of(lua_State* L, Storage* storage, ptrdiff_t index) {
  if (th::tracing() && push_tracked_number(L, registered_state(L), storage, index)) return;
  th::trace_access(kElementAccess, storage);
  alignas(8) char element[8];
  protect(L, "indexing", [&] { th::storage_read(storage, index, element); });
  push_element(L, storage->dtype, element);
}

void write_element(DType type, char* address, const th::Scalar& value) {
  th::dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    *reinterpret_cast<T*>(address) = th::convert<T>(value);
  });
}

}  // namespace bind

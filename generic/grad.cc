// The native part of lua/core/grad.lua: tapes, and numbers that tapes track.

#include "grad/tape.h"

#include <algorithm>

#include "bindings.h"
#include "luaT.h"
#include "lua_compat.h"
#include "native.h"
#include "ops/ops.h"
#include "rows.h"

namespace bind {

using th::grad::Tape;

template <>
const char* Native<Tape>::key() {
  return "tensor.tape";
}

namespace {

// Keys in the registry: the Lua function that makes a tracked number of a DoubleTensor with one
// element; the function that calls an operation with tracked numbers; their metatable.
const char kMakeNumber = 0, kCallWithNumbers = 0, kMetatable = 0;

void push_value(lua_State* L, const char* key) {
  lua_pushlightuserdata(L, const_cast<char*>(key));
  lua_rawget(L, LUA_REGISTRYINDEX);
}

Tape& tape_at(lua_State* L, int index) {
  return Native<Tape>::check(L, index, "the tape is closed");
}

// tape(): a new tape.
int make(lua_State* L) {
  auto** box = Native<Tape>::push(L);
  *box = new Tape;
  return 1;
}
// close(tape): frees the tape, unless it is closed.
int close(lua_State* L) {
  luaL_checkudata(L, 1, Native<Tape>::key());
  return Native<Tape>::destroy(L);
}

// track(tape, t)
int track(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  protect(L, "grad", [&] { tape.track(t); });
  return 0;
}

// tracks(tape, t): true if t depends on tracked tensors.
int tracks(lua_State* L) {
  lua_pushboolean(L, tape_at(L, 1).tracks(*check_tensor(L, state_of(L), 2)));
  return 1;
}
// tracked(t): the same for all tapes that record.
int tracked(lua_State* L) {
  lua_pushboolean(L, th::grad::is_tracked(check_tensor(L, state_of(L), 1)->storage));
  return 1;
}
// lost_dependence(tape): true if a result that depends on tracked tensors is empty. It is not
// tracked.
int lost_dependence(lua_State* L) {
  lua_pushboolean(L, tape_at(L, 1).has_lost_dependence());
  return 1;
}
// can_track(t): true if track accepts the tensor itself, instead of a copy.
int can_track(lua_State* L) {
  const Tensor* t = check_tensor(L, state_of(L), 1);
  lua_pushboolean(L, !th::has_shared_elements(*t) && !th::grad::is_tracked(t->storage));
  return 1;
}

// add_gradient(tape, t, gradient)
int add_gradient(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  Tensor* gradient = check_tensor(L, state_of(L), 3);
  protect(L, "grad", [&] { tape.add_gradient(t, gradient); });
  return 0;
}

// Pushes a list of the values of the operands or results of the custom entry, or of the gradients
// of its results (false: 0).
enum class Part { operands, results, gradients };
void push_part(lua_State* L, const Tape& tape, Part part) {
  lua_newtable(L);
  int count = 0;
  for (const th::grad::Operand& o : tape.custom_entry().operands) {
    if (o.result != (part != Part::operands)) continue;
    Tensor* t = part == Part::gradients ? o.gradient.get() : o.value.get();
    if (t) {
      th::tensor_retain(t);
      push_tensor(L, state_of(L), t);
    } else {
      lua_pushboolean(L, 0);
    }
    lua_rawseti(L, -2, ++count);
  }
}

// watch(tape, t): run reports when the gradient of t is complete.
int watch(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  protect(L, "grad", [&] { tape.watch(*t); });
  return 0;
}

// run(tape): nil at the end; -n if the gradient of the n-th watched tensor is complete; else the
// number of a custom rule, and lists of the gradients of its
// results (false: 0), of its results and of its operands.
int run(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  int64_t custom = 0;
  protect(L, "grad", [&] { custom = tape.run(); });
  if (!custom) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(custom));
  if (custom < 0) return 1;
  for (Part part : {Part::gradients, Part::results, Part::operands}) push_part(L, tape, part);
  return 4;
}

// rewind(tape): before each of several reverse passes.
int rewind(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  protect(L, "grad", [&] { tape.rewind(); });
  return 0;
}

// give(tape, number of the operand, gradient)
int give(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  const auto operand = static_cast<size_t>(luaL_checkinteger(L, 2) - 1);
  Tensor* gradient = check_tensor(L, state_of(L), 3);
  protect(L, "grad", [&] { tape.give(operand, gradient); });
  return 0;
}

// gradient(tape, t): a new tensor.
int gradient(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  th::TensorRef result;
  protect(L, "grad", [&] { result = tape.gradient(*t); });
  push_tensor(L, state_of(L), result.release());
  return 1;
}

// Calls f(tensors) for the tensors of the table at stack index 2. Errors name the function at 3.
template <class F>
void with_list(lua_State* L, const F& f) {
  State* state = state_of(L);
  check_kind(L, 2, LUA_TTABLE);
  const int count = static_cast<int>(compat_rawlen(L, 2));
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, 2, k);
    check_tensor(L, state, -1);
    lua_pop(L, 1);
  }
  protect(L, luaL_optstring(L, 3, "grad"), [&] {
    std::vector<Tensor*> tensors;
    for (int k = 1; k <= count; ++k) {
      lua_rawgeti(L, 2, k);
      tensors.push_back(object_at(L, state, -1).tensor());
      lua_pop(L, 1);
    }
    f(tensors);
  });
}

// begin(number, {operands}, name): begins a computation that the caller differentiates, in each
// tape of this thread. finish(number, {results}, name) ends it. Between them, resume(true, ...)
// runs it.
int begin(lua_State* L) {
  const auto custom = static_cast<int64_t>(luaL_checkinteger(L, 1));
  with_list(L, [&](const std::vector<Tensor*>& operands) {
    for (Tape* tape : th::grad::recording_tapes()) {
      if (!tape->is_paused()) tape->begin_custom(operands, custom);
    }
  });
  return 0;
}
int finish(lua_State* L) {
  const auto custom = static_cast<int64_t>(luaL_checkinteger(L, 1));
  with_list(L, [&](const std::vector<Tensor*>& results) {
    for (Tape* tape : th::grad::recording_tapes()) tape->end_custom(results, custom);
  });
  return 0;
}

// share_storage(unused, {tensors}): true if two of them have the same storage.
int share_storage(lua_State* L) {
  bool found = false;
  with_list(L, [&](const std::vector<Tensor*>& tensors) {
    for (size_t k = 0; k < tensors.size(); ++k) {
      for (size_t j = 0; j < k; ++j) {
        found |= tensors[k]->storage && tensors[k]->storage == tensors[j]->storage;
      }
    }
  });
  lua_pushboolean(L, found);
  return 1;
}

// is_operand(t): true if t shares the storage of an operand, which the computation has not written.
int is_operand(lua_State* L) {
  const Tensor* t = check_tensor(L, state_of(L), 1);
  bool found = false;
  for (const Tape* tape : th::grad::recording_tapes()) found |= tape->is_unwritten_operand(*t);
  lua_pushboolean(L, found);
  return 1;
}

// is_active(): true if a tape records the operations of this thread.
int is_active(lua_State* L) {
  lua_pushboolean(L, th::grad::is_recording());
  return 1;
}

// add_one(tape, t): add_gradient of 1, for a tensor of one element.
int add_one(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  Tensor* t = check_tensor(L, state_of(L), 2);
  protect(L, "grad", [&] { tape.add_one(t); });
  return 0;
}

// start(tape): begins to record. An error of resume would leave its callers in the middle of a run.
int start(lua_State* L) {
  Tape& tape = tape_at(L, 1);
  protect(L, "grad", [&] { tape.start(); });
  return 0;
}

// resume(scope, thread, ...): resumes a coroutine. scope: a tape, which records its operations;
// true: they belong to a computation of begin(); false: they are not recorded. Returns the same as
// push_resumed. No Lua code runs here but the coroutine's, so neither errors nor hooks leave a tape
// behind.
int resume_in(lua_State* L) {
  Tape* tape = lua_isboolean(L, 1) ? nullptr : &tape_at(L, 1);
  const bool custom = lua_toboolean(L, 1);
  int count = 0, results = 0;
  lua_State* thread = take_coroutine(L, 2, &count);
  if (!thread) return 2;
  if (tape) {
    tape->start();
  } else {
    th::grad::pause(true, custom);
  }
  const int status = resume(thread, L, count, &results);
  if (tape) {
    tape->stop();
  } else {
    th::grad::pause(false, custom);
  }
  return push_resumed(L, thread, status, results);
}

// Gives r the sizes of t and strides of the same kind: the dimensions have the order that they have
// in t's memory, and the same ones can be merged. r is contiguous if elements of t share memory.
void take_layout(Tensor* r, const Tensor& t) {
  const int dims = t.nDimension;
  int order[th::kMaxDims], count = 0;  // dimensions of several elements, the innermost first
  for (int d = 0; d < dims; ++d) {
    if (t.size[d] > 1) order[count++] = d;
  }
  std::stable_sort(order, order + count, [&](int a, int b) { return t.stride[a] < t.stride[b]; });
  if (t.numel() == 0 || is_contiguous(t) || t.stride[order[0]] == 0) return th::resize_as(r, t);
  int64_t stride[th::kMaxDims];
  std::fill(stride, stride + dims, 1);
  stride[order[0]] = t.stride[order[0]] == 1 ? 1 : 2;
  for (int k = 1; k < count; ++k) {
    const int d = order[k], inner = order[k - 1];
    const bool merge = t.stride[d] == t.size[inner] * t.stride[inner];
    stride[d] = t.size[inner] * stride[inner] + (merge ? 0 : 1);
  }
  th::resize(r, dims, t.size, stride);
}

// copied(t): a copy on which functions act as they do on t, because it has t's layout.
int copied(lua_State* L) {
  Tensor* t = nullptr;
  Tensor* copy = push_new_like(L, state_of(L), 1, &t);
  protect(L, "grad", [&] {
    take_layout(copy, *t);
    th::trace_allocation(*copy);
    th::ops::copy(copy, t);
  });
  return 1;
}

// detached(t [, like]): a copy that depends on nothing. It is contiguous, or with `like` as
// copied(t).
int detached(lua_State* L) {
  const bool like = lua_toboolean(L, 2);
  Tensor* t = nullptr;
  Tensor* copy = push_new_like(L, state_of(L), 1, &t);
  protect(L, "stopGradient", [&] {
    th::grad::Pause pause;
    if (like) {
      take_layout(copy, *t);
    } else {
      th::resize_as(copy, *t);
    }
    th::trace_allocation(*copy);
    th::ops::copy(copy, t);
  });
  return 1;
}

// numbers(make, call, metatable): sets the values of the keys above.
int numbers(lua_State* L) {
  const char* const keys[] = {&kMakeNumber, &kCallWithNumbers, &kMetatable};
  for (int k = 0; k < 3; ++k) {
    lua_pushlightuserdata(L, const_cast<char*>(keys[k]));
    lua_pushvalue(L, k + 1);
    lua_rawset(L, LUA_REGISTRYINDEX);
  }
  return 0;
}

// element_wise(): the set of the names of the element-wise functions of two tensors.
int element_wise(lua_State* L) {
  lua_newtable(L);
  for (int k = 0; k < kRows; ++k) {
    const Row& row = row_at(k);
    const th::OpRow& op = *row.op;
    if (!(op.flags & th::row_flag::element_wise) || op.count != 3) continue;
    if (!op.parameters[1].is_operand() || !op.parameters[2].is_operand()) continue;
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, row.lua);
  }
  return 1;
}

const Method functions[] = {{"tape", guarded<make>},
                            {"close", guarded<close>},
                            {"track", guarded<track>},
                            {"tracks", guarded<tracks>},
                            {"lost_dependence", guarded<lost_dependence>},
                            {"tracked", guarded<tracked>},
                            {"can_track", guarded<can_track>},
                            {"add_gradient", guarded<add_gradient>},
                            {"watch", guarded<watch>},
                            {"run", guarded<run>},
                            {"rewind", guarded<rewind>},
                            {"give", guarded<give>},
                            {"gradient", guarded<gradient>},
                            {"begin", guarded<begin>},
                            {"finish", guarded<finish>},
                            {"share_storage", guarded<share_storage>},
                            {"is_operand", guarded<is_operand>},
                            {"is_active", guarded<is_active>},
                            {"add_one", guarded<add_one>},
                            {"start", guarded<start>},
                            {"resume", guarded<resume_in>},
                            {"copied", guarded<copied>},
                            {"detached", guarded<detached>},
                            {"numbers", guarded<numbers>},
                            {"element_wise", guarded<element_wise>}};

void push_number(lua_State* L, State* state, th::TensorRef number) {
  push_value(L, &kMakeNumber);
  push_tensor(L, state, number.release());
  lua_call(L, 1, 1);
}

}  // namespace

// The number is a copy of the element, because the element may be overwritten.
bool push_tracked_number(lua_State* L, State* state, Storage* storage, ptrdiff_t index) {
  if (!th::grad::is_tracked(storage)) return false;
  th::TensorRef number;
  protect(L, "indexing", [&] {
    th::StorageRef element(th::storage_new(DType::Double));
    th::storage_resize(element.get(), 1);
    th::TensorRef copy = th::vector_of(element.get(), 0, 1);
    th::trace_allocation(*copy);
    th::ops::copy(copy.get(), th::vector_of(storage, index, 1).get());
    number = std::move(copy);
  });
  push_number(L, state, std::move(number));
  return true;
}

bool is_tracked_number(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) return false;
  push_value(L, &kMetatable);
  const bool result = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return result;
}

void refuse_tracked_number(lua_State* L, int index, const char* function) {
  if (!is_tracked_number(L, index)) return;
  raise_error(L,
              "%s: a number that depends on the arguments of a gradient is not accepted here; "
              "n:item() is its value",
              function);
}

Tensor* tracked_number_at(lua_State* L, State* state, int index) {
  if (!is_tracked_number(L, index)) return nullptr;
  lua_getfield(L, index, "tensor");
  const Object object = object_at(L, state, -1);
  lua_pop(L, 1);
  const bool is_number =
      object.is_tensor() && object.dtype() == DType::Double && object.tensor()->numel() == 1;
  return is_number ? object.tensor() : nullptr;
}

void write_tracked_number(lua_State* L, const char* function, Storage* storage, ptrdiff_t first,
                          ptrdiff_t n, int number) {
  Tensor* value = tracked_number_at(L, state_of(L), number);
  if (!value) {
    raise_error(
        L,
        "%s: the field 'tensor' of a number that depends on the arguments of a gradient was "
        "replaced",
        function);
  }
  refuse_held(L, state_of(L), function, storage);
  protect(L, function, [&] { th::ops::copy(th::vector_of(storage, first, n).get(), value); });
}

void read_tracked_number(lua_State* L, int index) {
  if (!is_tracked_number(L, index)) return;
  lua_getfield(L, index, "tensor");
  lua_replace(L, index);
}

bool push_returned_number(lua_State* L, State* state) {
  Tensor* number = th::grad::tracked_number();
  if (!number || !th::grad::is_tracked(number->storage)) return false;
  th::tensor_retain(number);
  push_number(L, state, th::TensorRef(number));
  return true;
}

bool call_with_tracked_numbers(lua_State* L, const char* name, int count, bool is_method) {
  bool any = false;
  for (int k = 1; k <= count; ++k) any = any || is_tracked_number(L, k);
  if (!any) return false;
  push_value(L, &kCallWithNumbers);
  lua_pushstring(L, name);
  lua_pushboolean(L, is_method);
  for (int k = 1; k <= count; ++k) lua_pushvalue(L, k);
  lua_call(L, count + 2, 1);
  return true;
}

void register_grad_functions(lua_State* L, int module) {
  lua_newtable(L);
  set_functions(L, functions, lua_gettop(L));
  lua_setfield(L, module, "_grad");
}

}  // namespace bind

// The native part of lua/extras/dist.lua: groups, calls and handles. Ranks count from 0 here.

#include "dist/message.h"

#include <algorithm>
#include <atomic>

#include "bindings.h"
#include "native.h"

namespace bind {

namespace {

using th::dist::Combine;
using th::dist::GroupPtr;
using th::dist::Mode;
using th::dist::Way;
using th::dist::WorkPtr;

struct GroupBox {
  GroupPtr group;
};
struct WorkBox {
  WorkPtr work;
};

}  // namespace

template <>
const char* Native<GroupBox>::key() {
  return "tensor.dist.group";
}
template <>
const char* Native<WorkBox>::key() {
  return "tensor.dist.work";
}

namespace {

const GroupPtr& group_at(lua_State* L, int index) {
  return Native<GroupBox>::check(L, index).group;
}

int rank_at(lua_State* L, int index) { return static_cast<int>(check_integer(L, index)); }

// start([transport]): the group of all ranks.
int start(lua_State* L) {
  const char* transport = optional_string(L, 1, nullptr);
  GroupBox** box = Native<GroupBox>::push(L);
  protect(L, "init", [&] { *box = new GroupBox{th::dist::start(transport)}; });
  return 1;
}

// info(group): rank, size, local rank, local size, library.
int info(lua_State* L) {
  const GroupPtr& group = group_at(L, 1);
  const th::dist::TransportInfo& info = group->engine().info();
  for (int number : {group->rank(), group->size(), info.local_rank, info.local_size}) {
    lua_pushinteger(L, number);
  }
  lua_pushstring(L, info.library);
  return 5;
}

int timeout(lua_State* L) {
  if (!lua_isnoneornil(L, 1)) {
    const double seconds = check_number(L, 1);
    protect(L, "init", [&] { th::dist::set_timeout(seconds); });
  }
  lua_pushnumber(L, th::dist::Engine::instance().timeout());
  return 1;
}

// The garbage collector sees little of a group, but MPI has few: at least 2,000 in MPICH.
void collect_groups(lua_State* L) {
  static std::atomic<int64_t> limit{256};
  if (th::dist::Group::count() < limit) return;
  lua_gc(L, LUA_GCCOLLECT, 0);
  limit = std::max<int64_t>(256, 2 * th::dist::Group::count());
}

// split(group, color, key, detail): a group, or false for a negative color.
int split(lua_State* L) {
  const GroupPtr& group = group_at(L, 1);
  collect_groups(L);
  const int color = rank_at(L, 2), key = rank_at(L, 3);
  const char* detail = optional_string(L, 4, "");
  GroupBox** box = Native<GroupBox>::push(L);
  bool is_member = false;
  protect(L, "split", [&] {
    *box = new GroupBox{group->split(color, key, detail)};
    is_member = (*box)->group != nullptr;
  });
  if (!is_member) lua_pushboolean(L, 0);
  return 1;
}

int end_all(lua_State* L) {
  const int status = rank_at(L, 1);
  th::dist::abort(status);
}

// ---- calls --------------------------------------------------------------------------------------

// The arguments of a call: group, name, result or nil, tensor or nil, reduction or nil, root or
// other rank, mode (true: copying, 'owning'), detail or nil (dist::Way).
struct Arguments {
  explicit Arguments(const GroupPtr& all) : group(all) {}
  const GroupPtr& group;
  Tensor* r = nullptr;
  Tensor* t = nullptr;
  const char* reduction = "sum";
  int root = 0;
  Way way = Mode::blocking;
};

using Function = WorkPtr (*)(const Arguments&);

struct Named {
  const char* name;
  Function function;
};

const Named kCalls[] = {
    {"barrier", [](const Arguments& a) { return th::dist::barrier(a.group, a.way); }},
    {"broadcast",
     [](const Arguments& a) { return th::dist::broadcast(a.group, a.t, a.root, a.way); }},
    {"allReduce",
     [](const Arguments& a) {
       return th::dist::all_reduce(a.group, a.t, th::dist::combine_named(a.reduction), a.way);
     }},
    {"reduce",
     [](const Arguments& a) {
       return th::dist::reduce(a.group, a.t, th::dist::combine_named(a.reduction), a.root, a.way);
     }},
    {"allGather",
     [](const Arguments& a) { return th::dist::all_gather(a.group, a.r, a.t, a.way); }},
    {"gather",
     [](const Arguments& a) { return th::dist::gather(a.group, a.r, a.t, a.root, a.way); }},
    {"scatter",
     [](const Arguments& a) { return th::dist::scatter(a.group, a.r, a.t, a.root, a.way); }},
    {"reduceScatter",
     [](const Arguments& a) {
       return th::dist::reduce_scatter(a.group, a.r, a.t, th::dist::combine_named(a.reduction),
                                       a.way);
     }},
    {"allToAll", [](const Arguments& a) { return th::dist::all_to_all(a.group, a.r, a.t, a.way); }},
    {"send",
     [](const Arguments& a) { return th::dist::send(a.group, a.t, a.root, false, a.way.mode); }},
    {"sendValue",
     [](const Arguments& a) { return th::dist::send(a.group, a.t, a.root, true, a.way.mode); }},
    {"receive",
     [](const Arguments& a) { return th::dist::receive(a.group, a.t, a.root, a.way.mode); }},
};

// call(group, name, r, t, reduction, root, mode, detail): a handle if the call has not ended.
int call(lua_State* L) {
  State* state = state_of(L);
  const char* name = check_string(L, 2);
  const Named* found = nullptr;
  for (const Named& candidate : kCalls) {
    if (!std::strcmp(candidate.name, name)) found = &candidate;
  }
  if (!found) return luaL_argerror(L, 2, "no such call");
  lua_settop(L, 8);
  WorkBox** box = lua_toboolean(L, 7) ? Native<WorkBox>::push(L) : nullptr;
  Arguments a(group_at(L, 1));
  a.reduction = optional_string(L, 5, "sum");
  a.root = lua_isnil(L, 6) ? 0 : rank_at(L, 6);
  if (box) a.way.mode = lua_isstring(L, 7) ? Mode::owning : Mode::copying;
  if (!lua_isnil(L, 8)) a.way.detail = check_string(L, 8);
  // Last, because finalizers that run in an allocation may free tensors.
  if (!lua_isnil(L, 3)) a.r = check_tensor(L, state, 3);
  if (!lua_isnil(L, 4)) a.t = check_tensor(L, state, 4);
  for (Tensor* t : {a.r, a.t}) {
    if (t) refuse_held(L, state, name, t->storage);
  }
  protect(L, name, [&] {
    WorkPtr work = found->function(a);
    if (box) *box = new WorkBox{std::move(work)};
  });
  return box ? 1 : 0;
}

// hash(t): a LongTensor with one element, a hash of the elements' bytes in order.
int hash(lua_State* L) {
  State* state = state_of(L);
  push_new_tensor(L, state, DType::Long);
  Tensor* r = check_tensor(L, state, -1);
  Tensor* t = check_tensor(L, state, 1);
  protect(L, "check", [&] { th::dist::hash(r, t); });
  return 1;
}

// receive(group, from): a tensor, and true if it is a serialized value.
int receive_any(lua_State* L) {
  collect_under_pressure(L, state_of(L));
  const GroupPtr& group = group_at(L, 1);
  const int from = rank_at(L, 2);
  th::TensorRef t;
  bool is_value = false;
  protect(L, "receive", [&] { t = th::dist::receive_any(group, from, &is_value); });
  push_tensor(L, state_of(L), t.release());
  lua_pushboolean(L, is_value);
  return 2;
}

int wait(lua_State* L) {
  WorkBox& box = Native<WorkBox>::check(L, 1);
  if (!box.work) return 0;
  protect(L, "wait", [&] { box.work->wait(); });
  box.work.reset();
  return 0;
}

int is_done(lua_State* L) {
  WorkBox& box = Native<WorkBox>::check(L, 1);
  bool done = true;
  protect(L, "isDone", [&] { done = !box.work || box.work->is_done(); });
  lua_pushboolean(L, done);
  return 1;
}

const Method functions[] = {{"start", guarded<start>},
                            {"info", guarded<info>},
                            {"timeout", guarded<timeout>},
                            {"split", guarded<split>},
                            {"abort", guarded<end_all>},
                            {"call", guarded<call>},
                            {"receive_any", guarded<receive_any>},
                            {"wait", guarded<wait>},
                            {"is_done", guarded<is_done>},
                            {"hash", guarded<hash>}};

}  // namespace

void register_dist_functions(lua_State* L, int module) {
  set_function_table(L, functions, module, "_dist");
}

}  // namespace bind

// torch.Timer: wall-clock time, and user and system CPU time of the process, in seconds. It runs
// when created; stop and resume may be called any number of times.

#include <sys/resource.h>

#include <chrono>
#include <new>

#include "bindings.h"
#include "luaT.h"

namespace bind {

namespace {

constexpr const char* kClass = "torch.Timer";

struct Times {
  double real = 0, user = 0, sys = 0;
};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

Times now() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::chrono::duration<double> real = std::chrono::steady_clock::now().time_since_epoch();
  return {real.count(), seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

struct Timer {
  bool running = true;
  Times start = now();
  Times before;  // sum over the completed spans

  Times total() const {
    if (!running) return before;
    Times t = now();
    return {before.real + t.real - start.real, before.user + t.user - start.user,
            before.sys + t.sys - start.sys};
  }
};

Timer* check_timer(lua_State* L) { return static_cast<Timer*>(luaT_checkudata(L, 1, kClass)); }

int construct(lua_State* L) {
  auto** box = static_cast<void**>(lua_newuserdata(L, sizeof(void*)));
  *box = nullptr;
  luaL_getmetatable(L, kClass);
  lua_setmetatable(L, -2);
  *box = new (std::nothrow) Timer;
  if (!*box) return raise_error(L, "Timer: out of memory");
  return 1;
}

int destroy(lua_State* L) {
  delete static_cast<Timer*>(luaT_rawudata(L, 1, kClass));
  return 0;
}

int reset(lua_State* L) {
  Timer* timer = check_timer(L);
  timer->before = {};
  timer->start = now();
  return return_self(L);
}

int stop(lua_State* L) {
  Timer* timer = check_timer(L);
  timer->before = timer->total();
  timer->running = false;
  return return_self(L);
}

int resume(lua_State* L) {
  Timer* timer = check_timer(L);
  if (!timer->running) timer->start = now();
  timer->running = true;
  return return_self(L);
}

int time(lua_State* L) {
  Times total = check_timer(L)->total();
  lua_createtable(L, 0, 3);
  lua_pushnumber(L, total.real);
  lua_setfield(L, -2, "real");
  lua_pushnumber(L, total.user);
  lua_setfield(L, -2, "user");
  lua_pushnumber(L, total.sys);
  lua_setfield(L, -2, "sys");
  return 1;
}

int to_string(lua_State* L) {
  lua_pushfstring(L, "%s [status: %s]", kClass, check_timer(L)->running ? "running" : "stopped");
  return 1;
}

const Method methods[] = {{"reset", guarded<reset, 1>},
                          {"stop", guarded<stop, 1>},
                          {"resume", guarded<resume, 1>},
                          {"time", guarded<time, 1>},
                          {"__tostring__", guarded<to_string>}};

}  // namespace

void register_timer_class(lua_State* L, int module) {
  luaT_newlocalmetatable(L, kClass, nullptr, guarded<construct, 0>.function(),
                         guarded<destroy>.function(), nullptr, module);
  set_functions(L, methods, lua_gettop(L));
  lua_pop(L, 1);
}

}  // namespace bind

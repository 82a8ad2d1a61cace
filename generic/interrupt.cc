// Ctrl-C for the REPL. The first press has Lua's hook raise an error, which stops code that is
// interpreted. Compiled code looks at no hook: the REPL puts a call of interrupt_pressed into the
// loops and functions that are typed in. What does not stop is ended by nobody but the user, who is
// asked when he presses again.

#include "bindings.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bind {

namespace {

volatile sig_atomic_t waiting = 0;  // presses that Lua has not seen
volatile sig_atomic_t presses = 0;  // since this piece of code began
lua_State* caught = nullptr;        // whose code is interrupted; null: none
pthread_t lua_thread;

// From the second press on while the first is not seen, and for code that catches the error.
constexpr sig_atomic_t kPatience = 3;

void stop(lua_State* L, lua_Debug*) {
  lua_sethook(L, nullptr, 0, 0);
  waiting = 0;
  luaL_error(L, "interrupted");
}

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// Nothing but what a signal handler may call. An answer is a line; the end of input is a no.
void ask_to_end() {
  say("\nThe code has not stopped: a call into C ends first, a loop that a module has compiled\n"
      "may never. End the session, and lose what is in it? [y/N] ");
  char first = '\n', c = 0;
  for (bool begun = false; read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) {
    if (!begun) first = c;
    begun = true;
  }
  if (first == 'y' || first == 'Y') _exit(130);
}

void on_press(int signal) {
  // Threads of OpenMP are no place to touch Lua from.
  if (!pthread_equal(pthread_self(), lua_thread)) {
    pthread_kill(lua_thread, signal);
    return;
  }
  int kept = errno;
  presses = presses + 1;
  if (waiting || presses >= kPatience) {
    ask_to_end();
  } else if (caught) {
    waiting = 1;
    lua_sethook(caught, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
  }
  errno = kept;
}

int pressed() { return waiting; }

// _catchinterrupts(on): while it is on, Ctrl-C interrupts; while it is off nothing happens.
int catch_interrupts(lua_State* L) {
  bool on = lua_toboolean(L, 1);
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART: a read from the terminal ends, too.
  action.sa_handler = on ? on_press : SIG_IGN;
  waiting = presses = 0;
  lua_thread = pthread_self();
  caught = on ? L : nullptr;
  sigaction(SIGINT, &action, nullptr);
  if (!on && lua_gethook(L) == stop) lua_sethook(L, nullptr, 0, 0);
  return 0;
}

// _interruptpressed(): the address of int pressed(void).
int interrupt_pressed(lua_State* L) {
  push_integer(L, reinterpret_cast<uintptr_t>(&pressed));
  return 1;
}

const Method functions[] = {{"_catchinterrupts", guarded<catch_interrupts>},
                            {"_interruptpressed", guarded<interrupt_pressed>}};

}  // namespace

void register_interrupt_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind

// Ctrl-C for the REPL. The first press sets a debug hook that raises an error and so stops
// interpreted code. JIT-compiled code ignores debug hooks, so the REPL inserts a call of
// interrupt_pressed into the loops and functions that the user types. If the code does not stop, a
// line reports it, and a further press asks the user whether to end the session.

#include "bindings.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace bind {

namespace {

std::atomic<int> waiting{0};        // 1 if a press has not yet raised its error
volatile sig_atomic_t presses = 0;  // number of presses since the current input started to run
lua_State* caught = nullptr;        // the Lua thread to interrupt; null: none
pthread_t lua_thread;

// Ask on the third press even if each press raised its error: the code may catch it. A press that
// comes while the previous one is pending asks at once.
constexpr sig_atomic_t kPatience = 3;

void stop(lua_State* L, lua_Debug*) {
  lua_sethook(L, nullptr, 0, 0);
  waiting = 0;
  luaL_error(L, "interrupted");
}

void say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// A thread that reports presses without an effect. A signal handler may wake it, but cannot wait.
sem_t pressed_once;
constexpr useconds_t kPatienceOfUsers = 400000;

void* report_waiting(void*) {
  for (;;) {
    while (sem_wait(&pressed_once) != 0) {
    }
    usleep(kPatienceOfUsers);
    if (waiting) {
      say("waiting for a C call to end; Ctrl-C again asks whether to end the session\n");
    }
  }
}

// Starts the thread at the first call. Without it, nothing is reported.
void start_reports() {
  static bool started = false;
  if (started || sem_init(&pressed_once, 0, 0) != 0) return;
  started = true;
  // Signals are for the thread of Lua.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, report_waiting, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Uses only async-signal-safe functions. Reads one line as the answer; end of input means no.
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
  // A signal that arrives in another thread is forwarded: only the Lua thread may touch Lua.
  if (!pthread_equal(pthread_self(), lua_thread)) {
    pthread_kill(lua_thread, signal);
    return;
  }
  int saved_errno = errno;
  presses = presses + 1;
  if (waiting || presses >= kPatience) {
    ask_to_end();
  } else if (caught) {
    waiting = 1;
    lua_sethook(caught, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKCOUNT, 1);
    sem_post(&pressed_once);
  }
  errno = saved_errno;
}

// Does nothing, but ends a read from the terminal, which SIG_IGN would not.
void end_read(int) {}

int pressed() { return waiting; }

// _catchinterrupts(on): if on is true, Ctrl-C interrupts the running code; otherwise it only ends a
// read from the terminal.
int catch_interrupts(lua_State* L) {
  bool on = lua_toboolean(L, 1);
  if (on) start_reports();
  struct sigaction action = {};
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that Ctrl-C also ends a read from the terminal.
  action.sa_handler = on ? on_press : end_read;
  waiting = 0;
  presses = 0;
  lua_thread = pthread_self();
  caught = on ? L : nullptr;
  sigaction(SIGINT, &action, nullptr);
  if (!on && lua_gethook(L) == stop) lua_sethook(L, nullptr, 0, 0);
  return 0;
}

// _interruptpressed(): returns the address of the function int pressed(void).
int interrupt_pressed(lua_State* L) {
  push_integer(L, reinterpret_cast<uintptr_t>(&pressed));
  return 1;
}

const Method functions[] = {{"_catchinterrupts", guarded<catch_interrupts>},
                            {"_interruptpressed", guarded<interrupt_pressed>}};

}  // namespace

void raise_interrupt(lua_State* L, lua_Hook before) {
  if (waiting && pthread_equal(pthread_self(), lua_thread)) stop(L, nullptr);
  if (lua_gethook(L) != before) luaL_error(L, "interrupted");
}

void register_interrupt_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind

// Threads with Lua states of their own: the native part of lua/extras/data/workers.lua. A pool runs
// jobs. Jobs, results and the setup of a pool are messages: lists of values that need no Lua state.

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <variant>

#include "bindings.h"
#include "dependencies.h"
#include "native.h"

// A program that contains Lua may lack this function, which only threads need.
extern "C" {
#include "lualib.h"
__attribute__((weak)) void luaL_openlibs(lua_State* L);
}

namespace bind {

namespace {

// Two threads must not change the sizes of the same tensor, so each gets a view of its own.
Tensor* new_view(const Tensor& t) {
  t.check_storage();  // making a view would extend the storage
  th::TensorRef view(th::tensor_new(t.dtype));
  th::set_storage(view.get(), t.storage, t.storageOffset, t.nDimension, t.size, t.stride);
  return view.release();
}

using Value = std::variant<bool, double, int64_t, std::string, th::TensorRef>;
using Message = std::vector<Value>;

// How long the end of a pool waits for threads that prepare a batch.
constexpr auto kPatience = std::chrono::seconds(5);

class Pool;
// The pool of this thread; null in threads that are not of a pool.
thread_local Pool* own_pool = nullptr;

// Threads and their queue of jobs, which are numbered from 1.
class Pool {
 public:
  Pool(std::string code, Message&& setup) : code_(std::move(code)), setup_(std::move(setup)) {}

  // Starts as many threads as possible, at most `count`.
  static void start(const std::shared_ptr<Pool>& pool, int count) {
    std::lock_guard<std::mutex> lock(pool->mutex_);
    for (int k = 0; k < count && !pool->is_stopped_; ++k) {
      try {
        pool->threads_.emplace_back([pool] {
          pool->run();
          pool->end();
        });
        ++pool->running_;
      } catch (const std::exception&) {
        if (k == 0) throw;
        return;
      }
    }
  }

  // Waits until the threads have ended their jobs, unless another caller does so already. After
  // kPatience it leaves the threads behind: they end after their jobs. In a child process of fork
  // there are none.
  void stop() noexcept {
    if (is_foreign()) return;
    std::vector<std::thread> threads;
    bool have_ended = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      is_stopped_ = true;
      jobs_.clear();
      results_.clear();
      threads.swap(threads_);
      submitted_.notify_all();
      finished_.notify_all();
      if (threads.empty()) return;
      have_ended = ended_.wait_for(lock, kPatience, [&] { return running_ == own(); });
    }
    for (std::thread& thread : threads) {
      if (!have_ended || thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
      } else {
        thread.join();
      }
    }
  }

  // Returns true if other threads than the caller's run.
  bool is_running() {
    if (is_foreign()) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    return running_ > own();
  }

  bool is_foreign() const noexcept { return process_ != getpid(); }

  int64_t submit(Message&& message) {
    check_process();
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopped_) th::fail("the threads have been stopped");
    jobs_.emplace_back(last_ + 1, std::move(message));
    submitted_.notify_one();
    return ++last_;
  }

  // Drops the jobs that have been submitted, and their results.
  void drop() {
    check_process();
    std::lock_guard<std::mutex> lock(mutex_);
    dropped_ = last_;
    jobs_.clear();
    results_.clear();
  }

  // Waits a short time for the result of a job. Returns true if it has ended. If it has failed, *ok
  // becomes false, and the result is the text of the error.
  bool take(int64_t number, Message* result, bool* ok) {
    check_process();
    std::unique_lock<std::mutex> lock(mutex_);
    if (number <= dropped_ || number > last_) th::fail("no such job");
    const auto is_ready = [&] {
      return results_.count(number) > 0 || !failure_.empty() || is_stopped_;
    };
    if (!finished_.wait_for(lock, std::chrono::milliseconds(100), is_ready)) return false;
    auto found = results_.find(number);
    if (found != results_.end()) {
      *ok = found->second.first;
      *result = std::move(found->second.second);
      results_.erase(found);
    } else {
      *ok = false;
      result->clear();
      result->emplace_back(failure_.empty() ? "the threads have been stopped" : failure_);
    }
    return true;
  }

  // For the threads. next waits for a job, and returns false if the pool has been stopped.
  bool next(int64_t* number, Message* message) {
    check_process();
    std::unique_lock<std::mutex> lock(mutex_);
    submitted_.wait(lock, [&] { return is_stopped_ || !jobs_.empty(); });
    if (is_stopped_) return false;
    *number = jobs_.front().first;
    *message = std::move(jobs_.front().second);
    jobs_.pop_front();
    return true;
  }
  void finish(int64_t number, bool ok, Message&& result) {
    check_process();
    std::lock_guard<std::mutex> lock(mutex_);
    if (!is_stopped_ && number > dropped_) results_[number] = {ok, std::move(result)};
    finished_.notify_all();
  }
  const Message& setup() const { return setup_; }
  void fail(const char* text) noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    try {
      failure_ = text;
    } catch (const std::exception&) {
      failure_ = "no memory";  // short enough to need none
    }
    finished_.notify_all();
  }

 private:
  void check_process() const {
    if (is_foreign()) th::fail("the threads belong to the process before fork");
  }

  // The code of a thread. It ends when the pool is stopped. An error in it is the result of all
  // jobs.
  void run() noexcept {
    lua_State* L = luaL_openlibs ? luaL_newstate() : nullptr;
    if (!L) {
      fail(luaL_openlibs ? "out of memory" : "this program has no luaL_openlibs");
      return;
    }
    own_pool = this;
    push_closure(L, guarded<run_code>, 0);
    lua_pushlightuserdata(L, const_cast<char*>(code_.c_str()));
    if (lua_pcall(L, 1, 0, 0) != 0) {
      const char* text = lua_tostring(L, -1);
      fail(text ? text : "error object is not a string");
    }
    lua_close(L);
    own_pool = nullptr;
  }
  void end() noexcept {
    std::lock_guard<std::mutex> lock(mutex_);
    --running_;
    ended_.notify_all();
  }
  // The number of the pool's threads that are the caller's: 1 or 0.
  int own() const noexcept { return own_pool == this ? 1 : 0; }

  static int run_code(lua_State* L) {
    luaL_openlibs(L);
    const auto* code = static_cast<const char*>(lua_touserdata(L, 1));
    if (luaL_loadbuffer(L, code, std::strlen(code), "=thread") != 0) return lua_error(L);
    lua_call(L, 0, 0);
    return 0;
  }

  const std::string code_;
  const Message setup_;
  const pid_t process_ = getpid();
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable submitted_, finished_, ended_;
  std::deque<std::pair<int64_t, Message>> jobs_;
  std::map<int64_t, std::pair<bool, Message>> results_;
  int64_t last_ = 0, dropped_ = 0;
  int running_ = 0;  // threads that have not ended
  bool is_stopped_ = false;
  std::string failure_;
};

// Ends the process without destroying static objects, which threads may still use. Files are
// flushed, unless such a thread has locked one.
[[noreturn]] void end_process(int status) noexcept {
  try {
    // Shared with the thread, which may outlive this function.
    auto flushed = std::make_shared<std::promise<void>>();
    std::future<void> result = flushed->get_future();
    std::thread([flushed] {
      std::fflush(nullptr);
      flushed->set_value();
    }).detach();
    result.wait_for(std::chrono::seconds(10));
  } catch (const std::exception&) {  // no thread, no memory
  }
  _exit(status);
}

// All pools, which are stopped before static objects are destroyed: a program may end while its
// threads run. If a thread does not end its job in time, the process ends without it.
class Pools {
 public:
  static void add(const std::shared_ptr<Pool>& pool) {
    static Pools* const pools = [] {
      Pools* made = instance = new Pools;
#if defined(__GLIBC__)
      on_exit([](int status, void*) { instance->stop(status); }, nullptr);
#else
      std::atexit([] { instance->stop(EXIT_FAILURE); });
#endif
      return made;
    }();
    std::lock_guard<std::mutex> lock(pools->mutex_);
    if (pools->is_closed_) th::fail("the process ends");
    auto& list = pools->pools_;
    for (size_t k = list.size(); k-- > 0;) {
      if (list[k].expired()) list.erase(list.begin() + static_cast<ptrdiff_t>(k));
    }
    list.push_back(pool);
  }

 private:
  // status: that of the process, for the case that it must end here.
  void stop(int status) {
    std::vector<std::weak_ptr<Pool>> pools;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      is_closed_ = true;
      pools.swap(pools_);
    }
    if (own_pool) own_pool->fail("a thread of the pool has ended the program by os.exit");
    bool is_running = false;
    for (const std::weak_ptr<Pool>& pool : pools) {
      if (auto running_pool = pool.lock()) {
        running_pool->stop();
        is_running |= running_pool->is_running();
      }
    }
    if (is_running) end_process(status);
  }
  static Pools* instance;
  bool is_closed_ = false;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Pool>> pools_;
};
Pools* Pools::instance = nullptr;

// The Lua object of a pool. The threads refer to the pool, too.
struct PoolBox {
  std::shared_ptr<Pool> pool;
  PoolBox() = default;
  PoolBox(const PoolBox&) = delete;
  PoolBox& operator=(const PoolBox&) = delete;
  ~PoolBox() {
    if (!pool) return;
    pool->stop();
    // The memory of a pool that other threads waited for at the time of a fork cannot be freed.
    if (pool->is_foreign()) new std::shared_ptr<Pool>(std::move(pool));
  }
};

}  // namespace

template <>
const char* Native<PoolBox>::key() {
  return "tensor.data.workers.pool";
}
template <>
const char* Native<Message>::key() {
  return "tensor.data.workers.message";
}

namespace {

// Pushes an object that owns an empty message: a Lua error may skip C++ frames.
Message& push_message(lua_State* L) {
  Message** box = Native<Message>::push(L);
  protect(L, "threads", [&] { *box = new Message; });
  return **box;
}

// Appends the values in a list: booleans, numbers, strings and tensors.
void read_list(lua_State* L, int list, Message* message) {
  State* state = state_of(L);
  check_kind(L, list, LUA_TTABLE);
  const auto count = static_cast<int>(compat_rawlen(L, list));
  luaL_checkstack(L, 4, "threads");
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, list, k);
    const int at = lua_gettop(L);
    const Object object = object_at(L, state, at);
    size_t length = 0;
    const char* text = lua_type(L, at) == LUA_TSTRING ? lua_tolstring(L, at, &length) : nullptr;
    const bool is_whole = lua_type(L, at) == LUA_TNUMBER && is_integer(L, at);
    const auto whole = static_cast<int64_t>(is_whole ? lua_tointeger(L, at) : 0);
    if (object.is_tensor()) {
      trace_elements(L, "a thread", object.tensor()->storage, th::ElementUse::reads);
    } else if (!text && !lua_isboolean(L, at) && lua_type(L, at) != LUA_TNUMBER) {
      argument_error(L, list, "a value that is not plain");
    }
    protect(L, "threads", [&] {
      if (object.is_tensor()) {
        message->emplace_back(th::TensorRef(new_view(*object.tensor())));
      } else if (text) {
        message->emplace_back(std::string(text, length));
      } else if (lua_isboolean(L, at)) {
        message->emplace_back(lua_toboolean(L, at) != 0);
      } else if (is_whole) {
        message->emplace_back(whole);
      } else {
        message->emplace_back(lua_tonumber(L, at));
      }
    });
    lua_pop(L, 1);
  }
}

void push_value(lua_State* L, State*, bool value) { lua_pushboolean(L, value); }
void push_value(lua_State* L, State*, double value) { lua_pushnumber(L, value); }
void push_value(lua_State* L, State*, int64_t value) { push_integer(L, value); }
void push_value(lua_State* L, State*, const std::string& value) {
  lua_pushlstring(L, value.data(), value.size());
}
void push_value(lua_State* L, State* state, const th::TensorRef& value) {
  void** payload = push_box(L, state, static_cast<int>(value->dtype));
  *payload = new_view(*value);
  state->objects++;
}

void push_list(lua_State* L, const Message& message) {
  State* state = state_of(L);
  luaL_checkstack(L, 4, "threads");
  lua_createtable(L, static_cast<int>(message.size()), 0);
  for (size_t k = 0; k < message.size(); ++k) {
    std::visit([&](const auto& value) { push_value(L, state, value); }, message[k]);
    lua_rawseti(L, -2, static_cast<int>(k) + 1);
  }
}

Pool& pool_at(lua_State* L, int index) { return *Native<PoolBox>::check(L, index).pool; }

Pool& pool_of_thread(lua_State* L) {
  if (!own_pool) raise_error(L, "this thread does not belong to a pool");
  return *own_pool;
}

// start(count, code, setup): a pool of at most count threads that run the code. setup: a list.
int start(lua_State* L) {
  const auto count = static_cast<int>(check_integer(L, 1));
  const char* code = check_text(L, 2, "threads");
  lua_settop(L, 3);
  PoolBox** box = Native<PoolBox>::push(L);
  Message& setup = push_message(L);
  read_list(L, 3, &setup);
  lua_pushvalue(L, 4);
  protect(L, "threads", [&] {
    *box = new PoolBox;
    auto pool = std::make_shared<Pool>(code, std::move(setup));
    Pools::add(pool);
    (*box)->pool = pool;
    Pool::start(pool, count);
  });
  return 1;
}

// submit(pool, list): the number of a new job.
int submit(lua_State* L) {
  Pool& pool = pool_at(L, 1);
  lua_settop(L, 2);
  Message& message = push_message(L);
  read_list(L, 2, &message);
  int64_t number = 0;
  protect(L, "threads", [&] { number = pool.submit(std::move(message)); });
  push_integer(L, number);
  return 1;
}

// take(pool, number): waits for a job. Returns true and a list, its result; or false and its error.
int take(lua_State* L) {
  Pool& pool = pool_at(L, 1);
  const int64_t number = check_integer(L, 2);
  Message& result = push_message(L);
  bool ok = false, is_done = false;
  const lua_Hook hook = lua_gethook(L);
  while (!is_done) {
    protect(L, "threads", [&] { is_done = pool.take(number, &result, &ok); });
    if (!is_done) raise_interrupt(L, hook);
  }
  lua_pushboolean(L, ok);
  push_list(L, result);
  result.clear();  // its tensors must not wait for the garbage collector
  return 2;
}

// drop(pool): drops all jobs. Their results are not kept.
int drop(lua_State* L) {
  Pool& pool = pool_at(L, 1);
  protect(L, "threads", [&] { pool.drop(); });
  return 0;
}

// stop(pool): drops all jobs, and waits for the end of the threads, for at most kPatience.
int stop(lua_State* L) {
  pool_at(L, 1).stop();
  return 0;
}

// setup(): the setup of this thread's pool.
int setup(lua_State* L) {
  push_list(L, pool_of_thread(L).setup());
  return 1;
}

// next(): waits for a job. Returns its number and its list, or nothing if this thread must end.
int next(lua_State* L) {
  Pool& pool = pool_of_thread(L);
  Message& message = push_message(L);
  int64_t number = 0;
  bool found = false;
  protect(L, "threads", [&] { found = pool.next(&number, &message); });
  if (!found) return 0;
  push_integer(L, number);
  push_list(L, message);
  message.clear();
  return 2;
}

// finish(number, ok, list): the result of a job.
int finish(lua_State* L) {
  Pool& pool = pool_of_thread(L);
  const int64_t number = check_integer(L, 1);
  const bool ok = lua_toboolean(L, 2);
  lua_settop(L, 3);
  Message& result = push_message(L);
  read_list(L, 3, &result);
  protect(L, "threads", [&] { pool.finish(number, ok, std::move(result)); });
  return 0;
}

const Method functions[] = {{"start", guarded<start>}, {"submit", guarded<submit>},
                            {"take", guarded<take>},   {"drop", guarded<drop>},
                            {"stop", guarded<stop>},   {"setup", guarded<setup>},
                            {"next", guarded<next>},   {"finish", guarded<finish>}};

}  // namespace

void register_worker_functions(lua_State* L, int module) {
  set_function_table(L, functions, module, "_workers");
}

}  // namespace bind

#include "dist/engine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "backend/plugin.h"
#include "base/cores.h"
#include "base/error.h"
#include "base/interrupt.h"

namespace th::dist {

double WaitClock::look() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  const double now = std::chrono::duration<double>(since).count();
  if (last_ >= 0) waited_ += std::min(now - last_, 0.1);
  last_ = now;
  return waited_;
}

namespace {

constexpr PluginFile kTransport = {"libTHmpi.so", "TENSOR_MPI_PLUGIN", "make mpi"};
constexpr PluginFile kDeviceTransport = {"libTHnccl.so", "TENSOR_NCCL_PLUGIN", "make cuda"};

const TransportTable* load_transport(const PluginFile& plugin, std::string* problem) {
  void* entry = load_plugin_entry(plugin, "th_transport_table", problem);
  if (!entry) return nullptr;
  const TransportTable* table = reinterpret_cast<const TransportTable* (*)()>(entry)();
  if (table->abi != kTransportAbi || table->bytes != sizeof(TransportTable)) {
    *problem = std::string(plugin.file) + " is not of this version of libTH";
    return nullptr;
  }
  return table;
}

constexpr auto kLook = std::chrono::milliseconds(50);

// While it exists: ends the process after some seconds. The start of a transport waits for all
// ranks, cannot be interrupted, and knows no timeout.
class StartTimeout {
 public:
  StartTimeout(double seconds, int processes)
      : thread_([this, seconds, processes] { watch(seconds, processes); }) {}
  ~StartTimeout() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      started_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  StartTimeout(const StartTimeout&) = delete;
  StartTimeout& operator=(const StartTimeout&) = delete;

 private:
  void watch(double seconds, int processes) {
    std::unique_lock<std::mutex> lock(mutex_);
    WaitClock clock;
    while (clock.look() < seconds) {
      if (changed_.wait_for(lock, kLook, [this] { return started_; })) return;
    }
    std::fprintf(stderr,
                 "tensor: init: timeout: MPI did not start within %g s; %d ranks are expected\n",
                 seconds, processes);
    _exit(1);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;  // the last member: it uses the others
};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : 0;
}

}  // namespace

const TransportTable* device_transport(const Device& device) {
  // Devices of other kinds do not load the library.
  if (std::strncmp(device.name(), "soft", 4) == 0) return nullptr;
  static std::string problem;
  static const TransportTable* table = load_transport(kDeviceTransport, &problem);
  const bool matches = table && std::strncmp(device.name(), table->device_kind,
                                             std::strlen(table->device_kind)) == 0;
  return matches ? table : nullptr;
}

int launched_processes() {
  // Open MPI's mpirun; Hydra (MPICH, Intel MPI) and srun --mpi=pmi2; srun --mpi=pmix.
  if (std::getenv("OMPI_COMM_WORLD_SIZE")) return number_in("OMPI_COMM_WORLD_SIZE");
  if (std::getenv("PMI_SIZE")) return number_in("PMI_SIZE");
  if (std::getenv("PMIX_RANK")) {
    int tasks = number_in("SLURM_STEP_NUM_TASKS");
    return tasks ? tasks : 1;
  }
  return 0;
}

// ---- jobs ---------------------------------------------------------------------------------------

void Job::run() noexcept {
  std::exception_ptr error;
  CountFrom counting(shown_base_);
  try {
    transfer_();
  } catch (...) {
    error = std::current_exception();
  }
  transfer_ = nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  error_ = error;
  done_.store(true, std::memory_order_release);
  ended_.notify_all();
}

void Job::wait() {
  const void* sign = stop_sign();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!done_) {
    ended_.wait_for(lock, std::chrono::milliseconds(20));
    if (!done_ && stop_sign() != sign) {
      Engine::instance().interrupt();
      sign = stop_sign();
    }
  }
  if (error_) std::rethrow_exception(error_);
}

// ---- start and end ------------------------------------------------------------------------------

Engine& Engine::instance() {
  static auto* engine = new Engine;  // never destroyed: threads may use it while the process ends
  return *engine;
}

void Engine::check(Problem problem) const {
  if (problem) fail("%s", problem);
}

void* Engine::start(const char* transport) {
  int launched = launched_processes();
  const bool wanted = transport && *transport;
  if (wanted && std::string(transport) != "mpi") {
    fail("unknown transport '%.40s': 'mpi' is expected", transport);
  }
  if (launched < 2 && !wanted) {
    started_ = true;
    return nullptr;
  }
  // srun with another --mpi starts processes that do not know each other.
  if (!launched) launched = number_in("SLURM_STEP_NUM_TASKS");
  std::string problem;
  const TransportTable* table = load_transport(kTransport, &problem);
  if (!table) {
    fail("the launcher has started %d processes, but there is no MPI transport: %s", launched,
         problem.c_str());
  }
  void* world = nullptr;
  {
    StartTimeout limit(timeout(), std::max(launched, 1));
    check(table->start(&info_, &world));
  }
  if (launched > 1 && info_.size != launched) {
    fail(
        "the launcher has started %d processes, but %s has %d: it needs the mpirun of its own "
        "MPI, or the option --mpi of srun that fits it",
        launched, info_.library, info_.size);
  }
  table_ = table;
  started_ = true;
  yields_ = !info_.test_yields && info_.local_size > available_cores();
  if (info_.size > 1) watch_ = std::thread([this, rank = shown(info_.rank)] { watch(rank); });
  return world;
}

void Engine::stop() {
  {
    std::unique_lock<std::mutex> lock(queue_mutex_);
    stopping_ = true;
    queued_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  {
    std::lock_guard<std::mutex> lock(watch_mutex_);
    watch_ends_ = true;
    watch_changed_.notify_all();
  }
  if (watch_.joinable()) watch_.join();
  if (table_) check(table_->stop());
  table_ = nullptr;
}

// ---- the communication thread -------------------------------------------------------------------

void Engine::run(const std::function<void()>& f) {
  {
    std::unique_lock<std::mutex> lock(queue_mutex_);
    if (!busy_ && jobs_.empty()) {
      lock.unlock();
      f();
      return;
    }
  }
  auto job = std::make_shared<Job>(f);
  queue(job);
  job->wait();
}

void Engine::queue(std::shared_ptr<Job> job) {
  std::lock_guard<std::mutex> lock(queue_mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  jobs_.push_back(std::move(job));
  queued_.notify_all();
}

void Engine::work() {
  std::unique_lock<std::mutex> lock(queue_mutex_);
  while (true) {
    queued_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::shared_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    job->run();
    job.reset();
    lock.lock();
    busy_ = false;
  }
}

// Ends the process if an exchange of data takes longer than the timeout: a call of the transport
// cannot be interrupted. `rank` is that of this process, for the message.
void Engine::watch(int64_t rank) {
  std::unique_lock<std::mutex> lock(watch_mutex_);
  int64_t seen = 0;
  WaitClock clock;
  while (!watch_changed_.wait_for(lock, kLook, [this] { return watch_ends_; })) {
    const int64_t marks = marks_;
    if (marks != seen || marks % 2 == 0) {
      seen = marks;
      clock = WaitClock();
    }
    if (clock.look() <= timeout()) continue;
    std::fprintf(stderr,
                 "tensor: rank %lld: timeout: an exchange of data did not end within %g s\n",
                 as_long(rank), timeout());
    _exit(1);
  }
}

// ---- waiting ------------------------------------------------------------------------------------

bool Engine::pause(int64_t* tests) const {
  constexpr int64_t kSpins = 20000, kShortSleeps = 20000;
  ++*tests;
  if (*tests > kSpins) {
    const int microseconds = *tests > kSpins + kShortSleeps ? 1000 : 50;
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    return true;
  }
  if (std::this_thread::get_id() == thread_.get_id()) {
    // The communication thread leaves the processor to the computation.
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  } else if (yields_) {
    sched_yield();
  }
  return *tests % 256 == 0;
}

}  // namespace th::dist

#ifndef TH_DIST_ENGINE_H
#define TH_DIST_ENGINE_H

// The state of this process in a distributed program: its transport, and the thread that runs
// asynchronous collectives.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/visibility.h"
#include "dist/transport.h"
#include "memory/device.h"

namespace th TH_VISIBLE {
namespace dist {

// A transfer that may run in the background. transfer() touches only memory that the caller keeps.
class Job {
 public:
  explicit Job(std::function<void()> transfer)
      : transfer_(std::move(transfer)), shown_base_(shown_base) {}
  void run() noexcept;
  bool is_done() const noexcept { return done_.load(std::memory_order_acquire); }
  // Waits until run() has ended, and throws the error of transfer(). Ctrl-C ends the waiting of all
  // jobs for other ranks, with an error.
  void wait();

 private:
  std::function<void()> transfer_;
  const int64_t shown_base_;  // of the messages of the thread that made the job
  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::condition_variable ended_;
  std::exception_ptr error_;
};

// The time of a wait. A job may be suspended while it waits, so the time between two looks counts
// for at most 0.1 s.
class WaitClock {
 public:
  // The time since the first look, in seconds.
  double look();

 private:
  double last_ = -1, waited_ = 0;
};

class Engine {
 public:
  static Engine& instance();

  // Throws th::Error if the transport reported a problem.
  void check(Problem problem) const;
  const TransportTable& table() const { return *table_; }
  bool has_transport() const { return table_ != nullptr; }
  const TransportInfo& info() const { return info_; }
  // Messages report a rank that has not taken part for this time, in seconds. An exchange of data
  // that takes longer ends the process.
  double timeout() const { return timeout_; }
  void set_timeout(double seconds) { timeout_ = seconds; }

  // Loads the transport if a launcher has started this process. Returns the group of all processes
  // of the transport; null: one process.
  void* start(const char* transport);
  bool is_started() const { return started_; }
  // Runs jobs that are queued, then ends the transport.
  void stop();

  // Serializes calls into the transport.
  std::mutex& calls() { return calls_; }
  // Called before and after a call that waits for other ranks inside the transport.
  void mark_transfer() noexcept { marks_.store(marks_.load() + 1); }
  // Runs f() on this thread, or behind the queued jobs, so that all ranks keep the order of calls.
  void run(const std::function<void()>& f);
  // Runs the job on the communication thread, after the earlier ones.
  void queue(std::shared_ptr<Job> job);

  // Waits a little between two tests of a request, the longer the more there were. `tests` counts
  // them. Returns true if it is time to read the clock.
  bool pause(int64_t* tests) const;
  // Ends the waiting of the communication thread for other ranks.
  void interrupt() noexcept { interrupts_.fetch_add(1); }
  int64_t interrupts() const noexcept { return interrupts_.load(); }

 private:
  Engine() = default;
  void work();
  void watch(int64_t rank);

  const TransportTable* table_ = nullptr;
  TransportInfo info_ = {0, 1, 0, 1, false, ""};
  bool started_ = false;
  bool yields_ = false;  // pause() lets other processes of this core run
  std::atomic<double> timeout_{600};
  std::mutex calls_;

  std::mutex queue_mutex_;
  std::condition_variable queued_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool busy_ = false, stopping_ = false;
  std::thread thread_;
  std::atomic<int64_t> interrupts_{0};

  std::atomic<int64_t> marks_{0};  // odd: a transfer has not ended
  std::mutex watch_mutex_;
  std::condition_variable watch_changed_;
  bool watch_ends_ = false;
  std::thread watch_;
};

// The transport for the memory of a device, or null.
const TransportTable* device_transport(const Device& device);

// The number of processes that the launcher of this process has started, by its environment
// variables. 0: no launcher.
int launched_processes();

}  // namespace dist
}  // namespace TH_VISIBLE

#endif

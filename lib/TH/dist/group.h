#ifndef TH_DIST_GROUP_H
#define TH_DIST_GROUP_H

// Groups of ranks, and the agreement before each collective.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dist/engine.h"
#include "dist/header.h"
#include "memory/device.h"

namespace th TH_VISIBLE {
namespace dist {

class Transfers;

class Group {
 public:
  // handle: the transport's group; null: this process alone.
  Group(void* handle, int rank, int size, bool is_world);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // The number of groups of this process.
  static int64_t count() noexcept;
  int rank() const { return rank_; }
  int size() const { return size_; }
  void* handle() const { return handle_; }
  Engine& engine() const { return Engine::instance(); }

  // Gives the header the next number of this group. Called in the order of the program, on its
  // thread.
  void number(Header* header);
  // Waits until all ranks have called this with the same header. Otherwise throws: if headers
  // differ, on all ranks; if a rank is missing, after the timeout.
  // detail: the text whose hash the header has.
  void agree(const Header& header, const std::string& detail = {}) {
    agree_and_reduce(header, detail, nullptr);
  }
  // The same, and reduces a few elements over all ranks, in the same messages. All ranks add in the
  // same order. After an error the elements are unchanged.
  struct Elements {
    void* data;
    int64_t count;
    DType type;
    Reduction reduction;
    size_t bytes() const { return static_cast<size_t>(count) * item_size(type); }
  };
  void agree_and_reduce(const Header& header, const std::string& detail, const Elements* elements);
  bool can_agree_and_reduce(const Elements& elements) const;
  // Calls f(table, handle) for the transport, alone.
  template <class F>
  void transfer(const F& f) {
    Engine& e = engine();
    std::lock_guard<std::mutex> lock(e.calls());
    e.mark_transfer();
    const Problem problem = f(e.table(), handle_);
    e.mark_transfer();
    e.check(problem);
  }
  // A new group of the ranks that have the same color, in the order of their keys, or null for a
  // negative color. A collective, with a detail on which the ranks must agree.
  std::shared_ptr<Group> split(int color, int key, const std::string& detail = {});
  // The collectives of the tensor's device, if there is a transport for it, else null. The first
  // call for a device is a collective. All ranks then need a tensor on a device with this
  // transport.
  struct Devices {
    const TransportTable* table = nullptr;
    void* handle = nullptr;
    Device* device = nullptr;
  };
  const Devices* devices_of(const Tensor& t);
  // The messages that are on their way.
  Transfers& transfers();
  // Announces the end of the program. Throws if other ranks have not ended.
  void finish();
  // Frees the group in the transport. No call may follow.
  void close() noexcept;

 private:
  class Attendance;
  struct Message;
  void exchange(int to, const Message& sent, size_t sent_bytes, int from, Message* received,
                const Header& header);
  [[noreturn]] void fail_disagreement(const Header& header, const std::string& detail);
  std::vector<std::string> gather_texts(const std::string& own);
  [[noreturn]] void fail_late(const Header& header);

  void* handle_;
  const int rank_, size_;
  const bool is_world_;
  uint64_t sequence_ = 0;
  std::unique_ptr<Message> sent_, received_;  // of agree_and_reduce; allocated on first use
  std::string failure_;  // why the ranks are no longer in step; empty: they are
  std::unique_ptr<Attendance> attendance_;
  std::unique_ptr<Transfers> transfers_;
  std::deque<Devices> devices_;
};

// The group of all processes. Starts the transport on the first call.
std::shared_ptr<Group> world();
// The same before the first call: transport may be null (the launcher decides).
std::shared_ptr<Group> start(const char* transport);
// The time after which a missing rank is an error. Throws if it is not a positive number.
void set_timeout(double seconds);
// Ends all processes.
[[noreturn]] void abort(int status);

}  // namespace dist
}  // namespace TH_VISIBLE

#endif

#include "dist/group.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"
#include "dist/attendance.h"
#include "dist/transfers.h"

namespace th::dist {

namespace {

std::atomic<int64_t> group_count{0};

}  // namespace

int64_t Group::count() noexcept { return group_count; }

Group::Group(void* handle, int rank, int size, bool is_world)
    : handle_(handle), rank_(rank), size_(size), is_world_(is_world) {
  ++group_count;
}

Group::~Group() {
  close();
  --group_count;
}

void Group::close() noexcept {
  attendance_.reset();
  if (transfers_ && engine().has_transport()) transfers_->close(*this);
  transfers_.reset();
  for (const Devices& devices : devices_) devices.table->free_group(devices.handle);
  devices_.clear();
  if (!handle_ || is_world_ || !engine().has_transport()) return;
  std::lock_guard<std::mutex> lock(engine().calls());
  engine().table().free_group(handle_);
  handle_ = nullptr;
}

Transfers& Group::transfers() {
  if (!transfers_) transfers_ = std::make_unique<Transfers>();
  return *transfers_;
}

void Group::number(Header* header) { header->sequence = ++sequence_; }

// ---- the agreement ------------------------------------------------------------------------------

// The message that ranks exchange when they agree: the smallest and the largest hash that the
// sender has seen, and the elements that it has combined. Elements of at most 16 KiB need no
// handshake: the limit is that of the MPI transport, set_defaults().
struct Group::Message {
  static constexpr size_t kElements = 16384;
  uint64_t smallest, largest;
  alignas(16) char elements[kElements];
};

bool Group::can_agree_and_reduce(const Elements& elements) const {
  const bool is_power = (size_ & (size_ - 1)) == 0;
  return is_power && handle_ && elements.bytes() <= Message::kElements;
}

// If the number of ranks is a power of 2, each rank exchanges messages with the rank whose number
// differs in bit k, in round k. Otherwise it sends to the rank 2^k after it, and receives from the
// one 2^k before it. After log2(size) rounds each rank has the hashes of all, and knows that all
// have arrived.
void Group::agree_and_reduce(const Header& header, const std::string& detail,
                             const Elements* elements) {
  if (size_ == 1) return;
  if (!failure_.empty()) fail("this group has failed before: %s", failure_.c_str());
  if (!sent_) {
    sent_.reset(new Message);
    received_.reset(new Message);
  }
  const bool is_power = (size_ & (size_ - 1)) == 0;
  const size_t bytes = elements ? elements->bytes() : 0;
  sent_->smallest = sent_->largest = header.hash();
  if (bytes) std::memcpy(sent_->elements, elements->data, bytes);
  for (int step = 1; step < size_; step *= 2) {
    const int to = is_power ? rank_ ^ step : (rank_ + step) % size_;
    const int from = is_power ? to : (rank_ - step + size_) % size_;
    const bool agreed = sent_->smallest == sent_->largest;
    exchange(to, *sent_, offsetof(Message, elements) + (agreed ? bytes : 0), from, received_.get(),
             header);
    const uint64_t smallest = std::min(sent_->smallest, received_->smallest);
    const uint64_t largest = std::max(sent_->largest, received_->largest);
    if (bytes && smallest == largest) {
      // Both ranks combine the elements in the order of their ranks, so their bits are equal.
      if (rank_ < to) std::swap(sent_, received_);
      std::lock_guard<std::mutex> lock(engine().calls());
      engine().check(engine().table().combine(received_->elements, sent_->elements, elements->count,
                                              elements->type, elements->reduction));
    }
    sent_->smallest = smallest;
    sent_->largest = largest;
  }
  if (sent_->smallest != sent_->largest) fail_disagreement(header, detail);
  if (bytes) std::memcpy(elements->data, sent_->elements, bytes);
}

// Sends the first bytes of a message to a rank and receives a message.
void Group::exchange(int to, const Message& sent, size_t sent_bytes, int from, Message* received,
                     const Header& header) {
  Engine& e = engine();
  const TransportTable& table = e.table();
  void *in = nullptr, *out = nullptr;
  bool in_done = false, out_done = false;
  const auto test = [&] {
    if (!out_done) e.check(table.test(&out, &out_done));
    if (!in_done) e.check(table.test(&in, &in_done));
    return in_done && out_done;
  };
  {
    std::lock_guard<std::mutex> lock(e.calls());
    e.check(table.receive(handle_, Tag::header, from, received, sizeof(*received), &in));
    e.check(table.send(handle_, Tag::header, to, &sent, sent_bytes, &out));
    if (test()) return;
  }
  const void* sign = stop_sign();
  const int64_t interrupts = e.interrupts();
  int64_t tests = 0;
  WaitClock clock;
  bool announced = false;
  while (true) {
    const bool look = e.pause(&tests);
    {
      std::lock_guard<std::mutex> lock(e.calls());
      if (test()) return;
    }
    if (!look) continue;
    const double waited = clock.look();
    const bool interrupted = stop_sign() != sign || e.interrupts() != interrupts;
    const bool late = waited > e.timeout();
    if (!announced && waited > std::min(1.0, e.timeout() / 4)) {
      announced = true;
      if (!attendance_) attendance_ = std::make_unique<Attendance>(this);
      attendance_->announce(header.sequence);
    }
    if (!interrupted && !late) continue;
    {
      std::lock_guard<std::mutex> lock(e.calls());
      if (!in_done) table.cancel(&in);
    }
    // A send cannot be canceled, so its message and its request remain until the process ends.
    if (!out_done) static_cast<void>(sent_.release());
    if (interrupted) {
      failure_ = "interrupted";
      fail("interrupted while waiting for other ranks");
    }
    fail_late(header);
  }
}

void Group::fail_late(const Header& header) {
  std::vector<int> missing = attendance_->missing(header.sequence);
  const int first_rank = static_cast<int>(shown(0));
  failure_ = "timeout in collective " + std::to_string(header.sequence);
  std::string who = missing.empty()
                        ? std::string("other ranks")
                        : ranks_text(missing.data(), static_cast<int>(missing.size()), first_rank);
  fail("timeout: %.300s did not take part within %g s", who.c_str(), engine().timeout());
}

// The texts of all ranks.
std::vector<std::string> Group::gather_texts(const std::string& own) {
  const auto length = static_cast<int64_t>(own.size());
  std::vector<int64_t> lengths(size_);
  transfer([&](const TransportTable& table, void* handle) {
    return table.all_gather(handle, &length, lengths.data(), 1, DType::Long);
  });
  const int64_t most = *std::max_element(lengths.begin(), lengths.end());
  std::string padded = own, all(most * size_, '\0');
  padded.resize(most);
  if (most) {
    transfer([&](const TransportTable& table, void* handle) {
      return table.all_gather(handle, padded.data(), &all[0], most, DType::Byte);
    });
  }
  std::vector<std::string> texts(size_);
  for (int rank = 0; rank < size_; ++rank) texts[rank] = all.substr(rank * most, lengths[rank]);
  return texts;
}

void Group::fail_disagreement(const Header& header, const std::string& detail) {
  std::vector<Header> headers(size_);
  const int64_t words = sizeof(Header) / sizeof(int64_t);
  transfer([&](const TransportTable& table, void* handle) {
    return table.all_gather(handle, &header, headers.data(), words, DType::Long);
  });
  const std::vector<std::string> details = gather_texts(detail);
  const int first_rank = static_cast<int>(shown(0));
  fail("%s", disagreement(headers.data(), details.data(), size_, first_rank).c_str());
}

// ---- groups -------------------------------------------------------------------------------------

std::shared_ptr<Group> Group::split(int color, int key, const std::string& detail) {
  if (!handle_) {
    return color < 0 ? nullptr : std::make_shared<Group>(nullptr, 0, 1, false);
  }
  Header header(Operation::split);
  header.set_detail(detail);
  number(&header);
  void* part = nullptr;
  int rank = 0, size = 1;
  engine().run([&] {
    agree(header, detail);
    transfer([&](const TransportTable& table, void* handle) {
      return table.split(handle, color, key, &part, &rank, &size);
    });
  });
  if (!part) return nullptr;
  return std::make_shared<Group>(part, rank, size, false);
}

const Group::Devices* Group::devices_of(const Tensor& t) {
  Device* device = t.storage ? t.storage->current_device() : nullptr;
  if (!device || !handle_) return nullptr;
  for (const Devices& known : devices_) {
    if (known.device == device) return &known;
  }
  Devices made;
  made.table = device_transport(*device);
  made.device = device;
  if (!made.table) return nullptr;
  Header header(Operation::devices);
  number(&header);
  engine().run([&] {
    agree(header);
    std::vector<char> id(made.table->id_bytes);
    if (rank_ == 0) engine().check(made.table->new_id(id.data()));
    transfer([&](const TransportTable& host, void* handle) {
      return host.broadcast(handle, id.data(), static_cast<int64_t>(id.size()), DType::Byte, 0);
    });
    // "gpu:2" is number 1.
    const char* colon = std::strchr(device->name(), ':');
    const int index = colon ? std::atoi(colon + 1) - 1 : 0;
    engine().check(made.table->join(id.data(), rank_, size_, index, &made.handle));
  });
  devices_.push_back(made);
  return &devices_.back();
}

void Group::finish() {
  Header header(Operation::finish);
  number(&header);
  engine().run([&] { agree(header); });
}

// ---- the process --------------------------------------------------------------------------------

namespace {

std::shared_ptr<Group>& the_world() {
  static auto* group = new std::shared_ptr<Group>;
  return *group;
}

// Runs when the process ends. If other ranks do not end, they would wait for this one forever, so
// they are ended. They have an error to report, for which they get some time.
void stop_at_exit() {
  std::shared_ptr<Group> group = std::move(the_world());
  Engine& engine = Engine::instance();
  if (!group || !engine.has_transport()) return;
  try {
    group->finish();
  } catch (const std::exception& error) {
    // The program, which could catch an error, has ended.
    std::fprintf(stderr, "tensor: rank %lld ends while others do not: %s\n", shown(group->rank()),
                 error.what());
    usleep(500000);
    engine.table().abort(1);
  }
  group->close();
  try {
    engine.stop();
  } catch (...) {
    engine.table().abort(1);
  }
}

}  // namespace

std::shared_ptr<Group> start(const char* transport) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Group>& world = the_world();
  if (world) return world;
  Engine& engine = Engine::instance();
  if (engine.is_started()) fail("this process has ended its part of the program");
  void* handle = engine.start(transport);
  world = std::make_shared<Group>(handle, engine.info().rank, engine.info().size, true);
  if (handle) std::atexit(stop_at_exit);
  return world;
}

std::shared_ptr<Group> world() {
  std::shared_ptr<Group> group = the_world();
  return group ? group : start(nullptr);
}

void set_timeout(double seconds) {
  if (!(seconds > 0 && seconds < 1e9)) fail("timeout %g: a number of seconds is expected", seconds);
  Engine::instance().set_timeout(seconds);
}

void abort(int status) {
  Engine& engine = Engine::instance();
  if (engine.has_transport()) engine.table().abort(status);
  _exit(status);
}

}  // namespace th::dist

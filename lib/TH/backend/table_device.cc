#include "backend/table_device.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "backend/device_assertions.h"
#include "backend/device_words.h"
#include "base/error.h"
#include "base/fallback_reason.h"
#include "memory/heap.h"
#include "memory/stats.h"

namespace th {
namespace {

bool debug_in_environment() {
  const char* text = std::getenv("TENSOR_DEVICE_DEBUG");
  return text && *text && std::strcmp(text, "0") != 0;
}

std::atomic<bool>& debug() {
  static std::atomic<bool> on{debug_in_environment()};
  return on;
}

}  // namespace

bool device_debug() noexcept { return debug().load(std::memory_order_relaxed); }
void set_device_debug(bool on) noexcept { debug().store(on); }

TableDevice::TableDevice(const DeviceTable& table, int index, std::string name)
    : table_(table), index_(index), name_(std::move(name)) {}

void* TableDevice::handle() {
  void* opened = handle_.load(std::memory_order_acquire);
  if (opened) return opened;
  std::lock_guard<std::mutex> lock(opening_);
  opened = handle_.load(std::memory_order_relaxed);
  if (opened) return opened;
  check(table_.open(index_, &opened), "opening it");
  handle_.store(opened, std::memory_order_release);
  return opened;
}

void TableDevice::check(int status, const char* doing) {
  if (status == kDeviceOk) return;
  fail("%s: %s: %s", name(), doing, table_.message());
}

// Makes up to kMemoryAttempts attempts.
template <class Try>
int TableDevice::with_memory(Try attempt) {
  int status = attempt();
  if (status != kDeviceOutOfMemory) return status;
  if (table_.empty_cache(handle()) == kDeviceOk) status = attempt();
  if (status != kDeviceOutOfMemory) return status;
  free_memory();
  return attempt();
}

void TableDevice::free_memory() {
  collect_garbage();
  check(table_.empty_cache(handle()), "emptying its cache");
}

void TableDevice::free_memory_and_fail() {
  const std::string text = table_.message();
  free_memory();
  fail_interrupted("%s: running it: %s", name(), text.c_str());
}

void TableDevice::fail_memory(size_t bytes, const char* doing) {
  DeviceUsage usage = {};
  table_.usage(handle(), &usage);
  std::string request = bytes ? std::to_string(bytes) + " bytes requested" : std::string(doing);
  fail("out of memory of %s: %s, %lld in use, %lld cached, %lld free of %lld", name(),
       request.c_str(), as_long(usage.in_use), as_long(usage.cached), as_long(usage.free),
       as_long(usage.total));
}

void* TableDevice::allocate(size_t bytes, bool for_copy) {
  void* block = nullptr;
  int status = with_memory([&] { return table_.allocate(handle(), bytes, for_copy, &block); });
  if (status == kDeviceOutOfMemory) fail_memory(bytes, "allocation");
  check(status, "allocating memory");
  return block;
}

void TableDevice::release(void* block) noexcept {
  if (block) table_.release(handle_.load(std::memory_order_relaxed), block);
}

void* TableDevice::allocate_host(size_t bytes) {
  void* block = nullptr;
  // On failure the caller uses ordinary host memory, which is slower.
  if (bytes == 0 || table_.allocate_host(handle(), bytes, &block) != kDeviceOk) return nullptr;
  return block;
}

void TableDevice::release_host(void* block) noexcept {
  if (block) table_.release_host(handle_.load(std::memory_order_relaxed), block);
}

void TableDevice::fill_zero(void* block, size_t bytes) {
  check(table_.zero(handle(), block, bytes), "filling memory");
}

void TableDevice::copy_to_device(void* device, const void* host, size_t bytes) {
  check(table_.copy(handle(), CopyKind::host_to_device, device, host, bytes), "copying to it");
  count_copy_to_device(bytes);
}

void TableDevice::copy_to_host(void* host, const void* device, size_t bytes) {
  check(table_.copy(handle(), CopyKind::device_to_host, host, device, bytes), "copying from it");
  count_copy_to_host(bytes);
  raise_failed_checks();
}

void* TableDevice::upload(void* device, const void* host, size_t bytes, bool is_new) {
  void* event = nullptr;
  check(table_.upload(handle(), device, host, bytes, is_new, &event), "copying to it");
  count_copy_to_device(bytes);
  return event;
}

void TableDevice::copy_within(void* to, const void* from, size_t bytes) {
  check(table_.copy(handle(), CopyKind::device_to_device, to, from, bytes), "copying within it");
}

void TableDevice::copy_from(Device& other, void* to, const void* from, size_t bytes) {
  if (bytes == 0) return;
  auto* source = dynamic_cast<TableDevice*>(&other);
  if (source && &source->table_ == &table_) {
    check(table_.copy_peer(handle(), to, source->handle(), from, bytes), "copying between devices");
  } else {
    std::unique_ptr<void, void (*)(void*)> staged(heap_allocate(bytes), heap_free);
    other.copy_to_host(staged.get(), from, bytes);
    copy_to_device(to, staged.get(), bytes);
  }
  count_copy_between_devices(bytes);
}

void* TableDevice::push_async(void* device, const void* host, size_t bytes, bool is_new) {
  void* event = nullptr;
  check(table_.copy_async(handle(), CopyKind::host_to_device, device, host, bytes, is_new, &event),
        "copying to it");
  count_copy_to_device(bytes);
  return event;
}

void* TableDevice::pull_async(void* host, const void* device, size_t bytes) {
  void* event = nullptr;
  check(table_.copy_async(handle(), CopyKind::device_to_host, host, device, bytes, false, &event),
        "copying from it");
  count_copy_to_host(bytes);
  return event;
}

void TableDevice::wait(void* event) { check(table_.wait(handle(), event), "waiting for a copy"); }

void TableDevice::raise_failed_checks() { raise_assertions(table_, handle(), false); }

void TableDevice::order(void* event) { check(table_.order(handle(), event), "ordering a copy"); }

void TableDevice::release_event(void* event) noexcept {
  if (event) table_.release_event(handle_.load(std::memory_order_relaxed), event);
}

void TableDevice::synchronize() {
  check(table_.synchronize(handle()), "waiting for it");
  raise_failed_checks();
}

void TableDevice::finish() { check(table_.finish(handle()), "waiting for it"); }

void TableDevice::properties(DeviceProperties* out) {
  check(table_.properties(index_, out), "asking for its properties");
}

void TableDevice::usage(DeviceUsage* out) {
  check(table_.usage(handle(), out), "asking for its memory");
}

void TableDevice::empty_cache() { check(table_.empty_cache(handle()), "emptying its cache"); }

bool TableDevice::run(BackendOp op, const void* call) {
  switch (op) {
    case BackendOp::random:
      return run_random<RandomCall>(op, call);
    case BackendOp::bernoulli:
      return run_random<BernoulliCall>(op, call);
    case BackendOp::multinomial:
      return run_random<MultinomialCall>(op, call);
    case BackendOp::alias_draw:
      return run_random<AliasDrawCall>(op, call);
    default:
      return run_call(op, call);
  }
}

template <class Call>
bool TableDevice::run_random(BackendOp op, const void* call) {
  Call with_words = *static_cast<const Call*>(call);
  take_words(&with_words);
  return run_call(op, &with_words);
}

bool TableDevice::run_call(BackendOp op, const void* call) {
  int number = static_cast<int>(op);
  int status = with_memory([&] { return table_.run(handle(), number, call); });
  set_fallback_reason(status == kDeviceUnsupported ? table_.message() : nullptr);
  if (status == kDeviceUnsupported) return false;
  if (status == kDeviceOutOfMemory) fail_memory(0, "for what the operation needs meanwhile");
  if (status == kDeviceInterrupted) free_memory_and_fail();
  check(status, "running it");
  count_launch();
  if (device_debug()) {
    check(table_.synchronize(handle()), "running it");
    raise_assertions(table_, handle(), true);
  }
  return true;
}

}  // namespace th

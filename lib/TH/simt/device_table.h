#ifndef TH_SIMT_DEVICE_TABLE_H
#define TH_SIMT_DEVICE_TABLE_H

// The interface of a plugin to libTH: a table of functions over the plugin's device class D.
// Exceptions do not cross it. D has the functions called below, which may throw DeviceFailure
// unless they are noexcept here, and a class D::Turn(D&), which exists while they run. A plugin
// exports one C function, th_device_table, which returns its table.

#include <cstdio>
#include <exception>
#include <new>

#include "THDLPack.h"
#include "simt/failure.h"
#include "simt/queue.h"

namespace th {

template <class D>
class DeviceTableOf {
 public:
  static constexpr DeviceTable make(const char* kind, DLDeviceType dlpack_type) {
    return {kDeviceAbi,    sizeof(DeviceTable),
            hash_of_ops(), kind,
            dlpack_type,   message,
            count,         open,
            properties,    allocate,
            release,       allocate_host,
            release_host,  zero,
            copy,          upload,
            copy_peer,     copy_async,
            wait,          order,
            release_event, synchronize,
            finish,        stream,
            assertion,     usage,
            empty_cache,   run};
  }

 private:
  static char* text() {
#ifdef TH_USES_CUDA
    // The thread-local variables of CUDA's runtime take 4 KiB, more than the loader has for a
    // library that uses the model initial-exec.
    static thread_local char of_last_failure[sizeof(DeviceFailure::text)];
#else
    // Other TLS models allocate it on first use, and end the process if that fails.
    static thread_local char of_last_failure[sizeof(DeviceFailure::text)]
        __attribute__((tls_model("initial-exec")));
#endif
    return of_last_failure;
  }
  static int failed(int status, const char* message) {
    std::snprintf(text(), sizeof(DeviceFailure::text), "%s", message);
    return status;
  }
  template <class F>
  static int guarded(const F& f) noexcept {
    try {
      f();
      return kDeviceOk;
    } catch (const DeviceFailure& failure) {
      return failed(failure.status, failure.text);
    } catch (const std::bad_alloc&) {
      return failed(kDeviceOutOfMemory, "out of memory of the host");
    } catch (const std::exception& error) {
      return failed(kDeviceFailed, error.what());
    } catch (...) {
      return failed(kDeviceFailed, "an unknown failure");
    }
  }
  // Calls f(D&) during its turn.
  template <class F>
  static int on(void* device, const F& f) noexcept {
    return guarded([&] {
      D& d = *static_cast<D*>(device);
      typename D::Turn turn(d);
      f(d);
    });
  }
  // The same for functions that queue or run work. Also reports failures of earlier work.
  template <class F>
  static int working(void* device, const F& f) noexcept {
    return on(device, [&](D& d) {
      f(d);
      d.check_work();
    });
  }

  // The same for functions that return an event or null. With an event, the next function reports
  // failures of earlier work: after a failure the caller would not wait for the event.
  template <class F>
  static int with_event(void* device, void** event, const F& f) noexcept {
    *event = nullptr;
    return on(device, [&](D& d) {
      *event = f(d);
      if (!*event) d.check_work();
    });
  }

  static const char* message() { return text(); }

  static int count(int* devices) {
    *devices = 0;
    return guarded([&] { *devices = D::count(); });
  }
  static int open(int index, void** device) {
    return guarded([&] { *device = D::open(index); });
  }
  static int properties(int index, DeviceProperties* out) {
    return guarded([&] { *out = D::properties(index); });
  }

  static int allocate(void* device, size_t bytes, int for_copy, void** block) {
    return working(device, [&](D& d) {
      d.begin_operation();
      *block = for_copy ? d.allocate_for_copy(bytes) : d.allocate_block(bytes);
    });
  }
  static void release(void* device, void* block) {
    on(device, [&](D& d) { d.release_block(block); });
  }
  static int allocate_host(void* device, size_t bytes, void** block) {
    return on(device, [&](D& d) { *block = d.allocate_host(bytes); });
  }
  static void release_host(void* device, void* block) {
    on(device, [&](D& d) { d.release_host(block); });
  }

  static int zero(void* device, void* block, size_t bytes) {
    return working(device, [&](D& d) { d.zero(block, bytes); });
  }
  static int copy(void* device, CopyKind kind, void* to, const void* from, size_t bytes) {
    return working(device, [&](D& d) { d.copy(kind, to, from, bytes); });
  }
  static int upload(void* device, void* to, const void* from, size_t bytes, int is_new,
                    void** event) {
    return with_event(device, event, [&](D& d) { return d.upload(to, from, bytes, is_new != 0); });
  }
  static int copy_peer(void* device, void* to, void* from_device, const void* from, size_t bytes) {
    D& other = *static_cast<D*>(from_device);
    return working(device, [&](D& d) { d.copy_peer(to, other, from, bytes); });
  }
  static int copy_async(void* device, CopyKind kind, void* to, const void* from, size_t bytes,
                        int is_new, void** event) {
    return with_event(device, event,
                      [&](D& d) { return d.copy_async(kind, to, from, bytes, is_new != 0); });
  }
  static int wait(void* device, void* event) {
    if (D::is_over(event)) return kDeviceOk;
    return working(device, [&](D& d) { d.wait(event); });
  }
  static int order(void* device, void* event) {
    return working(device, [&](D& d) { d.order(event); });
  }
  static void release_event(void* device, void* event) {
    on(device, [&](D& d) { d.release_event(event); });
  }

  static int synchronize(void* device) {
    return working(device, [](D& d) { d.synchronize(); });
  }
  static int finish(void* device) {
    return working(device, [](D& d) { d.finish(); });
  }
  static void* stream(void* device) { return static_cast<D*>(device)->stream_handle(); }
  static void assertion(void* device, DeviceAssertion* out) {
    *out = DeviceAssertion();
    on(device, [&](D& d) { *out = d.take_assertion(); });
  }
  static int usage(void* device, DeviceUsage* out) {
    return on(device, [&](D& d) { *out = d.usage(); });
  }
  static int empty_cache(void* device) {
    return working(device, [](D& d) { d.empty_cache(); });
  }

  static int run(void* device, int op, const void* call) {
    return working(device, [&](D& d) {
      d.begin_operation();
      try {
        run_device_op(d, op, call);
      } catch (const std::bad_alloc&) {
        fail(d.status_without_memory(), "out of memory of the host");
      }
    });
  }
};

}  // namespace th

#endif

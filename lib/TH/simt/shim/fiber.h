#ifndef TH_SIMT_SHIM_FIBER_H
#define TH_SIMT_SHIM_FIBER_H

// Fibers: stacks that one system thread switches between. Sanitizers are notified of each switch.

#include <cstddef>

// On x86-64, fibers switch in a few instructions; elsewhere, or if requested, by ucontext.
#if !defined(__x86_64__) || defined(TH_UCONTEXT_FIBERS)
#define TH_UCONTEXT 1
#include <ucontext.h>
#endif

namespace th::simt {

class Fiber {
 public:
  // Represents the current stack of the caller.
  Fiber();
  // Allocates a stack. entry starts at the first switch to the fiber. It must not return.
  explicit Fiber(void (*entry)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Saves the caller in `from`, which must be the running fiber, and continues `to`. Returns at the
  // next switch to `from`.
  static void switch_to(Fiber& from, Fiber& to);

 private:
  static void begin();
  void arrived();

  void (*entry_)() = nullptr;
  void* mapping_ = nullptr;  // starts with a guard page
#ifndef TH_UCONTEXT
  void* saved_ = nullptr;
#else
  ucontext_t context_;
#endif
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  // Used by sanitizers.
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
};

}  // namespace th::simt

#endif

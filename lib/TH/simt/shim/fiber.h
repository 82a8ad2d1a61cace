#ifndef TH_SIMT_SHIM_FIBER_H
#define TH_SIMT_SHIM_FIBER_H

// Stacks that one thread of the system switches between; sanitizers are told of each switch.

#include <cstddef>

// On x86-64 fibers switch in a few instructions; elsewhere, or where asked for, by ucontext.
#if !defined(__x86_64__) || defined(TH_UCONTEXT_FIBERS)
#define TH_UCONTEXT 1
#include <ucontext.h>
#endif

namespace th::simt {

class Fiber {
 public:
  // The stack that the caller is on.
  Fiber();
  // A stack of its own. entry begins when the fiber is first switched to; it must not return.
  explicit Fiber(void (*entry)());
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Saves the caller in from, which must be the fiber it runs on, and goes on in to. Returns when
  // somebody switches to from.
  static void switch_to(Fiber& from, Fiber& to);

 private:
  static void begin();
  void arrived();

  void (*entry_)() = nullptr;
  void* mapping_ = nullptr;  // with a page below that nobody may touch
#ifndef TH_UCONTEXT
  void* saved_ = nullptr;
#else
  ucontext_t context_;
#endif
  const void* bottom_ = nullptr;
  size_t size_ = 0;
  // For the sanitizers.
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
};

}  // namespace th::simt

#endif

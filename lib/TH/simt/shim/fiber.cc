#include "simt/shim/fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

#include "simt/shim/sanitizer.h"

#ifndef TH_UCONTEXT
// Pushes the callee-saved registers and pops them from the other stack. The floating-point control
// words are not saved, because kernels do not change them.
asm(R"(
  .text
  .p2align 4
  .globl th_simt_switch
  .hidden th_simt_switch
  .type th_simt_switch, @function
th_simt_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size th_simt_switch, . - th_simt_switch
)");
extern "C" void th_simt_switch(void** save, void* to);
#endif

namespace th::simt {
namespace {

#ifdef TH_ADDRESS_SANITIZER
constexpr size_t kStackBytes = 256 * 1024;
#else
constexpr size_t kStackBytes = 64 * 1024;
#endif

// The fibers of the switch in progress. Global, because one kernel runs at a time.
Fiber* leaving = nullptr;
Fiber* entering = nullptr;

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

Fiber::Fiber() {
#ifdef TH_THREAD_SANITIZER
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*entry)()) : entry_(entry) {
  size_t bytes = kStackBytes + page_bytes();
  mapping_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapping_, page_bytes(), PROT_NONE);
  char* stack = static_cast<char*>(mapping_) + page_bytes();
  // Stagger the tops of the stacks, so that they do not compete for the same cache sets.
  static unsigned made = 0;
  bottom_ = stack;
  size_ = kStackBytes - (++made * 5 % 64) * 64;
#ifndef TH_UCONTEXT
  // The initial stack of th_simt_switch: six registers, then the return address. The zero above
  // terminates backtraces and aligns the stack as after a call.
  void** top = reinterpret_cast<void**>(stack + size_);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(&Fiber::begin);
  for (int k = 0; k < 6; ++k) *--top = nullptr;
  saved_ = top;
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size_;
  context_.uc_link = nullptr;
  makecontext(&context_, &Fiber::begin, 0);
#endif
#ifdef TH_THREAD_SANITIZER
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
  if (!mapping_) return;
#ifdef TH_THREAD_SANITIZER
  __tsan_destroy_fiber(tsan_fiber_);
#endif
  unpoison(bottom_, size_);
  munmap(mapping_, kStackBytes + page_bytes());
}

// Called first on the fiber that was switched to.
void Fiber::arrived() {
#ifdef TH_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack_, &leaving->bottom_, &leaving->size_);
#endif
}

void Fiber::begin() {
  entering->arrived();
  entering->entry_();
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
  leaving = &from;
  entering = &to;
#ifdef TH_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.bottom_, to.size_);
#endif
#ifdef TH_THREAD_SANITIZER
  __tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
#ifndef TH_UCONTEXT
  th_simt_switch(&from.saved_, to.saved_);
#else
  swapcontext(&from.context_, &to.context_);
#endif
  from.arrived();
}

}  // namespace th::simt

// operator new by malloc, for processes in which it is a sanitizer's that calls none.

#include <cstdlib>
#include <new>

#include "failing_malloc.h"

extern "C" void* __interceptor_malloc(size_t bytes);
extern "C" void* __interceptor_memalign(size_t alignment, size_t bytes);

namespace {

void* new_or_null(size_t bytes, const void* caller) {
  return failing_malloc_fails(caller) ? nullptr : __interceptor_malloc(bytes ? bytes : 1);
}
void* checked(void* block) {
  if (!block) throw std::bad_alloc();
  return block;
}
void* aligned(size_t bytes, std::align_val_t alignment, const void* caller) {
  return checked(failing_malloc_fails(caller)
                     ? nullptr
                     : __interceptor_memalign(static_cast<size_t>(alignment), bytes));
}

}  // namespace

#define CALLER __builtin_return_address(0)

void* operator new(size_t bytes) { return checked(new_or_null(bytes, CALLER)); }
void* operator new[](size_t bytes) { return checked(new_or_null(bytes, CALLER)); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return new_or_null(bytes, CALLER);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return new_or_null(bytes, CALLER);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return aligned(bytes, alignment, CALLER);
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return aligned(bytes, alignment, CALLER);
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { std::free(block); }

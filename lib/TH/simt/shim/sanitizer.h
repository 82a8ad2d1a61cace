#ifndef TH_SIMT_SHIM_SANITIZER_H
#define TH_SIMT_SHIM_SANITIZER_H

// Detects the sanitizers of the build, and the software device's calls to them.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TH_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define TH_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TH_THREAD_SANITIZER 1
#endif
#endif

#ifdef TH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef TH_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace th {

#ifdef TH_ADDRESS_SANITIZER
constexpr bool kPoisons = true;
inline void poison(const void* block, size_t bytes) { ASAN_POISON_MEMORY_REGION(block, bytes); }
inline void unpoison(const void* block, size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(block, bytes); }
#else
constexpr bool kPoisons = false;
inline void poison(const void*, size_t) {}
inline void unpoison(const void*, size_t) {}
#endif

}  // namespace th

#endif

/* Preloaded, this library stands before the C library's malloc, or the sanitizer's. It counts the
   allocations of all threads and fails those that a test has chosen.

   It does not link the C++ library, which would get static thread-local memory by being loaded at
   the start: in a Lua interpreter it is loaded with the module.

   Allocations do not fail for callers that end the process or do not check: OpenMP, libgcc, the
   libraries of BLAS, lua-cjson, and LuaJIT, whose code for memory is not ours. Nor do they fail
   within dlopen: if the dynamic linker of glibc 2.36 runs out of memory there, exceptions cannot
   pass through the library that is loaded next. */

#define _GNU_SOURCE
#include "failing_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t n, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* block);
/* AddressSanitizer's, if the process has it. */
extern void* __interceptor_malloc(size_t bytes) __attribute__((weak));
extern void* __interceptor_calloc(size_t n, size_t bytes) __attribute__((weak));
extern void* __interceptor_realloc(void* block, size_t bytes) __attribute__((weak));
extern void* __interceptor_memalign(size_t alignment, size_t bytes) __attribute__((weak));
extern void __interceptor_free(void* block) __attribute__((weak));

static const char* const exempt_names[] = {"libgomp", "libomp", "libgcc_s", "blas",
                                           "blis",    "lapack", "mkl",      "gfortran",
                                           "luajit",  "cjson",  "libasan",  "libubsan"};

struct range {
  uintptr_t begin, end;
  int exempt;
};
enum { most_ranges = 256 };
static struct range ranges[most_ranges];
static int range_count = 0;
static int scanning = 0;

static int armed = 0;
static int all_after = 0;
static long count = 0;
static long first_failing = 0;
static void* failed_caller = NULL;
static __thread int loading __attribute__((tls_model("initial-exec")));

static int is_exempt_name(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  for (size_t k = 0; k < sizeof(exempt_names) / sizeof(*exempt_names); ++k) {
    if (strstr(name, exempt_names[k])) return 1;
  }
  return 0;
}

static int add_object(struct dl_phdr_info* info, size_t bytes, void* data) {
  (void)bytes;
  (void)data;
  const char* path = *info->dlpi_name ? info->dlpi_name : program_invocation_name;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[k];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    if (range_count == most_ranges) return 1;
    struct range* r = &ranges[range_count];
    r->begin = info->dlpi_addr + header->p_vaddr;
    r->end = r->begin + header->p_memsz;
    r->exempt = is_exempt_name(path);
    __atomic_store_n(&range_count, range_count + 1, __ATOMIC_RELEASE);
  }
  return 0;
}

static const struct range* find_range(uintptr_t address) {
  int n = __atomic_load_n(&range_count, __ATOMIC_ACQUIRE);
  for (int k = 0; k < n; ++k) {
    if (address >= ranges[k].begin && address < ranges[k].end) return &ranges[k];
  }
  return NULL;
}

/* Code outside of all objects is LuaJIT's. */
static int is_exempt(const void* caller) {
  const struct range* range = find_range((uintptr_t)caller);
  if (!range) {
    while (__atomic_exchange_n(&scanning, 1, __ATOMIC_ACQUIRE)) {
    }
    __atomic_store_n(&range_count, 0, __ATOMIC_RELEASE);
    dl_iterate_phdr(add_object, NULL);
    __atomic_store_n(&scanning, 0, __ATOMIC_RELEASE);
    range = find_range((uintptr_t)caller);
  }
  return !range || range->exempt;
}

int failing_malloc_fails(const void* caller) {
  if (!__atomic_load_n(&armed, __ATOMIC_RELAXED) || loading || is_exempt(caller)) return 0;
  long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (first_failing == 0 || number < first_failing) return 0;
  if (number > first_failing && !all_after) return 0;
  if (number == first_failing) failed_caller = (void*)caller;
  errno = ENOMEM;
  return 1;
}

void failing_malloc_arm(long first, int all_that_follow) {
  __atomic_store_n(&armed, 0, __ATOMIC_SEQ_CST);
  count = 0;
  failed_caller = NULL;
  first_failing = first;
  all_after = all_that_follow;
  __atomic_store_n(&armed, 1, __ATOMIC_SEQ_CST);
}

long failing_malloc_disarm(void) {
  __atomic_store_n(&armed, 0, __ATOMIC_SEQ_CST);
  return count;
}

const char* failing_malloc_place(void) {
  static char text[600];
  Dl_info info;
  if (!failed_caller) return "";
  if (!dladdr(failed_caller, &info)) return "unknown";
  const char* slash = strrchr(info.dli_fname, '/');
  snprintf(text, sizeof(text), "%s+0x%lx %s", slash ? slash + 1 : info.dli_fname,
           (unsigned long)((char*)failed_caller - (char*)info.dli_fbase),
           info.dli_sname ? info.dli_sname : "");
  return text;
}

#define CALLER __builtin_return_address(0)

void* malloc(size_t bytes) {
  if (failing_malloc_fails(CALLER)) return NULL;
  return __interceptor_malloc ? __interceptor_malloc(bytes) : __libc_malloc(bytes);
}

void* calloc(size_t n, size_t bytes) {
  if (failing_malloc_fails(CALLER)) return NULL;
  return __interceptor_calloc ? __interceptor_calloc(n, bytes) : __libc_calloc(n, bytes);
}

void* realloc(void* block, size_t bytes) {
  if (bytes > 0 && failing_malloc_fails(CALLER)) return NULL;
  return __interceptor_realloc ? __interceptor_realloc(block, bytes) : __libc_realloc(block, bytes);
}

void free(void* block) {
  if (__interceptor_free) {
    __interceptor_free(block);
  } else {
    __libc_free(block);
  }
}

static void* aligned(size_t alignment, size_t bytes, const void* caller) {
  if (failing_malloc_fails(caller)) return NULL;
  return __interceptor_memalign ? __interceptor_memalign(alignment, bytes)
                                : __libc_memalign(alignment, bytes);
}

void* memalign(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }

void* aligned_alloc(size_t alignment, size_t bytes) { return aligned(alignment, bytes, CALLER); }

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  void* made = aligned(alignment, bytes, CALLER);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

/* Large blocks and stacks. */
void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  typedef void* (*function)(void*, size_t, int, int, int, off_t);
  static function next = NULL;
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "mmap");
  if ((flags & MAP_ANONYMOUS) && protection != PROT_NONE && failing_malloc_fails(CALLER)) {
    return MAP_FAILED;
  }
  return next(address, bytes, protection, flags, fd, offset);
}

void* dlopen(const char* file, int mode) {
  typedef void* (*function)(const char*, int);
  static function next = NULL;
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "dlopen");
  ++loading;
  void* library = next(file, mode);
  --loading;
  return library;
}

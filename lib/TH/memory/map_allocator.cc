// Files and shared memory as blocks.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/error.h"
#include "memory/descriptor.h"
#include "memory/heap.h"
#include "memory/map_allocator.h"

namespace th {
namespace {

// Size of the reference count before the data, so that the data is aligned like any block.
constexpr ptrdiff_t kCountBytes = 64;

[[noreturn]] void fail_of_file(const THMapAllocatorContext& ctx, const char* what) {
  fail("%s <%s>: %s", what, ctx.name.c_str(), std::strerror(errno));
}

// The contexts of all mapped files, as an intrusive list.
std::mutex mapped_lock;
THMapAllocatorContext* first_mapped = nullptr;

void add_mapped(THMapAllocatorContext* ctx) {
  std::lock_guard<std::mutex> guard(mapped_lock);
  ctx->next = first_mapped;
  if (first_mapped) first_mapped->previous = ctx;
  first_mapped = ctx;
}
void remove_mapped(THMapAllocatorContext* ctx) noexcept {
  std::lock_guard<std::mutex> guard(mapped_lock);
  if (ctx->next) ctx->next->previous = ctx->previous;
  if (ctx->previous) {
    ctx->previous->next = ctx->next;
  } else {
    first_mapped = ctx->next;
  }
  ctx->next = ctx->previous = nullptr;
}

// created: set to true if the file did not exist.
int open_file(const THMapAllocatorContext& ctx, bool* created) {
  int mode = ctx.shared() ? O_RDWR : O_RDONLY;
  if (ctx.shared() && !ctx.has(TH_ALLOCATOR_MAPPED_NOCREATE)) mode |= O_CREAT;
  const bool exclusive = ctx.has(TH_ALLOCATOR_MAPPED_EXCLUSIVE);
  auto open_as = [&](int flags) {
    constexpr mode_t rights = S_IRUSR | S_IWUSR;
    return ctx.has(TH_ALLOCATOR_MAPPED_SHAREDMEM) ? shm_open(ctx.name.c_str(), flags, rights)
                                                  : open(ctx.name.c_str(), flags, rights);
  };
  int fd = open_as(exclusive || mode & O_CREAT ? mode | O_EXCL : mode);
  *created = fd >= 0 && mode & O_CREAT;
  if (fd < 0 && errno == EEXIST && !exclusive) fd = open_as(mode);
  if (fd < 0) fail_of_file(ctx, ctx.shared() ? "cannot open to write" : "cannot open");
  return fd;
}

void remove_name(const THMapAllocatorContext& ctx) noexcept {
  if (ctx.has(TH_ALLOCATOR_MAPPED_SHAREDMEM)) {
    shm_unlink(ctx.name.c_str());
  } else {
    unlink(ctx.name.c_str());
  }
}

// Extends a file. Reserves the space where the file system can: writing to a page for which the
// disk has none ends the process.
void extend(const THMapAllocatorContext& ctx, int fd, ptrdiff_t length, ptrdiff_t bytes) {
  if (ftruncate(fd, bytes) != 0) fail_of_file(ctx, "cannot extend");
#ifdef FALLOC_FL_KEEP_SIZE
  if (fallocate(fd, 0, length, bytes - length) == 0) return;
  const int failure = errno;
  if (failure != ENOSPC && failure != EDQUOT && failure != EFBIG) return;
  if (ftruncate(fd, length) != 0) {
    // The file stays longer.
  }
  errno = failure;
  fail_of_file(ctx, "cannot extend");
#endif
}

// Returns the number of bytes between the beginning of the block's first page and the block.
ptrdiff_t bytes_before(const THMapAllocatorContext& ctx) {
  return ctx.first % static_cast<ptrdiff_t>(sysconf(_SC_PAGESIZE));
}

// Maps a number of bytes of the file and returns the block. 0: all bytes; then *size is set.
void* map_file(THMapAllocatorContext* ctx, int fd, ptrdiff_t* size) {
  ptrdiff_t bytes = *size;
  struct stat state;
  if (fstat(fd, &state) != 0) fail_of_file(*ctx, "cannot find the size of");
  if (S_ISDIR(state.st_mode)) {
    errno = EISDIR;
    fail_of_file(*ctx, "cannot map");
  }
  auto length = static_cast<ptrdiff_t>(state.st_size);
  if (bytes == 0) bytes = length - ctx->first;
  const ptrdiff_t end = ctx->first + bytes;
  if (end > length) {
    if (!ctx->shared()) {
      fail("<%s> has %td bytes, and %td are needed", ctx->name.c_str(), length, end);
    }
    extend(*ctx, fd, length, end);
  }
  void* block = nullptr;
  if (bytes) {
    // Only written pages of a private mapping need memory, so files may be larger than the memory.
    const int flags = ctx->shared() ? MAP_SHARED : MAP_PRIVATE | MAP_NORESERVE;
    const ptrdiff_t before = bytes_before(*ctx);
    void* pages = try_to_allocate([&] {
      void* mapped =
          mmap(nullptr, before + bytes, PROT_READ | PROT_WRITE, flags, fd, ctx->first - before);
      return mapped == MAP_FAILED && errno == ENOMEM ? nullptr : mapped;
    });
    if (!pages || pages == MAP_FAILED) fail_of_file(*ctx, "cannot map");
    block = static_cast<char*>(pages) + before;
    ctx->device = state.st_dev;
    ctx->inode = state.st_ino;
    add_mapped(ctx);
  }
  *size = bytes;
  return block;
}

}  // namespace

void* map(THMapAllocatorContext* ctx, ptrdiff_t bytes) {
  if (ctx->bytes) fail("<%s> is mapped already by this context", ctx->name.c_str());
  bool has_descriptor = ctx->has(TH_ALLOCATOR_MAPPED_FROMFD), created = false;
  Descriptor opened(has_descriptor ? -1 : open_file(*ctx, &created));
  int fd = has_descriptor ? ctx->fd : opened.get();
  void* block = nullptr;
  try {
    block = map_file(ctx, fd, &bytes);
  } catch (...) {
    if (created) remove_name(*ctx);
    throw;
  }
  ctx->bytes = bytes;
  ctx->opened = true;
  // Kept when the file was empty.
  if (!has_descriptor && ctx->fd >= 0) close(ctx->fd);
  bool keep = ctx->has(TH_ALLOCATOR_MAPPED_KEEPFD);
  if (has_descriptor && !keep) close(fd);
  if (!has_descriptor && keep) opened.release();
  ctx->fd = keep ? fd : -1;
  if (ctx->has(TH_ALLOCATOR_MAPPED_UNLINK)) remove_name(*ctx);
  return block;
}

namespace {

void unmap(THMapAllocatorContext* ctx, void* block) noexcept {
  if (!block) return;
  const ptrdiff_t before = bytes_before(*ctx);
  munmap(static_cast<char*>(block) - before, before + ctx->bytes);
  remove_mapped(ctx);
}

int* count_of(void* data) { return reinterpret_cast<int*>(static_cast<char*>(data) - kCountBytes); }

}  // namespace

void release_mapped(THMapAllocatorContext* ctx, void* block) noexcept {
  unmap(ctx, block);
  bool named = !ctx->has(TH_ALLOCATOR_MAPPED_FROMFD | TH_ALLOCATOR_MAPPED_UNLINK);
  if (named && ctx->has(TH_ALLOCATOR_MAPPED_SHAREDMEM)) remove_name(*ctx);
  delete ctx;
}

void* map_counted(THMapAllocatorContext* ctx, ptrdiff_t bytes) {
  if (!ctx->has(TH_ALLOCATOR_MAPPED_SHAREDMEM) || ctx->has(TH_ALLOCATOR_MAPPED_FROMFD) ||
      ctx->has(TH_ALLOCATOR_MAPPED_KEEPFD) || ctx->has(TH_ALLOCATOR_MAPPED_UNLINK)) {
    fail("reference-counted memory must be shared memory with a name, without a descriptor");
  }
  if (bytes < 0 || bytes > PTRDIFF_MAX - kCountBytes) fail("invalid size of %td bytes", bytes);
  void* block = map(ctx, bytes + kCountBytes);
  void* data = static_cast<char*>(block) + kCountBytes;
  THRefcountedMapAllocator_incref(ctx, data);
  return data;
}

void release_counted(THMapAllocatorContext* ctx, void* data) noexcept {
  if (data) {
    if (THRefcountedMapAllocator_decref(ctx, data)) remove_name(*ctx);
    unmap(ctx, static_cast<char*>(data) - kCountBytes);
  }
  delete ctx;
}

bool is_mapped(dev_t device, ino_t inode) {
  std::lock_guard<std::mutex> guard(mapped_lock);
  for (auto* ctx = first_mapped; ctx; ctx = ctx->next) {
    if (ctx->device == device && ctx->inode == inode) return true;
  }
  return false;
}

}  // namespace th

extern "C" {

void THRefcountedMapAllocator_incref(THMapAllocatorContext*, void* data) {
  __atomic_fetch_add(th::count_of(data), 1, __ATOMIC_SEQ_CST);
}
int THRefcountedMapAllocator_decref(THMapAllocatorContext*, void* data) {
  return __atomic_sub_fetch(th::count_of(data), 1, __ATOMIC_SEQ_CST) == 0;
}
}

#ifndef TH_MEMORY_MAP_ALLOCATOR_H
#define TH_MEMORY_MAP_ALLOCATOR_H

#include <sys/types.h>
#include <unistd.h>

#include <string>

#include "THAllocator.h"
#include "base/visibility.h"

// The context of the allocators of files and shared memory.
struct THMapAllocatorContext {
  std::string name;
  int flags;
  int fd;               // the caller's descriptor, or one kept for the caller
  ptrdiff_t first = 0;  // the byte of the file at which the block begins
  ptrdiff_t bytes = 0;
  bool opened = false;  // by the allocator; an empty file has no bytes

  // Valid while the file is mapped.
  dev_t device = 0;
  ino_t inode = 0;
  THMapAllocatorContext *next = nullptr, *previous = nullptr;

  THMapAllocatorContext(const char* filename, int flag_bits, int descriptor)
      : name(filename ? filename : ""), flags(flag_bits), fd(descriptor) {}
  ~THMapAllocatorContext() {
    if (opened && fd >= 0) close(fd);
  }
  THMapAllocatorContext(const THMapAllocatorContext&) = delete;
  THMapAllocatorContext& operator=(const THMapAllocatorContext&) = delete;

  bool has(int flag) const { return (flags & flag) != 0; }
  bool shared() const { return has(TH_ALLOCATOR_MAPPED_SHARED | TH_ALLOCATOR_MAPPED_SHAREDMEM); }
};

namespace th {

// The functions of THMapAllocator and THRefcountedMapAllocator. The first of each throws th::Error.
// The second frees the context, too; block may be null.
void* map(THMapAllocatorContext* ctx, ptrdiff_t bytes);
void release_mapped(THMapAllocatorContext* ctx, void* block) noexcept;
void* map_counted(THMapAllocatorContext* ctx, ptrdiff_t bytes);
void release_counted(THMapAllocatorContext* ctx, void* data) noexcept;

}  // namespace th

namespace th TH_VISIBLE {

// True if the process has mapped the file by an allocator of THAllocator.h.
bool is_mapped(dev_t device, ino_t inode);

}  // namespace TH_VISIBLE

#endif

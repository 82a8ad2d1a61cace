#include "THAllocator.h"

#include "generic/guard.h"
#include "memory/caller_blocks.h"
#include "memory/heap.h"
#include "memory/map_allocator.h"

namespace th {
namespace {

void* default_malloc(void*, ptrdiff_t size) {
  return guard([&] { return caller_allocate(size); }, "THDefaultAllocator.malloc");
}
void* default_realloc(void*, void* block, ptrdiff_t size) {
  return guard([&] { return caller_reallocate(block, size); }, "THDefaultAllocator.realloc");
}
void default_free(void*, void* block) { caller_free(block); }

THMapAllocatorContext* to_context(void* ctx) { return static_cast<THMapAllocatorContext*>(ctx); }

void* map_malloc(void* ctx, ptrdiff_t size) {
  return guard([&] { return map(to_context(ctx), size); }, "THMapAllocator.malloc");
}
void map_free(void* ctx, void* block) { release_mapped(to_context(ctx), block); }

void* counted_malloc(void* ctx, ptrdiff_t size) {
  return guard([&] { return map_counted(to_context(ctx), size); },
               "THRefcountedMapAllocator.malloc");
}
void counted_free(void* ctx, void* block) { release_counted(to_context(ctx), block); }

void* refuse_realloc(void* ctx, void*, ptrdiff_t) {
  return guard(
      [&]() -> void* {
        fail("mapped memory of <%s> cannot be resized", to_context(ctx)->name.c_str());
      },
      "THMapAllocator.realloc");
}

}  // namespace

bool is_heap(const THAllocator& allocator) noexcept {
  return &allocator == &THDefaultAllocator && allocator.malloc == default_malloc;
}

}  // namespace th

extern "C" {

THAllocator THDefaultAllocator = {th::default_malloc, th::default_realloc, th::default_free};
THAllocator THMapAllocator = {th::map_malloc, th::refuse_realloc, th::map_free};
THAllocator THRefcountedMapAllocator = {th::counted_malloc, th::refuse_realloc, th::counted_free};

THMapAllocatorContext* THMapAllocatorContext_new(const char* filename, int flags) {
  return th::guard(
      [&] { return new THMapAllocatorContext(filename, flags & ~TH_ALLOCATOR_MAPPED_FROMFD, -1); });
}
THMapAllocatorContext* THMapAllocatorContext_newWithFd(const char* filename, int fd, int flags) {
  return th::guard([&] {
    if (fd < 0) th::fail_argument(2, "an open descriptor is expected, got %d", fd);
    return new THMapAllocatorContext(filename, flags | TH_ALLOCATOR_MAPPED_FROMFD, fd);
  });
}
char* THMapAllocatorContext_filename(THMapAllocatorContext* ctx) { return ctx->name.data(); }
int THMapAllocatorContext_fd(THMapAllocatorContext* ctx) {
  return th::guard([&] {
    if (ctx->fd < 0) th::fail("the descriptor of <%s> was not kept", ctx->name.c_str());
    return ctx->fd;
  });
}
ptrdiff_t THMapAllocatorContext_size(THMapAllocatorContext* ctx) { return ctx->bytes; }
void THMapAllocatorContext_free(THMapAllocatorContext* ctx) { delete ctx; }
}

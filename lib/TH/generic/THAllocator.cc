#include "THAllocator.h"

#include "generic/guard.h"
#include "memory/map_allocator.h"

extern "C" {

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

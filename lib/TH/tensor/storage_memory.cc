// Storages of existing memory: files, and parts of other storages.

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "THAllocator.h"
#include "base/error.h"
#include "memory/descriptor.h"
#include "memory/map_allocator.h"
#include "tensor/checked.h"
#include "tensor/mapped_storage.h"

namespace th {

namespace {

// The context is the storage that the view refers to.
void release_viewed(void* context, void*) {
  auto* viewed = static_cast<Storage*>(context);
  viewed->memory.share_host(-1);
  unpin(viewed);
  storage_free(viewed);
}
THAllocator view_allocator = {nullptr, nullptr, release_viewed};

// Takes ownership of the context. descriptor: the descriptor of the context; null: none.
Storage* map_elements(DType type, THMapAllocatorContext* context, ptrdiff_t elements,
                      Descriptor* descriptor) {
  auto item = static_cast<ptrdiff_t>(item_size(type));
  struct Owner {
    THMapAllocatorContext* context;
    void* block = nullptr;
    bool mapped = false;  // an empty file has no block
    ~Owner() {
      if (mapped) {
        release_mapped(context, block);
      } else {
        delete context;
      }
    }
  } owner = {context};
  owner.block =
      map(owner.context, static_cast<ptrdiff_t>(checked_mul(elements, item, "a file's size")));
  owner.mapped = true;
  if (descriptor) descriptor->release();  // already closed by the allocator
  ptrdiff_t bytes = owner.context->bytes;
  if (bytes == 0) {
    // An empty file. A larger storage would not be the file's.
    Storage* empty = storage_new(type);
    empty->flag = static_cast<char>(empty->flag & ~kResizable);
    return empty;
  }
  Storage* s = storage_from_block(type, owner.block, elements ? elements : bytes / item,
                                  &THMapAllocator, owner.context);
  s->flag = static_cast<char>(s->flag & ~kResizable);
  owner.context = nullptr;
  owner.mapped = false;
  return s;
}

}  // namespace

Storage* storage_view(Storage* of, ptrdiff_t first, ptrdiff_t elements) {
  if (first < 0 || first >= of->size) {
    fail_argument(2, "an offset from 1 to %td is expected", of->size);
  }
  if (elements < 1 || elements > of->size - first) {
    fail_argument(3, "a size from 1 to %td is expected", of->size - first);
  }
  if (of->current_device()) {
    fail("%sStorage on a device cannot be viewed: copy it to the CPU first",
         name_with_article(of->dtype));
  }
  storage_to(of, nullptr);
  char* block = static_cast<char*>(of->cpu(Access::write)) +
                first * static_cast<ptrdiff_t>(item_size(of->dtype));
  Storage* view = storage_from_block(of->dtype, block, elements, &view_allocator, of);
  view->flag = static_cast<char>(view->flag & ~kResizable);
  storage_retain(of);
  pin(of);
  of->memory.share_host(1);
  view->memory.share_host(1);
  return view;
}

bool is_view(const Storage* s) noexcept { return s->memory.is_from(view_allocator); }

Storage* storage_from_file(DType type, const char* filename, ptrdiff_t elements, int flags) {
  if (!filename) fail_argument(1, "the name of a file is expected, got NULL");
  if (elements < 0) fail_argument(2, "a number of elements is expected, got %td", elements);
  auto* context = new THMapAllocatorContext(filename, flags & ~TH_ALLOCATOR_MAPPED_FROMFD, -1);
  return map_elements(type, context, elements, nullptr);
}

Storage* storage_from_descriptor(DType type, const char* name, int fd, ptrdiff_t first,
                                 ptrdiff_t elements) {
  Descriptor own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.is_open()) fail("cannot map <%s>: %s", name, std::strerror(errno));
  auto* context = new THMapAllocatorContext(name, TH_ALLOCATOR_MAPPED_FROMFD, own.get());
  context->first = first;
  return map_elements(type, context, elements, &own);
}

}  // namespace th

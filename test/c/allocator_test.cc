// The allocators of THAllocator.h, called directly: they raise errors as other C functions do.

#include <gtest/gtest.h>

#include <string>

#include "TH.h"

namespace {

template <class F>
std::string error_of(F body) {
  char message[300] = "";
  auto call = [](void* data) { (*static_cast<F*>(data))(); };
  return THTry(call, &body, message, sizeof(message)) ? message : "";
}

TEST(Allocator, TheDefaultOneRaisesErrors) {
  constexpr ptrdiff_t huge = ptrdiff_t{1} << 60;
  const auto allocate = [](ptrdiff_t size) { THDefaultAllocator.malloc(nullptr, size); };
  EXPECT_NE(error_of([&] { allocate(huge); }).find("THDefaultAllocator.malloc: out of memory"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { allocate(-5); }), "THDefaultAllocator.malloc: invalid size of -5 bytes");
  auto* block = static_cast<char*>(THDefaultAllocator.malloc(nullptr, 10));
  block[9] = 7;
  for (ptrdiff_t size : {huge, ptrdiff_t{-1}}) {
    const std::string error = error_of([&] { THDefaultAllocator.realloc(nullptr, block, size); });
    EXPECT_EQ(error.rfind("THDefaultAllocator.realloc: ", 0), 0u) << error;
  }
  EXPECT_EQ(block[9], 7);
  THDefaultAllocator.free(nullptr, block);
}

TEST(Allocator, ThoseOfFilesRaiseErrors) {
  auto* context = THMapAllocatorContext_new("/no/such/file", 0);
  const std::string missing = "cannot open </no/such/file>";
  std::string error = error_of([&] { THMapAllocator.malloc(context, 100); });
  EXPECT_EQ(error.rfind("THMapAllocator.malloc: " + missing, 0), 0u) << error;
  error = error_of([&] { THMapAllocator.realloc(context, nullptr, 100); });
  EXPECT_NE(error.find("cannot be resized"), std::string::npos) << error;
  error = error_of([&] { THRefcountedMapAllocator.malloc(context, 100); });
  EXPECT_NE(error.find("must be shared memory"), std::string::npos) << error;
  // The context stays the caller's.
  error = error_of([&] { THFloatStorage_newWithAllocator(4, &THMapAllocator, context); });
  EXPECT_NE(error.find(missing), std::string::npos) << error;
  THMapAllocatorContext_free(context);
}

}  // namespace

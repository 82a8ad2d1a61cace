#ifndef TH_GENERIC_FILE

// C functions that print tensors.

#include "TH.h"

#include <cerrno>
#include <cstring>

#include "generic/bridge.h"
#include "io/print.h"
#include "memory/caller_blocks.h"

namespace th {
namespace {

std::string printed_text(Tensor* t, const THPrintOptions* options) {
  if (!t) fail_argument(1, "a tensor is expected, got NULL");
  THPrintOptions defaults;
  THPrintOptions_init(&defaults, 0);
  return printed(*t, tensor_class_name(t->dtype), options ? *options : defaults);
}

char* text_block(const std::string& text) {
  auto* block = static_cast<char*>(caller_allocate(text.size() + 1));
  std::memcpy(block, text.c_str(), text.size() + 1);
  return block;
}

void write_to_stream(FILE* stream, const std::string& text) {
  if (!stream) fail_argument(2, "a stream is expected, got NULL");
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size()) {
    fail("the text cannot be written: %s", std::strerror(errno));
  }
}

}  // namespace
}  // namespace th

void THPrintOptions_init(THPrintOptions* self, int torch7) {
  *self = {1000, 3, 80, 4, torch7, torch7, torch7, torch7};
}

#define TH_GENERIC_FILE "generic/THPrint.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

char* THTensor_(toString)(THTensor* self, const THPrintOptions* options) {
  return th::guard(
      [&] { return th::text_block(th::printed_text(th::erase_tensor(self), options)); });
}
void THTensor_(print)(THTensor* self, FILE* stream) {
  th::guard(
      [&] { th::write_to_stream(stream, th::printed_text(th::erase_tensor(self), nullptr)); });
}
}

#endif

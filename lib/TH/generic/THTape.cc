#ifndef TH_GENERIC_FILE

// Gradients: the C interface of the tape.

#include "TH.h"

#include "generic/bridge.h"
#include "grad/tape.h"

namespace {

th::grad::Tape& tape_of(THTape* tape) {
  if (!tape) th::fail_argument(1, "a tape is expected, got NULL");
  return *reinterpret_cast<th::grad::Tape*>(tape);
}

}  // namespace

extern "C" {

THTape* THTape_new(void) {
  return th::guard([] { return reinterpret_cast<THTape*>(new th::grad::Tape); });
}
void THTape_free(THTape* tape) { delete reinterpret_cast<th::grad::Tape*>(tape); }
void THTape_start(THTape* tape) {
  th::guard([&] { tape_of(tape).start(); });
}
void THTape_stop(THTape* tape) {
  th::guard([&] { tape_of(tape).stop(); });
}
void THTape_run(THTape* tape) {
  th::guard([&] {
    if (tape_of(tape).run()) th::fail("the tape has rules of Lua functions");
  });
}
THDoubleTensor* THTape_newNumber(void) {
  return th::guard([] {
    th::Tensor* number = th::grad::tracked_number();
    if (number) {
      th::tensor_retain(number);
      th::expose_to_c(number);
    }
    return reinterpret_cast<THDoubleTensor*>(number);
  });
}
void THTape_keptCopies(THCopyCount* count) {
  const auto copies = th::grad::kept_copies();
  *count = {copies.copies, copies.bytes};
}
}

#define TH_GENERIC_FILE "generic/THTape.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

void THTensor_(track)(THTape* tape, THTensor* self) {
  th::guard([&] { tape_of(tape).track(th::erase_tensor(self)); });
}
int THTensor_(isTracked)(const THTape* tape, const THTensor* self) {
  return th::guard(
      [&]() -> int { return tape_of(const_cast<THTape*>(tape)).tracks(*th::erase_tensor(self)); });
}
void THTensor_(addGradient)(THTape* tape, THTensor* self, THTensor* gradient) {
  th::guard([&] {
    th::Tensor* g = th::erase_tensor(gradient);
    tape_of(tape).add_gradient(th::erase_tensor(self), g);
    th::settle(g->storage);
  });
}
THTensor* THTensor_(gradient)(THTape* tape, THTensor* self) {
  return th::guard([&] {
    th::TensorRef g = tape_of(tape).gradient(*th::erase_tensor(self));
    th::expose_to_c(g.get());
    return reinterpret_cast<THTensor*>(g.release());
  });
}
}

#endif

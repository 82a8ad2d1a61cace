// The element-wise part of a step of an LSTM.

#include "base/error.h"
#include "ops/compose.h"

namespace th {

void shapes(args::lstmCell& a, Shapes& s) {
  const Tensor &gates = *a.gates, &state = *a.state;
  const bool fits = gates.nDimension == 2 && state.nDimension == 2 &&
                    gates.size[0] == state.size[0] && gates.size[1] == 4 * state.size[1];
  if (!fits) {
    s.fail(a.gates,
           "gates of size %s and a state of size %s do not fit; batch x 4 n and batch x n "
           "are expected",
           shape_text(gates).c_str(), shape_text(state).c_str());
  }
  s.set(a.h, state);
  s.set(a.c, state);
  if (a.open_) s.set(a.open_, gates, Layout::contiguous);
}
void calls(args::lstmCell& a) {
  const int64_t n = a.state->size[1];
  if (a.state->numel() == 0) return;
  TensorRef gates = shared(a.gates);
  // The functions of the gates: a hidden result, or a temporary if a C caller left it out.
  TensorRef open = a.open_
                       ? shared(a.open_)
                       : TensorRef(tensor_new_sized(gates->dtype, gates->nDimension, gates->size));
  place_result(device_of({a.gates}), open.get());
  const auto part = [&](const TensorRef& t, int64_t first, int64_t count) {
    return narrowed(t, 1, first * n, count * n);
  };
  ops::sigmoid(part(open, 0, 2).get(), part(gates, 0, 2).get());
  ops::tanh(part(open, 2, 1).get(), part(gates, 2, 1).get());
  ops::sigmoid(part(open, 3, 1).get(), part(gates, 3, 1).get());
  ops::cmul(a.c, part(open, 1, 1).get(), a.state);
  ops::addcmul(a.c, a.c, 1, part(open, 0, 1).get(), part(open, 2, 1).get());
  ops::tanh(a.h, a.c);
  ops::cmul(a.h, a.h, part(open, 3, 1).get());
}

}  // namespace th

// The derivative of the element-wise part of a recurrent layer.

#include "grad/functions.h"
#include "grad/tape.h"
#include "ops/compose.h"

namespace th::grad {

void lstm_cell_slopes(Backward& b) {
  enum { kH, kC, kGates, kState };
  const Var gates = b.value(kGates), state = b.value(kState);
  const int64_t n = state->size[1];
  if (state->numel() == 0) return;
  const auto part = [&](const Var& t, int64_t k) { return narrow(t, int64_t{1}, k * n, n); };
  const Var input = part(gates, 0), forget = part(gates, 1), candidate = part(gates, 2),
            output = part(gates, 3);
  const Var next = in_one_pass([](const auto& i, const auto& f, const auto& x,
                                  const auto& s) { return sigmoid(f) * s + sigmoid(i) * tanh(x); },
                               input, forget, candidate, state);
  const Var h = b.gradient_or_zeros(kH), c = b.gradient(kC);
  // The whole gradient of the next state: c = o * tanh(state) is another way to it.
  Var g = in_one_pass(
      [](const auto& of_h, const auto& o, const auto& s) {
        const auto y = tanh(s);
        return of_h * sigmoid(o) * (1 - y * y);
      },
      h, output, next);
  if (c) g = g + c;
  if (b.wants(kState)) {
    b.give(kState,
           in_one_pass([](const auto& v, const auto& f) { return v * sigmoid(f); }, g, forget));
  }
  if (!b.wants(kGates)) return;
  // The product of v, w and the slope of the sigmoid of x.
  const auto through = [](const auto& v, const auto& w, const auto& x) {
    const auto y = sigmoid(x);
    return v * w * (y - y * y);
  };
  const Var slope{TensorRef(tensor_new(gates->dtype))};
  const Var parts[] = {in_one_pass([&](const auto& v, const auto& x,
                                       const auto& i) { return through(v, tanh(x), i); },
                                   g, candidate, input),
                       in_one_pass(through, g, state, forget),
                       in_one_pass(
                           [](const auto& v, const auto& i, const auto& x) {
                             const auto y = tanh(x);
                             return v * sigmoid(i) * (1 - y * y);
                           },
                           g, input, candidate),
                       in_one_pass([&](const auto& v, const auto& s,
                                       const auto& o) { return through(v, tanh(s), o); },
                                   h, next, output)};
  Tensor* tensors[] = {parts[0].get(), parts[1].get(), parts[2].get(), parts[3].get()};
  ops::catArray(slope.get(), TensorList(tensors, 4), 1);
  b.give(kGates, slope);
}

}  // namespace th::grad

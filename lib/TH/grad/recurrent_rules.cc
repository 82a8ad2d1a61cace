// The derivative of the element-wise part of a recurrent layer.

#include "grad/functions.h"
#include "grad/tape.h"
#include "ops/compose.h"

namespace th::grad {

namespace {

// Computes f(values...) in one pass, and stores it in a part of the columns of r.
template <class F, class... V>
void store_columns(const Var& r, int64_t first, int64_t count, const F& f, const V&... values) {
  const Var part = narrow(r, int64_t{1}, first, count), list[] = {values...};
  if (!store_in_one_pass(part.get(), f, list, std::make_index_sequence<sizeof...(V)>())) {
    ops::copy(part.get(), f(values...).get());
  }
}

}  // namespace

void lstm_cell_slopes(Backward& b) {
  enum { kH, kC, kOpen, kGates, kState };
  const Var gates = b.value(kGates), state = b.value(kState);
  const int64_t n = state->size[1];
  if (state->numel() == 0) return;
  const auto part = [&](const Var& t, int64_t k) { return narrow(t, int64_t{1}, k * n, n); };
  // The functions of the gates, and the next state. They were kept, but only functions of the
  // operands have gradients of their own.
  Var open = b.kept_value(kOpen), next = b.kept_value(kC);
  const bool again = !open || !next || is_recording();
  const auto opened = [&](int64_t k) {
    if (!again) return part(open, k);
    return k == 2 ? tanh(part(gates, k)) : sigmoid(part(gates, k));
  };
  const Var i = opened(0), f = opened(1), x = opened(2), o = opened(3);
  if (again) next = f * state + i * x;
  const Var y = tanh(next), h = b.gradient_or_zeros(kH), c = b.gradient(kC);
  // The whole gradient of the next state: h = o * tanh(c) is another way to it.
  const auto through_h = [](const auto& g, const auto& out, const auto& v) {
    return g * out * (1 - v * v);
  };
  const Var g =
      c ? in_one_pass([&](const auto& gc, const auto&... v) { return gc + through_h(v...); }, c, h,
                      o, y)
        : in_one_pass(through_h, h, o, y);
  if (b.wants(kState)) b.give(kState, g * f);
  if (!b.wants(kGates)) return;
  // v times w times the slope of the sigmoid or of tanh, from its value.
  const auto sigmoid_slope = [](const auto& v, const auto& w, const auto& s) {
    return v * w * (s - s * s);
  };
  const auto tanh_slope = [](const auto& v, const auto& w, const auto& t) {
    return v * w * (1 - t * t);
  };
  const Var slope(new_tensor(gates->dtype, 2, gates->size, *gates));
  store_columns(slope, 0, n, sigmoid_slope, g, x, i);
  store_columns(slope, n, n, sigmoid_slope, g, state, f);
  store_columns(slope, 2 * n, n, tanh_slope, g, i, x);
  store_columns(slope, 3 * n, n, sigmoid_slope, h, y, o);
  b.give(kGates, slope);
}

}  // namespace th::grad

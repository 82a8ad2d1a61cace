// The element-wise part of a step of an LSTM, and its gradients. One thread for each element of the
// state.

#include "functors/functors.h"
#include "simt/launch.h"
#include "tensor/type_sets.h"

namespace th {

namespace {

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Calls f(k, gate): the position of an element, and that of its first gate.
template <class F>
__device__ void each_element(int64_t batch, int64_t n, const F& f) {
  const int64_t count = batch * n, step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t k = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; k < count; k += step) f(k, 4 * (k / n) * n + k % n);
}

template <class T>
__global__ void find_cells(LstmCellCall c) {
  using A = ComputeOf<T>;
  const functor::sigmoid<A> sigmoid(nullptr);
  const functor::tanh<A> tanh(nullptr);
  const auto gate_at = [&](int64_t k) -> A {
    const A x = load(reinterpret_cast<const T*>(c.gates)[k]);
    return c.products ? x + load(reinterpret_cast<const T*>(c.products)[k]) : x;
  };
  T* open = reinterpret_cast<T*>(c.open);
  each_element(c.batch, c.n, [&](int64_t k, int64_t gate) {
    const A input = sigmoid(gate_at(gate)), forget = sigmoid(gate_at(gate + c.n));
    const A candidate = tanh(gate_at(gate + 2 * c.n)), output = sigmoid(gate_at(gate + 3 * c.n));
    const A next = forget * load(reinterpret_cast<const T*>(c.state)[k]) + input * candidate;
    if (open) {
      open[gate] = convert<T>(input);
      open[gate + c.n] = convert<T>(forget);
      open[gate + 2 * c.n] = convert<T>(candidate);
      open[gate + 3 * c.n] = convert<T>(output);
    }
    reinterpret_cast<T*>(c.c)[k] = convert<T>(next);
    reinterpret_cast<T*>(c.h)[k] = convert<T>(output * tanh(next));
  });
}

template <class T>
__global__ void find_slopes(LstmCellSlopesCall c) {
  using A = ComputeOf<T>;
  const functor::tanh<A> tanh(nullptr);
  const auto element = [](const char* data, int64_t k) -> A {
    return data ? load(reinterpret_cast<const T*>(data)[k]) : A(0);
  };
  T* slopes = reinterpret_cast<T*>(c.gate_slopes);
  each_element(c.batch, c.n, [&](int64_t k, int64_t gate) {
    const A input = element(c.open, gate), forget = element(c.open, gate + c.n);
    const A candidate = element(c.open, gate + 2 * c.n), output = element(c.open, gate + 3 * c.n);
    const A y = tanh(element(c.c, k)), g = element(c.h_gradient, k);
    const A whole = element(c.c_gradient, k) + g * output * (1 - y * y);
    slopes[gate] = convert<T>(whole * candidate * (input - input * input));
    slopes[gate + c.n] = convert<T>(whole * element(c.state, k) * (forget - forget * forget));
    slopes[gate + 2 * c.n] = convert<T>(whole * input * (1 - candidate * candidate));
    slopes[gate + 3 * c.n] = convert<T>(g * y * (output - output * output));
    if (c.state_slope) {
      reinterpret_cast<T*>(c.state_slope)[k] = convert<T>(whole * forget);
    }
  });
}

template <class T>
void cells_call(Queue& queue, const LstmCellCall& c) {
  TH_LAUNCH(queue, (find_cells<T>), blocks_for(queue, c.batch * c.n), kThreads, 0, c);
}
template <class T>
void slopes_call(Queue& queue, const LstmCellSlopesCall& c) {
  TH_LAUNCH(queue, (find_slopes<T>), blocks_for(queue, c.batch * c.n), kThreads, 0, c);
}

}  // namespace

void run_lstm_cell(Queue& queue, const LstmCellCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { cells_call<decltype(zero)>(queue, call); });
}
void run_lstm_cell_slopes(Queue& queue, const LstmCellSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.dtype,
                                [&](auto zero) { slopes_call<decltype(zero)>(queue, call); });
}

}  // namespace th

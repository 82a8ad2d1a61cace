// The element-wise part of a step of an LSTM, and its gradients, in one pass each.

#include "backend/cpu_backend.h"
#include "cpu/kernels/exponentials.h"
#include "cpu/parallel.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

template <class T>
using ComputeOf = typename Numeric<T>::Compute;

// Elements in the compute type. Those behind the last one are 0, so that functions of whole vectors
// can read them.
template <class A>
struct alignas(64) Block {
  A at[kBlock];

  template <class T>
  void load(const T* t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) at[i] = th::load(t[i]);
    for (int64_t i = n; i < padded_to_lanes(n); ++i) at[i] = 0;
  }
  template <class T>
  void add(const T* t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) at[i] += th::load(t[i]);
  }
  void clear(int64_t n) {
    for (int64_t i = 0; i < n; ++i) at[i] = 0;
  }
  template <class T>
  void store(T* t, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) t[i] = convert<T>(at[i]);
  }
  template <class F>
  void replace_by(int64_t n) {
    const A* const in[] = {at};
    compute_block(F(nullptr), in, at, padded_to_lanes(n), std::make_index_sequence<1>());
  }
};

// Calls f(row, first, m) for each block of m of the n elements of a row.
template <class F>
void each_block(int64_t batch, int64_t n, const F& f) {
  parallel_for(batch, Grain::costly / (n + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t first = 0; first < n; first += kBlock) {
        f(row, first, n - first < kBlock ? n - first : kBlock);
      }
    }
  });
}

template <class T>
void cells(const LstmCellCall& c) {
  using A = ComputeOf<T>;
  const auto *gates = reinterpret_cast<const T*>(c.gates),
             *products = reinterpret_cast<const T*>(c.products),
             *state = reinterpret_cast<const T*>(c.state);
  T *open = reinterpret_cast<T*>(c.open), *h = reinterpret_cast<T*>(c.h),
    *next = reinterpret_cast<T*>(c.c);
  each_block(c.batch, c.n, [&](int64_t row, int64_t first, int64_t m) {
    Block<A> input, forget, candidate, output, y;
    const int64_t at = row * c.n + first, gate = 4 * row * c.n + first;
    input.load(gates + gate, m);
    forget.load(gates + gate + c.n, m);
    candidate.load(gates + gate + 2 * c.n, m);
    output.load(gates + gate + 3 * c.n, m);
    if (products) {
      input.add(products + gate, m);
      forget.add(products + gate + c.n, m);
      candidate.add(products + gate + 2 * c.n, m);
      output.add(products + gate + 3 * c.n, m);
    }
    input.template replace_by<functor::sigmoid<A>>(m);
    forget.template replace_by<functor::sigmoid<A>>(m);
    candidate.template replace_by<functor::tanh<A>>(m);
    output.template replace_by<functor::sigmoid<A>>(m);
    if (open) {
      input.store(open + gate, m);
      forget.store(open + gate + c.n, m);
      candidate.store(open + gate + 2 * c.n, m);
      output.store(open + gate + 3 * c.n, m);
    }
    y.load(state + at, m);
    for (int64_t i = 0; i < m; ++i) {
      y.at[i] = forget.at[i] * y.at[i] + input.at[i] * candidate.at[i];
    }
    y.store(next + at, m);
    y.template replace_by<functor::tanh<A>>(m);
    for (int64_t i = 0; i < m; ++i) y.at[i] *= output.at[i];
    y.store(h + at, m);
  });
}

template <class T>
void cell_slopes(const LstmCellSlopesCall& c) {
  using A = ComputeOf<T>;
  const auto in = [](const char* data) { return reinterpret_cast<const T*>(data); };
  const T *gh = in(c.h_gradient), *gc = in(c.c_gradient), *open = in(c.open), *state = in(c.state),
          *next = in(c.c);
  T *slopes = reinterpret_cast<T*>(c.gate_slopes),
    *state_slope = reinterpret_cast<T*>(c.state_slope);
  each_block(c.batch, c.n, [&](int64_t row, int64_t first, int64_t m) {
    const int64_t at = row * c.n + first, gate = 4 * row * c.n + first;
    // Computed in these blocks, as the compiler knows that they share no memory.
    Block<A> y, g, whole, before, input, forget, candidate, output;
    y.load(next + at, m);
    y.template replace_by<functor::tanh<A>>(m);
    before.load(state + at, m);
    input.load(open + gate, m);
    forget.load(open + gate + c.n, m);
    candidate.load(open + gate + 2 * c.n, m);
    output.load(open + gate + 3 * c.n, m);
    gh ? g.load(gh + at, m) : g.clear(m);
    gc ? whole.load(gc + at, m) : whole.clear(m);
    for (int64_t i = 0; i < m; ++i) {
      const A v = y.at[i], o = output.at[i], x = input.at[i], f = forget.at[i], z = candidate.at[i];
      // The whole gradient of c, which also affects h = output * tanh(c).
      const A w = whole.at[i] + g.at[i] * o * (1 - v * v);
      output.at[i] = g.at[i] * v * (o - o * o);
      input.at[i] = w * z * (x - x * x);
      candidate.at[i] = w * x * (1 - z * z);
      forget.at[i] = w * before.at[i] * (f - f * f);
      before.at[i] = w * f;
    }
    input.store(slopes + gate, m);
    forget.store(slopes + gate + c.n, m);
    candidate.store(slopes + gate + 2 * c.n, m);
    output.store(slopes + gate + 3 * c.n, m);
    if (state_slope) before.store(state_slope + at, m);
  });
}

}  // namespace

namespace TH_ISA {

void run_lstm_cell(const LstmCellCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { cells<decltype(zero)>(call); });
}
void run_lstm_cell_slopes(const LstmCellSlopesCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { cell_slopes<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th

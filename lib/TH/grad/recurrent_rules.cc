// The derivatives of recurrent layers.

#include "grad/functions.h"
#include "grad/tape.h"
#include "ops/compose.h"

namespace th::grad {

namespace {

// Block k of four, the gates of an LSTM.
Var gate(const Var& t, int64_t k) {
  const int64_t n = t->size[1] / 4;
  return narrow(t, int64_t{1}, k * n, n);
}

struct CellSlopes {
  Var gates, state;
};

// The next output and state of an LSTM, and their gradients, by operations that have derivatives.
struct Cell {
  Cell(const Var& gates, const Var& before)
      : input(sigmoid(gate(gates, 0))),
        forget(sigmoid(gate(gates, 1))),
        candidate(tanh(gate(gates, 2))),
        output(sigmoid(gate(gates, 3))),
        state(before),
        c(forget * before + input * candidate),
        y(tanh(c)),
        h(output * y) {}

  // h_gradient, c_gradient: empty: 0, but not both.
  CellSlopes slopes(const Var& h_gradient, const Var& c_gradient) const {
    const Var gh = h_gradient ? h_gradient : filled_like(h, 0);
    Var g = gh * output * (1 - y * y);
    if (c_gradient) g = g + c_gradient;
    const auto sigmoid_slope = [](const Var& s) { return s - s * s; };
    const int64_t size[] = {h->size[0], 4 * h->size[1]};
    const Var r = filled(*h, 2, size, 0);
    ops::copy(gate(r, 0).get(), (g * candidate * sigmoid_slope(input)).get());
    ops::copy(gate(r, 1).get(), (g * state * sigmoid_slope(forget)).get());
    ops::copy(gate(r, 2).get(), (g * input * (1 - candidate * candidate)).get());
    ops::copy(gate(r, 3).get(), (gh * y * sigmoid_slope(output)).get());
    return {r, g * forget};
  }

  Var input, forget, candidate, output, state, c, y, h;
};

Var step(const Var& t, int64_t k) { return t ? select(t, int64_t{0}, k) : t; }
Var sum_of(const Var& a, const Var& b) { return a && b ? a + b : a ? a : b; }

// The gradients of an LSTM over a sequence.
class Sequence {
 public:
  enum { kH, kC, kOpen, kGates, kWeight, kOutput, kState };

  explicit Sequence(Backward& b)
      : b_(b),
        gates_(b.value(kGates)),
        weight_(b.value(kWeight)),
        output_(b.value(kOutput)),
        state_(b.value(kState)),
        gh_(b.gradient(kH)),
        gc_(b.gradient(kC)),
        steps_(gates_->size[0]) {}

  bool is_empty() const { return gates_->numel() == 0; }

  void run() {
    const Var h = b_.kept_value(kH), c = b_.kept_value(kC), open = b_.kept_value(kOpen);
    if (!h || !c || !open || is_recording()) return run_by_operations();
    const Var all(new_tensor(gates_->dtype, 3, gates_->size, *gates_));
    CellSlopes slopes;
    for (int64_t k = steps_ - 1; k >= 0; --k) {
      const Var h_gradient = output_gradient(k, slopes.gates);
      const Var c_gradient = sum_of(step(gc_, k), slopes.state);
      slopes = {step(all, k), Var(TensorRef(tensor_new(gates_->dtype)))};
      ops::lstmCellSlopes(slopes.gates.get(), slopes.state.get(), h_gradient.get(),
                          c_gradient.get(), step(open, k).get(),
                          (k > 0 ? step(c, k - 1) : state_).get(), step(c, k).get());
    }
    b_.give(kGates, all);
    give_first(slopes);
    if (!b_.wants(kWeight) || steps_ == 1) return;
    // The other steps in one product.
    const auto rows = [&](const Var& t, int64_t first) {
      const Var part = narrow(t, int64_t{0}, first, steps_ - 1);
      const int64_t size[] = {part->size[0] * part->size[1], part->size[2]};
      return reshaped(part, 2, size);
    };
    b_.give(kWeight, Product{functions::transposed(rows(all, 1)), rows(h, 0), 1});
  }

 private:
  void run_by_operations() {
    std::vector<Cell> cells;
    for (int64_t k = 0; k < steps_; ++k) {
      const Var h = k > 0 ? cells.back().h : output_;
      cells.emplace_back(step(gates_, k) + mm(h, functions::transposed(weight_)),
                         k > 0 ? cells.back().c : state_);
    }
    const Var all = filled_like(gates_, 0);
    CellSlopes slopes;
    for (int64_t k = steps_ - 1; k >= 0; --k) {
      slopes =
          cells[k].slopes(output_gradient(k, slopes.gates), sum_of(step(gc_, k), slopes.state));
      ops::copy(step(all, k).get(), slopes.gates.get());
      if (k > 0 && b_.wants(kWeight)) {
        b_.give(kWeight, Product{functions::transposed(slopes.gates), cells[k - 1].h, 1});
      }
    }
    b_.give(kGates, all);
    give_first(slopes);
  }

  // The gradient of the output of step k. next: the gradients of the gates of the step after it.
  Var output_gradient(int64_t k, const Var& next) const {
    if (!next) return step(gh_, k);
    return gh_ ? addmm(Scalar(1), step(gh_, k), Scalar(1), next, weight_) : mm(next, weight_);
  }
  // The gradients of the operands that the first step reads.
  void give_first(const CellSlopes& first) {
    if (b_.wants(kWeight)) {
      b_.give(kWeight, Product{functions::transposed(first.gates), output_, 1});
    }
    if (b_.wants(kOutput)) b_.give(kOutput, Product{first.gates, weight_, 1});
    if (b_.wants(kState)) b_.give(kState, first.state);
  }

  Backward& b_;
  const Var gates_, weight_, output_, state_, gh_, gc_;
  const int64_t steps_;
};

}  // namespace

void lstm_cell_slopes(Backward& b) {
  enum { kH, kC, kOpen, kGates, kState };
  const Var gates = b.value(kGates), state = b.value(kState);
  if (state->numel() == 0) return;
  const Var open = b.kept_value(kOpen), c = b.kept_value(kC);
  const Var h_gradient = b.gradient(kH), c_gradient = b.gradient(kC);
  CellSlopes slopes;
  if (!open || !c || is_recording()) {
    // The kept results have no derivatives by the operands.
    slopes = Cell(gates, state).slopes(h_gradient, c_gradient);
  } else {
    slopes = {Var(TensorRef(tensor_new(gates->dtype))), Var(TensorRef(tensor_new(gates->dtype)))};
    ops::lstmCellSlopes(slopes.gates.get(), slopes.state.get(), h_gradient.get(), c_gradient.get(),
                        open.get(), state.get(), c.get());
  }
  if (b.wants(kGates)) b.give(kGates, slopes.gates);
  if (b.wants(kState)) b.give(kState, slopes.state);
}

void lstm_slopes(Backward& b) {
  Sequence sequence(b);
  if (!sequence.is_empty()) sequence.run();
}

}  // namespace th::grad

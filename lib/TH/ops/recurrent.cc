// A step of an LSTM, and an LSTM over a sequence.

#include "base/error.h"
#include "ops/compose.h"
#include "ops/operands.h"

namespace th {

namespace {

// The tensors are contiguous. products: is added to the gates; null: nothing is. open: for the
// functions of the gates, may be null or `products`.
void run_cell(Op op, Tensor* gates, Tensor* products, Tensor* state, Tensor* open, Tensor* h,
              Tensor* c) {
  run(op, device_of({gates, state}), [&](Operands& at) {
    LstmCellCall call;
    call.dtype = gates->dtype;
    call.batch = state->size[0];
    call.n = state->size[1];
    call.gates = at.read(gates).data;
    call.products = products ? at.read(products).data : nullptr;
    call.state = at.read(state).data;
    call.open = !open ? nullptr : open == products ? at.write(open) : at.overwrite(open);
    call.h = at.overwrite(h);
    call.c = at.overwrite(c);
    return call;
  });
}

}  // namespace

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
  s.set(a.h, state, Layout::contiguous);
  s.set(a.c, state, Layout::contiguous);
  if (a.open_) s.set(a.open_, gates, Layout::contiguous);
}
void calls(args::lstmCell& a) {
  if (a.state->numel() == 0) return;
  TensorRef gates = contiguous(a.gates), state = contiguous(a.state);
  run_cell(a.op, gates.get(), nullptr, state.get(), a.open_, a.h, a.c);
}

void shapes(args::lstmCellSlopes& a, Shapes& s) {
  const Tensor &open = *a.open, &state = *a.state;
  const auto is_like_state = [&](const Tensor* t) { return !t || same_size(*t, state); };
  if (state.nDimension != 2 || open.nDimension != 2 || open.size[0] != state.size[0] ||
      open.size[1] != 4 * state.size[1] || !is_like_state(a.c) || !is_like_state(a.hGradient) ||
      !is_like_state(a.cGradient)) {
    s.fail(a.open, "the sizes of the gates %s and the state %s do not fit, or those of c",
           shape_text(open).c_str(), shape_text(state).c_str());
  }
  s.set(a.gateSlopes, open, Layout::contiguous);
  s.set(a.stateSlope, state, Layout::contiguous);
}
void calls(args::lstmCellSlopes& a) {
  if (a.state->numel() == 0) return;
  TensorRef open = contiguous(a.open), state = contiguous(a.state), c = contiguous(a.c);
  TensorRef h_gradient = contiguous_or_null(a.hGradient),
            c_gradient = contiguous_or_null(a.cGradient);
  run(a.op, device_of({a.open, a.state}), [&](Operands& at) {
    LstmCellSlopesCall call;
    call.dtype = a.open->dtype;
    call.batch = a.state->size[0];
    call.n = a.state->size[1];
    call.h_gradient = read_or_null(at, h_gradient);
    call.c_gradient = read_or_null(at, c_gradient);
    call.open = at.read(open.get()).data;
    call.state = at.read(state.get()).data;
    call.c = at.read(c.get()).data;
    call.gate_slopes = at.overwrite(a.gateSlopes);
    call.state_slope = at.overwrite(a.stateSlope);
    return call;
  });
}

void shapes(args::lstm& a, Shapes& s) {
  const Tensor &gates = *a.gates, &weight = *a.weight, &state = *a.state;
  const bool fits = gates.nDimension == 3 && state.nDimension == 2 && weight.nDimension == 2 &&
                    gates.size[1] == state.size[0] && gates.size[2] == 4 * state.size[1] &&
                    weight.size[0] == gates.size[2] && weight.size[1] == state.size[1] &&
                    same_size(*a.output, state);
  if (!fits) {
    s.fail(a.gates,
           "gates of size %s, a weight of size %s, an output of size %s and a state of size %s do "
           "not fit; steps x batch x 4 n, 4 n x n, batch x n and batch x n are expected",
           shape_text(gates).c_str(), shape_text(weight).c_str(), shape_text(*a.output).c_str(),
           shape_text(state).c_str());
  }
  const int64_t size[] = {gates.size[0], state.size[0], state.size[1]};
  s.set(a.h, 3, size, Layout::contiguous);
  s.set(a.c, 3, size, Layout::contiguous);
  if (a.open_) s.set(a.open_, gates, Layout::contiguous);
}
void calls(args::lstm& a) {
  if (a.h->numel() == 0) return;
  TensorRef gates = contiguous(a.gates), h = shared(a.h), c = shared(a.c);
  TensorRef weight =
      view_of(shared(a.weight), [&](Tensor* to) { views::transpose(to, a.weight, 0, 1); });
  // Products with several rows would pack it in each step.
  if (gates->size[0] > 4 && gates->size[1] > 1) weight = contiguous(weight.get());
  TensorRef output = contiguous(a.output), state = contiguous(a.state), open;
  if (!a.open_) {  // one step at a time
    open = TensorRef(tensor_new_sized(gates->dtype, 2, gates->size + 1));
    place_result(device_of({a.gates}), open.get());
  }
  for (int64_t k = 0; k < gates->size[0]; ++k) {
    if (a.open_) open = selected(shared(a.open_), 0, k);
    ops::mm(open.get(), output.get(), weight.get());
    TensorRef next_output = selected(h, 0, k), next_state = selected(c, 0, k);
    run_cell(a.op, selected(gates, 0, k).get(), open.get(), state.get(), open.get(),
             next_output.get(), next_state.get());
    output = std::move(next_output);
    state = std::move(next_state);
  }
}

}  // namespace th

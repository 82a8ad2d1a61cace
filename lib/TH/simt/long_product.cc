#include "simt/long_product.h"

namespace th {

LongProduct::LongProduct(Queue& queue, const ProductCall& call) : call_(call) {
  if (!call.sum) return;
  const int64_t depths = call.batches * call.k;
  Strides a = {call.a.batch, call.a.col, call.a.row, call.m};
  Strides b = {call.b.batch, call.b.row, call.b.col, call.n};
  if (!merge(&a)) {
    const Strides to = {call.k, 1, depths, call.m};
    call_.a.data = copy(queue, call.a.data, a, to, &a_);
    a = to;
  }
  if (!merge(&b)) {
    const Strides to = {call.k * call.n, call.n, 1, call.n};
    call_.b.data = copy(queue, call.b.data, b, to, &b_);
    b = to;
  }
  call_.a = {call_.a.data, 0, a.lane, a.depth};
  call_.b = {call_.b.data, 0, b.depth, b.lane};
  call_.k = depths;
  call_.batches = 1;
  call_.sum = false;
}

// Returns true if the batches follow each other along the depth, in a layout that BLAS supports;
// then sets the strides of the long factor.
bool LongProduct::merge(Strides* s) const {
  const int64_t depths = call_.batches * call_.k;
  Strides merged = *s;
  if (call_.k == 1 && call_.batches > 1) merged.depth = s->batch;
  if (call_.k > 1 && call_.batches > 1 && s->batch != call_.k * s->depth) return false;
  if (s->lanes == 1) merged.lane = merged.depth == 1 ? depths : 1;
  const bool fits_blas = (merged.depth == 1 && merged.lane >= depths) ||
                         (merged.lane == 1 && merged.depth >= s->lanes && merged.depth > 1);
  if (!fits_blas && !is_integral(call_.dtype)) return false;
  *s = merged;
  return true;
}

char* LongProduct::copy(Queue& queue, const char* data, const Strides& from, const Strides& to,
                        std::optional<Scratch>* scratch) const {
  const size_t item = item_size(call_.dtype);
  const int64_t size[] = {call_.batches, call_.k, from.lanes};
  const int64_t to_strides[] = {to.batch, to.depth, to.lane};
  const int64_t from_strides[] = {from.batch, from.depth, from.lane};
  CopyCall copy;
  copy.to = copy.from = call_.dtype;
  copy.plan.start(3, size);
  scratch->emplace(queue, static_cast<size_t>(copy.plan.numel) * item);
  copy.plan.add((*scratch)->as<char>(), item, to_strides);
  copy.plan.add(const_cast<char*>(data), item, from_strides);
  copy.plan.plan();
  run_copy(queue, copy);
  return (*scratch)->as<char>();
}

}  // namespace th

// Repeated elements, products of sets, combinations, and the bits of bytes.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ops/formula_operations.h"
#include "ops/rules.h"
#include "tensor/checked.h"
#include "tensor/new_vector.h"

namespace th {

namespace {

using namespace formulas;

// Requests a result with the slices of t along a dimension, each n times.
template <class A>
void set_repeated(A& a, Shapes& s, int ndim, const int64_t* t_size, int dim) {
  int64_t size[kMaxDims];
  std::copy(t_size, t_size + ndim, size);
  size[dim] = checked_mul(size[dim], a.n, "a size");
  if (ndim == kMaxDims) fail("too many dimensions: %d", kMaxDims);
  s.set(a.r_, ndim, size, Layout::contiguous);
}

void repeat_slices(Tensor* r, const Var& t, int dim, int64_t n) {
  if (r->numel() == 0) return;
  place_result(device_of({t.get()}), r);
  const Var slices = unsqueeze1d(t, int64_t{dim + 1});
  int64_t whole[kMaxDims];
  std::copy(slices->size, slices->size + slices->nDimension, whole);
  whole[dim + 1] = n;
  const Sizes sizes = {slices->nDimension, whole};
  ops::copy(with_shape(ref(r), sizes.ndim, whole).get(), expand(slices, sizes).get());
}

// Repeats slice k of t counts[k] times.
template <class A>
Var repeated_by_counts(const A& a, const Shapes& s, const Var& t, int64_t dim) {
  const Tensor& counts = *a.counts;
  if (counts.nDimension != 1 || counts.size[0] != t->size[dim]) {
    s.fail(a.counts, "a vector of %lld counts is expected, got size %s", as_long(t->size[dim]),
           shape_text(counts).c_str());
  }
  if (counts.numel() == 0) return Var(clone(t.get()));
  const int64_t least = ops::minall(a.counts).i;
  if (least < 0) {
    s.fail(a.counts, "a count is negative: %lld", as_long(least));
  }
  const Var ends = cumsum(ref(a.counts), int64_t{0});
  const int64_t total = ops::maxall(ends.get()).i;
  // The first sum that is too large wraps to a negative number.
  if (ops::minall(ends.get()).i < 0 || total == INT64_MAX) {
    s.fail(a.counts, "the sum of the counts is too large");
  }
  // Copy number k, from 0, is of the slice after all those that end at k or before.
  const Var ended = bincount(ends + TH_INDEX_BASE, total + 1);
  const Var slice = cumsum(part(ended, int64_t{0}, 0, total), int64_t{0}) + TH_INDEX_BASE;
  return indexSelect(t, dim, slice);
}

template <class A>
void check_repeats(const A& a, const Shapes& s) {
  if (a.n < 0) s.fail(a.n, "the number of repetitions is %lld", as_long(a.n));
}

// Replaces k, r of the n numbers from 0 on, by the next combination in lexicographic order.
void advance(int64_t* k, int64_t r, int64_t n, bool repeats) {
  int64_t i = r - 1;
  while (i >= 0 && k[i] == (repeats ? n - 1 : n - r + i)) --i;
  if (i < 0) return;
  ++k[i];
  for (int64_t j = i + 1; j < r; ++j) k[j] = repeats ? k[i] : k[j - 1] + 1;
}

// n over r. Throws if it is too large, after few steps, because each one at least doubles it.
int64_t number_of_combinations(int64_t n, int64_t r) {
  if (r > n) return 0;
  const int64_t least = std::min(r, n - r);
  int64_t number = 1;
  for (int64_t k = 1; k <= least; ++k) {
    // The quotient is an integer at each step.
    number = checked_mul(number, n - least + k, "the number of combinations") / k;
  }
  return number;
}

// ---- bits

constexpr int64_t kBits = 8;

// Calls f with t, dimension d moved to the end; moves the last dimension of its result back.
template <class F>
Var along_last(const Var& t, int d, const F& f) {
  const int64_t last = t->nDimension - 1;
  return transpose(f(transpose(t, int64_t{d}, last), static_cast<int>(last)), int64_t{d}, last);
}

// Returns t with a last dimension of size n divided into n / 2 times 2.
Var in_pairs(const Var& t, int last) {
  int64_t size[kMaxDims];
  std::copy_n(t->size, last, size);
  size[last] = t->size[last] / 2;
  size[last + 1] = 2;
  return with_shape(t, last + 2, size);
}
// Returns t with its last two dimensions joined.
Var joined(const Var& t, int last) {
  int64_t size[kMaxDims];
  std::copy_n(t->size, last, size);
  size[last] = t->size[last] * t->size[last + 1];
  return with_shape(t, last + 1, size);
}

template <class A>
int own_dim_of_bits(A& a, const Shapes& s) {
  if (a.t->nDimension < kMaxDims) return own_dim(a, s);
  s.fail(a.t, "at most %d dimensions are expected, got %d", kMaxDims - 1, a.t->nDimension);
}

}  // namespace

void shapes(args::repeatInterleave& a, Shapes& s) {
  check_repeats(a, s);
  set_repeated(a, s, a.t->nDimension, a.t->size, own_dim(a, s));
}
void calls(args::repeatInterleave& a) {
  repeat_slices(a.r_, ref(a.t), static_cast<int>(a.dimension), a.n);
}

void shapes(args::repeatInterleaveAll& a, Shapes& s) {
  check_repeats(a, s);
  const int64_t elements = a.t->numel();
  set_repeated(a, s, 1, &elements, 0);
}
void calls(args::repeatInterleaveAll& a) { repeat_slices(a.r_, flat(ref(a.t)), 0, a.n); }

void shapes(args::repeatInterleaveCounts& a, Shapes& s) {
  const int dim = own_dim(a, s);
  give(s, a.r_, repeated_by_counts(a, s, ref(a.t), dim));
}
void calls(args::repeatInterleaveCounts&) {}

void shapes(args::repeatInterleaveCountsAll& a, Shapes& s) {
  give(s, a.r_, repeated_by_counts(a, s, flat(ref(a.t)), 0));
}
void calls(args::repeatInterleaveCountsAll&) {}

void shapes(args::cartesianProd& a, Shapes& s) {
  if (a.inputs.count < 1) s.fail(a.inputs, "at least one vector is expected");
  int64_t size[] = {1, a.inputs.count};
  for (int k = 0; k < a.inputs.count; ++k) {
    const Tensor& t = *a.inputs.tensors[k];
    if (t.nDimension != 1) {
      s.fail(a.inputs, "vectors are expected, got size %s", shape_text(t).c_str());
    }
    size[0] = checked_mul(size[0], t.size[0], "the number of rows");
  }
  s.set(a.result, 2, size);
}
void calls(args::cartesianProd& a) {
  if (a.result->numel() == 0) return;
  int64_t before = 1;
  for (int k = 0; k < a.inputs.count; ++k) {
    Tensor* t = a.inputs.tensors[k];
    const int64_t size[] = {before, t->size[0], a.result->size[0] / before / t->size[0]};
    const int64_t own[] = {1, t->size[0], 1};
    const Var column = select(ref(a.result), int64_t{1}, int64_t{k});
    const Var values = expand(with_shape(ref(t), 3, own), Sizes{3, size});
    int64_t stride[kMaxDims];
    view_strides(*column, 3, size, stride);
    ops::copy(strided_view(*column, column->storageOffset, 3, size, stride).get(), values.get());
    before *= t->size[0];
  }
}

void shapes(args::combinations& a, Shapes& s) {
  if (a.t->nDimension != 1) {
    s.fail(a.t, "a vector is expected, got size %s", shape_text(*a.t).c_str());
  }
  if (a.r < 0) s.fail(a.r, "combinations of %lld elements", as_long(a.r));
  const int64_t n = a.t->size[0], r = a.r;
  const bool repeats = a.repeats && n > 0;
  const int64_t rows = number_of_combinations(repeats ? checked_add(n, r, "the result") - 1 : n, r);
  const int64_t size[] = {rows, r};
  if (rows == 0 || r == 0) return s.set(a.r_, 2, size);
  const int64_t elements = checked_mul(rows, r, "the result");
  std::vector<int64_t> current;
  int64_t next = r;  // an element of the current combination
  TensorRef index = new_long_vector(elements, [&](int64_t i) {
    if (i == 0) {
      // Not earlier: if r is too large, the vector of the indices fails to be allocated.
      current.resize(static_cast<size_t>(r));
      if (!a.repeats) std::iota(current.begin(), current.end(), 0);
    } else if (next == r) {
      advance(current.data(), r, n, a.repeats);
    }
    if (next == r) next = 0;
    return current[next++] + TH_INDEX_BASE;
  });
  give(s, a.r_, with_shape(indexSelect(ref(a.t), int64_t{0}, Var(std::move(index))), 2, size));
}
void calls(args::combinations&) {}

void shapes(args::packbits& a, Shapes& s) {
  const int d = own_dim_of_bits(a, s);
  give(s, a.r_, along_last(neValue(ref(a.t), Scalar(0)), d, [](const Var& t, int last) {
         const int64_t rest = t->size[last] % kBits;
         Var whole = t;
         if (rest > 0) {
           int64_t size[kMaxDims];
           std::copy_n(t->size, last, size);
           size[last] = kBits - rest;
           whole = cat(whole, filled(whole, DType::Byte, last + 1, size, 0), int64_t{last});
         }
         // Joins neighbours to numbers of 2, 4 and 8 bits.
         for (int width = 1; width < kBits; width *= 2) {
           const Var pairs = in_pairs(whole, last);
           const Var high = part(pairs, last + 1, 0, 1), low = part(pairs, last + 1, 1, 1);
           whole = cadd(low, Scalar(1 << width), high);
         }
         return joined(whole, last);
       }));
}
void calls(args::packbits&) {}

void shapes(args::unpackbits& a, Shapes& s) {
  // Each byte pairs with each number, also if there are eight bytes.
  RulesScope rules({Pairing::numpy, current_rules.torch7});
  const int d = own_dim_of_bits(a, s);
  const auto bits_of = [](const Var& byte, int last) {
    const Var bits =
        as(Var(new_long_vector(kBits, [](int64_t k) { return kBits - 1 - k; })), DType::Byte);
    return bitand(crshift(unsqueeze1d(byte, int64_t{last + 1}), bits), Scalar(1));
  };
  give(s, a.r_, along_last(as(ref(a.t), DType::Byte), d, [&](const Var& t, int last) {
         constexpr int64_t kBytes = 256;  // Taking the bits of more bytes from a table is faster.
         if (t->numel() <= kBytes) return joined(bits_of(t, last), last);
         const Var table =
             bits_of(as(Var(new_long_vector(kBytes, [](int64_t k) { return k; })), DType::Byte), 0);
         const Var index = as(flat(t), DType::Long);
         ops::add(index.get(), index.get(), TH_INDEX_BASE);
         int64_t size[kMaxDims];
         std::copy_n(t->size, last + 1, size);
         size[last + 1] = kBits;
         return joined(with_shape(indexSelect(table, int64_t{0}, index), last + 2, size), last);
       }));
}
void calls(args::unpackbits&) {}

}  // namespace th

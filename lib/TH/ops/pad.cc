// Padding.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "ops/compose.h"
#include "tensor/checked.h"
#include "tensor/new_vector.h"

namespace th {
namespace {

enum class Mode { constant, edge, reflect, symmetric, wrap };

constexpr std::pair<const char*, Mode> kModes[] = {{"constant", Mode::constant},
                                                   {"edge", Mode::edge},
                                                   {"reflect", Mode::reflect},
                                                   {"symmetric", Mode::symmetric},
                                                   {"wrap", Mode::wrap}};

const Mode* find_mode(const char* text) {
  for (const auto& mode : kModes) {
    if (std::strcmp(text, mode.first) == 0) return &mode.second;
  }
  return nullptr;
}

template <class Arguments>
void set_padded(Arguments& a, Shapes* s) {
  const Tensor& t = *a.t;
  int64_t size[kMaxDims];
  if (a.widths.ndim != 2 * t.nDimension) {
    s->fail(a.widths, "two numbers for each of %d dimensions are expected, got %d", t.nDimension,
            a.widths.ndim);
  }
  for (int d = 0; d < t.nDimension; ++d) {
    const int64_t before = a.widths.size[2 * d], after = a.widths.size[2 * d + 1];
    // Negative widths remove elements.
    const int64_t kept = checked_add(
        t.size[d], std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0), "a size");
    if (before < -t.size[d] || after < -t.size[d] || kept < 0) {
      s->fail(a.widths, "more elements are removed than dimension %lld of %s has", shown(d),
              shape_text(t).c_str());
    }
    size[d] = checked_add(t.size[d], checked_add(before, after, "a width"), "a size");
  }
  s->set(a.r_, t.nDimension, size);
}

// Returns t without the elements that negative widths remove.
template <class Arguments>
TensorRef cropped(const Arguments& a) {
  TensorRef part = shared(a.t);
  for (int d = 0; d < a.t->nDimension; ++d) {
    const int64_t before = std::max<int64_t>(-a.widths.size[2 * d], 0);
    const int64_t after = std::max<int64_t>(-a.widths.size[2 * d + 1], 0);
    if (before + after > 0) part = narrowed(part, d, before, a.t->size[d] - before - after);
  }
  return part;
}

// Returns the part of the result that holds `source`, the elements that are kept, in the dimensions
// from `first` on, and everything in those before.
template <class Arguments>
TensorRef inner(const Arguments& a, const Tensor& source, int first) {
  TensorRef part = shared(a.r_);
  for (int d = first; d < source.nDimension; ++d) {
    part = narrowed(part, d, std::max<int64_t>(a.widths.size[2 * d], 0), source.size[d]);
  }
  return part;
}

// Returns the index of the source element, of n >= 1 elements, for a position relative to the
// first. Position -1 is the one before it.
int64_t source_of(int64_t position, int64_t n, Mode mode) {
  const auto within = [position](int64_t period) { return (position % period + period) % period; };
  if (mode == Mode::wrap) return within(n);
  if (mode == Mode::edge || n == 1) return std::clamp<int64_t>(position, 0, n - 1);
  const int64_t period = mode == Mode::reflect ? 2 * n - 2 : 2 * n;
  const int64_t back = mode == Mode::reflect ? period : period - 1;
  return std::min(within(period), back - within(period));
}

// Writes elements `first` to `first` + `count` of r along a dimension. Its n elements from `before`
// on, which are repeated, are already there.
void fill_border(const TensorRef& r, int dim, int64_t first, int64_t count, int64_t before,
                 int64_t n, Mode mode) {
  if (count == 0) return;
  TensorRef border = narrowed(r, dim, first, count);
  if (mode == Mode::edge || count == 1) {
    const int64_t source = before + source_of(first - before, n, mode);
    ops::copy(border.get(), expanded(narrowed(r, dim, source, 1), *border).get());
    return;
  }
  TensorRef index = new_long_vector(
      count, [&](int64_t k) { return TH_INDEX_BASE + source_of(first + k - before, n, mode); });
  TensorRef source = narrowed(r, dim, before, n);
  ops::indexSelect(border.get(), source.get(), dim, index.get());
}

}  // namespace

void shapes(args::pad& a, Shapes& s) { set_padded(a, &s); }
void calls(args::pad& a) {
  place_result(device_of({a.t}), a.r_);
  ops::fill(a.r_, a.value);
  TensorRef source = cropped(a);
  if (source->numel() > 0) ops::copy(inner(a, *source, 0).get(), source.get());
}

void shapes(args::padMode& a, Shapes& s) {
  if (!find_mode(a.mode)) {
    s.fail(a.mode, "'constant', 'edge', 'reflect', 'symmetric' or 'wrap' is expected, got '%s'",
           a.mode);
  }
  set_padded(a, &s);
  if (*find_mode(a.mode) == Mode::constant) return;
  for (int d = 0; d < a.t->nDimension; ++d) {
    const int64_t before = a.widths.size[2 * d], after = a.widths.size[2 * d + 1];
    const int64_t kept = a.t->size[d] + std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    if (kept > 0 || (before <= 0 && after <= 0)) continue;
    s.fail(a.t, "dimension %lld of %s has no elements to repeat", shown(d),
           shape_text(*a.t).c_str());
  }
}
void calls(args::padMode& a) {
  const Mode mode = *find_mode(a.mode);
  if (mode == Mode::constant) return ops::pad(a.r_, a.t, a.widths, a.value);
  if (a.r_->numel() == 0) return;
  place_result(device_of({a.t}), a.r_);
  TensorRef source = cropped(a);
  ops::copy(inner(a, *source, 0).get(), source.get());
  // Each dimension also repeats the borders of the dimensions before it.
  for (int d = 0; d < a.t->nDimension; ++d) {
    TensorRef part = inner(a, *source, d + 1);
    const int64_t size = part->size[d], n = source->size[d];
    const int64_t before = std::max<int64_t>(a.widths.size[2 * d], 0);
    fill_border(part, d, 0, before, before, n, mode);
    fill_border(part, d, before + n, size - before - n, before, n, mode);
  }
}

}  // namespace th

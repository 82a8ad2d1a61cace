// Padding.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "ops/direct.h"
#include "ops/compose.h"
#include "tensor/checked.h"
#include "tensor/new_vector.h"

namespace th {
namespace {

enum class Mode { edge, reflect, symmetric, wrap };

Mode mode_of(const char* text) {
  const std::pair<const char*, Mode> modes[] = {{"edge", Mode::edge},
                                                {"reflect", Mode::reflect},
                                                {"symmetric", Mode::symmetric},
                                                {"wrap", Mode::wrap}};
  for (const auto& mode : modes) {
    if (std::strcmp(text, mode.first) == 0) return mode.second;
  }
  fail_argument(4, "pad: 'edge', 'reflect', 'symmetric' or 'wrap' is expected, got '%s'", text);
}

// Computes the padded shape of t.
void padded_size(const Tensor& t, Sizes widths, int64_t* size) {
  if (widths.ndim != 2 * t.nDimension) {
    fail_argument(3, "pad: two numbers for each of %d dimensions are expected, got %d",
                  t.nDimension, widths.ndim);
  }
  for (int d = 0; d < t.nDimension; ++d) {
    const int64_t before = widths.size[2 * d], behind = widths.size[2 * d + 1];
    if (before < 0 || behind < 0) {
      fail_argument(3, "pad: %lld elements cannot be added",
                    static_cast<long long>(std::min(before, behind)));
    }
    size[d] = checked_add(t.size[d], checked_add(before, behind, "a width"), "a size");
  }
  checked_numel(t.nDimension, size);
}

// Returns the index of the source element, of n >= 1 elements, for a position relative to the
// first. Position -1 is the one before it.
int64_t source_of(int64_t place, int64_t n, Mode mode) {
  const auto within = [place](int64_t period) { return (place % period + period) % period; };
  if (mode == Mode::wrap) return within(n);
  if (mode == Mode::edge || n == 1) return std::clamp<int64_t>(place, 0, n - 1);
  const int64_t period = mode == Mode::reflect ? 2 * n - 2 : 2 * n;
  const int64_t back = mode == Mode::reflect ? period : period - 1;
  return std::min(within(period), back - within(period));
}

TensorRef padded_along(const TensorRef& t, int64_t dim, int64_t before, int64_t size, Mode mode) {
  const int64_t n = t->size[dim];
  if (n == 0) {
    fail_argument(2, "pad: dimension %lld of %s has no elements to repeat", shown(dim),
                  shape_text(*t).c_str());
  }
  TensorRef index = new_long_vector(
      size, [&](int64_t k) { return TH_INDEX_BASE + source_of(k - before, n, mode); });
  return made(t->dtype, [&](Tensor* r) { ops::indexSelect(r, t.get(), dim, index.get()); });
}

}  // namespace

namespace direct {

void pad(Tensor* r, Tensor* t, Sizes widths, Scalar value) {
  check_result("pad", 1, *r, t->dtype);
  int64_t size[kMaxDims];
  padded_size(*t, widths, size);
  TensorRef all = filled(*t, t->dtype, t->nDimension, size, value);
  TensorRef inside = shared(all.get());
  for (int d = 0; d < t->nDimension; ++d) {
    inside = narrowed(inside, d, widths.size[2 * d], t->size[d]);
  }
  copy(inside.get(), t);
  deliver(r, all.get());
}

void padMode(Tensor* r, Tensor* t, Sizes widths, const char* text) {
  check_result("pad", 1, *r, t->dtype);
  const Mode mode = mode_of(text);
  int64_t size[kMaxDims];
  padded_size(*t, widths, size);
  TensorRef current = shared(t);
  for (int d = 0; d < t->nDimension; ++d) {
    if (size[d] == t->size[d]) continue;
    current = padded_along(current, d, widths.size[2 * d], size[d], mode);
  }
  deliver(r, current.get() == t ? clone(t).get() : current.get());
}

}  // namespace direct
}  // namespace th

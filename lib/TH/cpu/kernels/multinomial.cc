// Samples from multinomial distributions.

#include <cmath>

#include "base/error.h"
#include "backend/cpu_backend.h"
#include "cpu/workspace.h"
#include "functors/distributions.h"
#include "random/generator.h"
#include "tensor/convert.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// One distribution: cumulative probabilities, normalized to end at 1. Categories can be removed.
template <class T>
class Categories {
 public:
  explicit Categories(int64_t categories)
      : categories_(categories), cumulative_(categories), possible_(categories) {}

  void set(const T* p) {
    p_ = p;
    for (int64_t i = 0; i < categories_; ++i) possible_[i] = load(p[i]) > 0;
    accumulate();
  }

  int64_t draw(double u) const {
    int64_t i = 0, end = categories_;
    while (i < end) {
      int64_t middle = i + (end - i) / 2;
      if (cumulative_[middle] < u) {
        i = middle + 1;
      } else {
        end = middle;
      }
    }
    // Because of rounding, or for u = 0, the search may find a category with probability 0. Take
    // the next possible category, or the last one.
    while (i < categories_ && !possible_[i]) ++i;
    if (i < categories_) return i;
    do --i;
    while (!possible_[i]);
    return i;
  }

  // Removes a category: subtracts its probability from all later cumulative values and normalizes.
  void take_out(int64_t category) {
    double below = category > 0 ? cumulative_[category - 1] : 0;
    double probability = cumulative_[category] - below;
    double rest = 1. - probability;
    possible_[category] = false;
    if (rest < 1e-6) {
      // Normalizing a small rest would amplify its rounding errors, so recompute from p.
      accumulate();
      return;
    }
    for (int64_t i = 0; i < category; ++i) cumulative_[i] /= rest;
    for (int64_t i = category; i < categories_; ++i) {
      cumulative_[i] = (cumulative_[i] - probability) / rest;
    }
  }

 private:
  void accumulate() {
    double sum = 0;
    for (int64_t i = 0; i < categories_; ++i) {
      if (possible_[i]) sum += load(p_[i]);
      cumulative_[i] = sum;
    }
    for (int64_t i = 0; i < categories_; ++i) cumulative_[i] /= sum;
  }

  int64_t categories_;
  const T* p_ = nullptr;
  Workspace<double> cumulative_;
  Workspace<bool> possible_;
};

// The remaining probabilities of one distribution, in a binary tree of sums: a draw and the removal
// of its category take O(log n). Node k is the sum of nodes 2 k and 2 k + 1; the leaves are the
// categories. Sums are recomputed, so their rounding errors do not grow.
class SumTree {
 public:
  explicit SumTree(int64_t categories) : leaves_(leaves_for(categories)), sums_(2 * leaves_) {}

  template <class T>
  void set(const T* p, int64_t categories) {
    double* leaf = sums_.data() + leaves_;
    for (int64_t i = 0; i < leaves_; ++i) leaf[i] = i < categories ? load(p[i]) : 0.;
    for (int64_t k = leaves_ - 1; k > 0; --k) sums_[k] = sums_[2 * k] + sums_[2 * k + 1];
  }

  // Removes and returns the first category at which the cumulative sum reaches u times the total.
  // It never has probability 0.
  int64_t take(double u) {
    double target = u * sums_[1];
    int64_t k = 1;
    while (k < leaves_) {
      const double left = sums_[2 * k], right = sums_[2 * k + 1];
      k *= 2;
      if (left > 0 && (target <= left || !(right > 0))) continue;
      target -= left;
      ++k;
    }
    const int64_t category = k - leaves_;
    sums_[k] = 0;
    for (k /= 2; k > 0; k /= 2) sums_[k] = sums_[2 * k] + sums_[2 * k + 1];
    return category;
  }

 private:
  static int64_t leaves_for(int64_t categories) {
    int64_t leaves = 1;
    while (leaves < categories) leaves *= 2;
    return leaves;
  }

  int64_t leaves_;
  Workspace<double> sums_;
};

// Up to this number of categories times samples in a row, samples without replacement use
// Torch7's algorithm, so that they are the same as in Torch7. The tree may round otherwise.
constexpr int64_t kMostByTorch7 = 1 << 16;

template <class T>
void check_row(const MultinomialCall& call, int64_t row) {
  const T* p = reinterpret_cast<const T*>(call.p) + row * call.categories;
  const int64_t needed = call.with_replacement ? 1 : call.samples;
  double sum = 0;
  int64_t possible = 0;
  for (int64_t i = 0; i < call.categories; ++i) {
    double value = load(p[i]);
    if (!(value >= 0 && std::isfinite(value))) {
      fail_argument(call.p_argument,
                    "probability %g of category %lld in row %lld is negative or not finite", value,
                    static_cast<long long>(i + 1), static_cast<long long>(row + 1));
    }
    sum += value;
    possible += value > 0;
  }
  if (!(sum > 0 && std::isfinite(sum))) {
    fail_argument(call.p_argument, "the probabilities of row %lld sum up to %g",
                  static_cast<long long>(row + 1), sum);
  }
  if (possible < needed) {
    fail_argument(call.samples_argument,
                  "cannot draw %lld samples without replacement from row %lld, in which only "
                  "%lld categories have a probability",
                  static_cast<long long>(needed), static_cast<long long>(row + 1),
                  static_cast<long long>(possible));
  }
}

double next_unit(const MultinomialCall& call) {
  uint32_t word;
  call.generator->words(&word, 1);
  return unit_of(word);
}

template <class T>
void draw_distinct(const MultinomialCall& call) {
  auto* p = reinterpret_cast<const T*>(call.p);
  SumTree remaining(call.categories);
  for (int64_t row = 0; row < call.rows; ++row) {
    remaining.set(p + row * call.categories, call.categories);
    int64_t* out = call.out + row * call.samples;
    for (int64_t i = 0; i < call.samples; ++i) {
      out[i] = remaining.take(next_unit(call)) + call.index_base;
    }
  }
}

template <class T>
void multinomial(const MultinomialCall& call) {
  auto* p = reinterpret_cast<const T*>(call.p);
  for (int64_t row = 0; row < call.rows; ++row) {
    check_row<T>(call, row);
  }
  if (!call.with_replacement && call.samples > kMostByTorch7 / call.categories) {
    return draw_distinct<T>(call);
  }
  Categories<T> distribution(call.categories);
  for (int64_t row = 0; row < call.rows; ++row) {
    distribution.set(p + row * call.categories);
    for (int64_t i = 0; i < call.samples; ++i) {
      int64_t category = distribution.draw(next_unit(call));
      call.out[row * call.samples + i] = category + call.index_base;
      if (!call.with_replacement && i + 1 < call.samples) distribution.take_out(category);
    }
  }
}

}  // namespace

namespace TH_ISA {

void run_multinomial(const MultinomialCall& call) {
  dispatch_types<FloatingTypes>(call.dtype, [&](auto zero) { multinomial<decltype(zero)>(call); });
}

}  // namespace TH_ISA
}  // namespace th

#include <algorithm>
#include <cmath>

#include "THGeneral.h"
#include "memory/error.h"
#include "ops/buffer.h"
#include "ops/device_operands.h"
#include "ops/generator.h"
#include "ops/ops.h"
#include "tensor/convert.h"

namespace th {

namespace {

// One distribution: its cumulative probabilities, scaled to end in 1, from which categories can be
// taken out.
template <class T>
class Categories {
 public:
  explicit Categories(int64_t categories)
      : categories_(categories), cumulative_(categories), possible_(categories) {}

  void set(const T* p, int64_t stride) {
    p_ = p;
    stride_ = stride;
    for (int64_t i = 0; i < categories_; ++i) possible_[i] = load(p[i * stride]) > 0;
    accumulate();
  }

  int64_t draw(double u) const {
    const double* first = cumulative_.data();
    int64_t i = std::lower_bound(first, first + categories_, u) - first;
    // Rounding, or u = 0, may lead to a category of no probability: the next that has some is
    // meant, or the last.
    while (i < categories_ && !possible_[i]) ++i;
    if (i < categories_) return i;
    do --i;
    while (!possible_[i]);
    return i;
  }

  // Shifts what lies above the category down by its probability and scales the rest to end in 1.
  void take_out(int64_t category) {
    double below = category > 0 ? cumulative_[category - 1] : 0;
    double probability = cumulative_[category] - below;
    double rest = 1. - probability;
    possible_[category] = false;
    if (rest < 1e-6) {
      // Scaling this up would scale up its rounding errors.
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
      if (possible_[i]) sum += load(p_[i * stride_]);
      cumulative_[i] = sum;
    }
    for (int64_t i = 0; i < categories_; ++i) cumulative_[i] /= sum;
  }

  int64_t categories_;
  const T* p_ = nullptr;
  int64_t stride_ = 0;
  Buffer<double> cumulative_;
  Buffer<bool> possible_;
};

template <class T>
void check_row(const T* p, int64_t categories, int64_t stride, int64_t row, int64_t needed) {
  double sum = 0;
  int64_t possible = 0;
  for (int64_t i = 0; i < categories; ++i) {
    double value = load(p[i * stride]);
    if (!(value >= 0 && std::isfinite(value))) {
      fail_argument(3, "probability %g of category %lld in row %lld is negative or not finite",
                    value, static_cast<long long>(i + 1), static_cast<long long>(row + 1));
    }
    sum += value;
    possible += value > 0;
  }
  if (!(sum > 0 && std::isfinite(sum))) {
    fail_argument(3, "the probabilities of row %lld sum up to %g", static_cast<long long>(row + 1),
                  sum);
  }
  if (possible < needed) {
    fail_argument(4,
                  "cannot draw %lld samples without replacement from row %lld, in which only "
                  "%lld categories have a probability",
                  static_cast<long long>(needed), static_cast<long long>(row + 1),
                  static_cast<long long>(possible));
  }
}

// Throws where a row of p cannot give what is asked for.
void check_rows(const Tensor& p, int64_t rows, int64_t row_stride, int64_t needed) {
  int last = p.nDimension - 1;
  dispatch(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      const T* from = p.data_as<T>(Access::read);
      for (int64_t row = 0; row < rows; ++row) {
        check_row(from + row * row_stride, p.size[last], p.stride[last], row, needed);
      }
    }
  });
}

// is_checked: by check_rows. r has its sizes.
void draw_on_device(Device& device, Tensor* r, Generator* g, Tensor* p, int64_t rows,
                    int64_t samples, bool with_replacement, bool is_checked) {
  MultinomialCall call = {};
  TensorRef in_order = packed(device, p);
  PackedResult out(device, r);
  call.dtype = p->dtype;
  call.with_replacement = with_replacement;
  call.rows = rows;
  call.categories = p->size[p->nDimension - 1];
  call.samples = samples;
  call.place = g->take(static_cast<uint64_t>(rows) * static_cast<uint64_t>(samples));
  call.p = data_on(device, *in_order, Access::read);
  call.out = out.data<int64_t>();
  call.index_base = TH_INDEX_BASE;
  if (!is_checked) {
    call.check_value = device_check(
        device, 3, "multinomial: a probability in row %%lld is negative or not finite");
    call.check_sum = device_check(
        device, 3, "multinomial: the probabilities of row %%lld sum up to 0 or to infinity");
    call.check_possible = device_check(
        device, 4, "multinomial: row %%lld has less categories of some probability than samples");
  }
  device.run(DeviceOp::multinomial, &call);
  out.finish();
}

}  // namespace

void ops::multinomial(Tensor* r, Generator* g, Tensor* probabilities, int64_t samples,
                      bool with_replacement) {
  const Tensor& p = *probabilities;
  if (p.nDimension != 1 && p.nDimension != 2) {
    fail_argument(3, "the probabilities must be a vector or a matrix, got size %s",
                  shape_text(p).c_str());
  }
  if (is_integral(p.dtype)) {
    fail_argument(3, "multinomial is not defined for a %sTensor", name(p.dtype));
  }
  bool is_matrix = p.nDimension == 2;
  int64_t rows = is_matrix ? p.size[0] : 1;
  int64_t row_stride = is_matrix ? p.stride[0] : 0;
  int64_t categories = p.size[p.nDimension - 1];
  int64_t stride = p.stride[p.nDimension - 1];
  if (samples <= 0) {
    fail_argument(4, "the number of samples must be positive, got %lld",
                  static_cast<long long>(samples));
  }
  if (!with_replacement && samples > categories) {
    fail_argument(4, "cannot draw %lld samples from %lld categories without replacement",
                  static_cast<long long>(samples), static_cast<long long>(categories));
  }
  if (categories == 0) fail_argument(3, "there are no categories to draw from");

  Device* device = device_of({r, probabilities});
  bool is_checked = !device || on_host(p);
  if (is_checked) check_rows(p, rows, row_stride, with_replacement ? 1 : samples);
  int64_t size[] = {rows, samples};
  resize(r, is_matrix ? 2 : 1, is_matrix ? size : size + 1);
  if (rows == 0) return;
  if (device) {
    draw_on_device(*device, r, g, probabilities, rows, samples, with_replacement, is_checked);
    return;
  }
  dispatch(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_integral_v<T>) {
      const T* from = p.data_as<T>(Access::read);
      Categories<T> distribution(categories);
      auto* out = r->data_as<int64_t>(Access::write);
      int64_t out_row = is_matrix ? r->stride[0] : 0;
      int64_t out_sample = r->stride[r->nDimension - 1];
      for (int64_t row = 0; row < rows; ++row) {
        distribution.set(from + row * row_stride, stride);
        for (int64_t i = 0; i < samples; ++i) {
          int64_t category = distribution.draw(g->unit());
          out[row * out_row + i * out_sample] = category + TH_INDEX_BASE;
          if (!with_replacement && i + 1 < samples) distribution.take_out(category);
        }
      }
    }
  });
}

}  // namespace th

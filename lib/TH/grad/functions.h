#ifndef TH_GRAD_FUNCTIONS_H
#define TH_GRAD_FUNCTIONS_H

// Functions for the derivatives in THOps.def: parts of formulas, and rules in C++.

#include <utility>

#include "grad/rule.h"
#include "ops/tracer.h"

namespace th::grad {

constexpr double kLog2 = 0.69314718055994530942;    // log(2)
constexpr double kLog10 = 2.30258509299404568402;   // log(10)
constexpr double kRadian = 0.01745329251994329577;  // pi / 180
constexpr double kErf = 1.12837916709551257390;     // 2 / sqrt(pi)

inline double number(const Scalar& s) { return s.to_double(); }

// A tensor of which a function uses the shape only.
struct Shape {
  const Tensor* t;
};
inline Shape shape(const Use&) { return {nullptr}; }
inline Shape shape(const Var& v) { return {v.get()}; }

// ---- formulas of other functions

template <class V>
V gelu_slope(const V& t) {
  constexpr double half_root = 0.70710678118654752440, normal = 0.39894228040143267794;
  return erfc(t * -half_root) * 0.5 + t * exp(t * t * -0.5) * normal;
}
template <class V>
V silu_slope(const V& t) {
  const V s = sigmoid(t);
  return s + t * (s - s * s);
}

// The number of elements of t for each element of r.
double count(const Tensor& r, const Tensor& t);

// ---- functions that the formulas call; each reads the elements of all its tensors

namespace functions {

// 1, as a tensor that broadcasts to the shape of t.
Var one_like(const Var& t);
// t with 1 in the place of 0. Where a quotient by 0 is not used, a quotient by this has derivatives
// that are not NaN.
Var without_zeros(const Var& t);
// g where mask is not 0, and 0 elsewhere; and the other way around.
Var only(const Var& g, const Var& mask);
Var except(const Var& g, const Var& mask);
// The derivative of t^p by t: p * t^(p - 1), and 0 where p is 0.
Var power_slope(const Var& t, const Scalar& p);
Var power_slope(const Var& t, const Var& p);
// The derivative of r = t^p by p: r * log(t), and 0 where t is 0.
Var exponent_slope(const Var& r, const Scalar& t);
Var exponent_slope(const Var& r, const Var& t, const Var& p);
// g where a > b, half of it where they are equal, and 0 elsewhere.
Var share_of_larger(const Var& g, const Var& a, const Var& b);
// The same, and g where b is NaN.
Var share_of_fmax(const Var& g, const Var& a, const Var& b);
Var other_share_of_fmax(const Var& g, const Var& a, const Var& b);
// The derivatives of r = sinc(t) and of r = i1(t).
Var sinc_slope(const Var& t, const Var& r);
Var i1_slope(const Var& t, const Var& r);
// g with the sign of r / t for r = copysign(t, ...), and 0 where t is 0.
Var copysign_slope(const Var& g, const Var& t, const Var& r);
// The gradient of an operand that the result depends on only in jumps.
Var zeros_like(const Var& g);
// The gradient of the mantissa: g / 2^exponent.
Var frexp_slope(const Var& g, const Var& exponent);
// The gradient of xlogy by t: g * log(x), and 0 where t is 0 and x is not positive.
Var xlogy_slope(const Var& g, const Var& t, const Var& x);

// x, the result of a reduction of t, with the reduced dimensions, of size 1.
Var reduced(const Var& x, Shape t, int64_t dim);
Var reduced(const Var& x, Shape t, const Sizes& dims);
// Zeros in the shape of t, to which the elements of g are added: at the indices along a dimension,
// at whole slices, or where the mask is 1.
Var put_at(const Var& g, Shape t, const Var& index, int64_t dim);
Var add_at(const Var& g, Shape t, int64_t dim, const Var& index);
Var put_where(const Var& g, Shape t, const Var& mask);
// g with zeros at slices, or at the positions of scatter.
Var zero_at(const Var& g, int64_t dim, const Var& index);
Var scatter_zero(const Var& g, int64_t dim, const Var& index);
// The gradients of products at the positions of scatter: by the tensor, and by src.
Var scatter_prod_slope(const Var& g, Shape t, int64_t dim, const Var& index, const Var& src);
Var scatter_prod_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src);
// The gradients of extreme elements there, divided equally among equal ones: by t, or by src.
Var scatter_max_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src,
                      bool by_src);
Var scatter_min_slope(const Var& g, const Var& t, int64_t dim, const Var& index, const Var& src,
                      bool by_src);
// Zeros in the shape of t, to which the elements of g are added, at the indices in the last `dims`
// dimensions, counted in row-major order.
Var put_in_plane(const Var& g, Shape t, const Var& index, int dims);
// Zeros in the shape of t, with g in the corner of the first elements; with the elements of g as
// the first ones.
Var within(const Var& g, Shape t);
Var at_front(const Var& g, Shape t);
// The elements of the vector g at the positions in t.
Var take(const Var& g, const Var& t);
// The gradients of distinct values, or of distinct slices, divided among the equal ones.
Var unique_slope(const Var& g, const Var& t);
Var unique_slope(const Var& g, const Var& counts, const Var& inverse);
Var unique_slope(const Var& g, const Var& counts, const Var& inverse, int64_t dim);
// g on the diagonal of a matrix of the shape of t.
Var on_diagonal(const Var& g, Shape t);
// Linear algebra; see linalg_rules.cc.
Var det_slope(const Var& g, const Var& t, const Var& r);
Var logdet_slope(const Var& g, const Var& t);
Var pinverse_slope(const Var& g, const Var& t, const Var& r);
Var svdvals_slope(const Var& g, const Var& t);
Var cholesky_slope(const Var& g, const Var& r, bool upper);
Var cholesky_slope(const Var& g, const Var& r, char uplo);
Var potri_slope(const Var& g, const Var& a, const Var& r, char uplo);
// The gradient by a of the distances r of all rows of a and b. It is 0 where r is 0.
Var distance_slope(const Var& g, const Var& r, const Var& a, const Var& b);
// The last two dimensions exchanged.
Var transposed(const Var& t);
// The matrix g for each matrix of a batch.
Var repeated(const Var& g, Shape batch);
Var reverse_cumsum(const Var& g, int64_t dim);
Var cumprod_slope(const Var& g, const Var& t, const Var& r, int64_t dim);
Var softmax_slope(const Var& g, const Var& r, int64_t dim);
Var log_softmax_slope(const Var& g, const Var& r, int64_t dim);
// The gradient of a product: g times the product of the other elements.
Var prod_slope(const Var& g, const Var& t, const Var& r);
Var var_slope(const Var& g, const Var& t, const Var& r, bool biased);
Var std_slope(const Var& g, const Var& t, const Var& r, bool biased);
Var norm_slope(const Var& g, const Var& t, const Var& r, const Scalar& p);
Var nansum_slope(const Var& g, const Var& t, const Var& r);
Var nanmean_slope(const Var& g, const Var& t, const Var& r);
// g where t is the extreme element r, divided by their number. A NaN is extreme if r is NaN.
Var extreme_slope(const Var& g, const Var& t, const Var& r);
// The gradients of the losses mse and huber by t; see network_rules.cc.
Var mse_slope(const Var& g, const Var& t, const Var& target, char reduction);
Var huber_slope(const Var& g, const Var& t, const Var& target, double delta, char reduction);

// The gradients of Fourier transforms along a dimension. n: their length, or 0 if it is that of t;
// see fourier_rules.cc.
Var fft_slope(const Var& g, Shape t, int64_t n, int64_t dim, char norm);
Var ifft_slope(const Var& g, Shape t, int64_t n, int64_t dim, char norm);
Var rfft_slope(const Var& g, Shape t, int64_t n, int64_t dim, char norm);
Var irfft_slope(const Var& g, Shape t, int64_t n, int64_t dim, char norm);

}  // namespace functions

#define TH_FORMULA_FUNCTION(name)          \
  template <class... A>                    \
  ValueOf<A...> name(const A&... a) {      \
    if constexpr (any_use<A...>) {         \
      return uses(a...);                   \
    } else if constexpr (any_term<A...>) { \
      return builder_of(a...)->invalid();  \
    } else {                               \
      return functions::name(a...);        \
    }                                      \
  }
TH_FORMULA_FUNCTION(power_slope)
TH_FORMULA_FUNCTION(exponent_slope)
TH_FORMULA_FUNCTION(share_of_larger)
TH_FORMULA_FUNCTION(share_of_fmax)
TH_FORMULA_FUNCTION(other_share_of_fmax)
TH_FORMULA_FUNCTION(sinc_slope)
TH_FORMULA_FUNCTION(i1_slope)
TH_FORMULA_FUNCTION(copysign_slope)
TH_FORMULA_FUNCTION(frexp_slope)
TH_FORMULA_FUNCTION(xlogy_slope)
TH_FORMULA_FUNCTION(reduced)
TH_FORMULA_FUNCTION(put_at)
TH_FORMULA_FUNCTION(add_at)
TH_FORMULA_FUNCTION(put_where)
TH_FORMULA_FUNCTION(zero_at)
TH_FORMULA_FUNCTION(scatter_zero)
TH_FORMULA_FUNCTION(scatter_prod_slope)
TH_FORMULA_FUNCTION(scatter_max_slope)
TH_FORMULA_FUNCTION(scatter_min_slope)
TH_FORMULA_FUNCTION(put_in_plane)
TH_FORMULA_FUNCTION(within)
TH_FORMULA_FUNCTION(at_front)
TH_FORMULA_FUNCTION(take)
TH_FORMULA_FUNCTION(zeros_like)
TH_FORMULA_FUNCTION(unique_slope)
TH_FORMULA_FUNCTION(on_diagonal)
TH_FORMULA_FUNCTION(det_slope)
TH_FORMULA_FUNCTION(logdet_slope)
TH_FORMULA_FUNCTION(pinverse_slope)
TH_FORMULA_FUNCTION(svdvals_slope)
TH_FORMULA_FUNCTION(cholesky_slope)
TH_FORMULA_FUNCTION(potri_slope)
TH_FORMULA_FUNCTION(distance_slope)
TH_FORMULA_FUNCTION(transposed)
TH_FORMULA_FUNCTION(repeated)
TH_FORMULA_FUNCTION(fft_slope)
TH_FORMULA_FUNCTION(ifft_slope)
TH_FORMULA_FUNCTION(rfft_slope)
TH_FORMULA_FUNCTION(irfft_slope)
TH_FORMULA_FUNCTION(reverse_cumsum)
TH_FORMULA_FUNCTION(cumprod_slope)
TH_FORMULA_FUNCTION(softmax_slope)
TH_FORMULA_FUNCTION(log_softmax_slope)
TH_FORMULA_FUNCTION(prod_slope)
TH_FORMULA_FUNCTION(var_slope)
TH_FORMULA_FUNCTION(std_slope)
TH_FORMULA_FUNCTION(norm_slope)
TH_FORMULA_FUNCTION(nansum_slope)
TH_FORMULA_FUNCTION(nanmean_slope)
TH_FORMULA_FUNCTION(extreme_slope)
TH_FORMULA_FUNCTION(mse_slope)
TH_FORMULA_FUNCTION(huber_slope)

template <class V>
V without_zeros(const V& t) {
  if constexpr (std::is_same_v<V, Term>) {
    return where(eqValue(t, 0), t.builder->number(1), t);
  } else if constexpr (any_use<V>) {
    return t;
  } else {
    return functions::without_zeros(t);
  }
}
template <class V>
V only(const V& g, const V& mask) {
  if constexpr (std::is_same_v<V, Term>) {
    return where(mask, g, g.builder->number(0));
  } else if constexpr (any_use<V>) {
    return uses(g, mask);
  } else {
    return functions::only(g, mask);
  }
}
template <class V>
V except(const V& g, const V& mask) {
  if constexpr (std::is_same_v<V, Term>) {
    return where(mask, g.builder->number(0), g);
  } else if constexpr (any_use<V>) {
    return uses(g, mask);
  } else {
    return functions::except(g, mask);
  }
}

// alpha * a * b, for matrices or batches of them.
template <class V>
auto product(const V& a, const V& b, [[maybe_unused]] const Scalar& alpha) {
  if constexpr (any_use<V>) {
    return uses(a, b);
  } else {
    return Product{a, b, number(alpha)};
  }
}

// The derivative of asinh: 1 / sqrt(t * t + 1), without overflow.
template <class V>
V asinh_slope(const V& t) {
  if constexpr (std::is_same_v<V, Term>) {
    return cinv(hypot(t, t.builder->number(1)));
  } else if constexpr (any_use<V>) {
    return t;
  } else {
    return cinv(hypot(t, functions::one_like(t)));
  }
}

template <class V, class T, class R>
V sum_slope(const V& g, const T&, const R&) {
  return g;
}
template <class V, class T, class R>
V mean_slope(const V& g, const T& t, const R&) {
  if constexpr (any_use<V>) {
    return g;
  } else {
    return g / count(*g, *t);
  }
}
template <class V>
V logsumexp_slope(const V& g, const V& t, const V& r) {
  return g * exp(t - r);
}

// The option trans for the transpose.
inline char opposite(char trans) { return trans == 'N' || trans == 'n' ? 'T' : 'N'; }

// ---- rules, in linalg_rules.cc, factor_rules.cc, convolution_rules.cc, spatial_rules.cc and
// network_rules.cc

void slogdet_slopes(Backward& b);
void potrs_slopes(Backward& b);
void pstrf_slopes(Backward& b);
void solve_slopes(Backward& b);
void gesv_slopes(Backward& b);
void trtrs_slopes(Backward& b);
void gels_slopes(Backward& b);
void lstsq_slopes(Backward& b);
void qr_slopes(Backward& b);
void orgqr_slopes(Backward& b);
void ormqr_slopes(Backward& b);
void btrifact_slopes(Backward& b);
void btrisolve_slopes(Backward& b);
void gesvd_slopes(Backward& b);
void gesvd2_slopes(Backward& b);
void syev_slopes(Backward& b);
void eigh_slopes(Backward& b);
void geev_slopes(Backward& b);
void conv2_slopes(Backward& b);
void xcorr2_slopes(Backward& b);
void conv3_slopes(Backward& b);
void xcorr3_slopes(Backward& b);
void layer_norm_slopes(Backward& b);
void rms_norm_slopes(Backward& b);
void group_norm_slopes(Backward& b);
void batch_norm_slopes(Backward& b);
void attention_slopes(Backward& b);
void cross_entropy_all_slopes(Backward& b);
void cross_entropy_slopes(Backward& b);
void nll_all_slopes(Backward& b);
void nll_slopes(Backward& b);
void lstm_cell_slopes(Backward& b);
void lstm_slopes(Backward& b);
void quantized_linear_slopes(Backward& b);
void binary_cross_entropy_all_slopes(Backward& b);
void binary_cross_entropy_slopes(Backward& b);
void conv1d_slopes(Backward& b);
void conv2d_slopes(Backward& b);
void conv3d_slopes(Backward& b);
void convTranspose1d_slopes(Backward& b);
void convTranspose2d_slopes(Backward& b);
void convTranspose3d_slopes(Backward& b);
void convWeight_slopes(Backward& b);
void resample_slopes(Backward& b);

// ---- helpers of functions and rules

// Computes f(values...) in one pass over memory, and stores it in r, which may be a view of the
// right shape. Returns false if a tracer observes the operations, or if one pass does not pay. f
// accepts Terms.
template <class F, size_t... k>
bool store_in_one_pass(Tensor* r, const F& f, const Var* values, std::index_sequence<k...>) {
  if (is_integral(values[0]->dtype) || has_tracers()) return false;
  Tensor* tensors[] = {values[k].get()...};
  Formula formula(tensors, nullptr);
  const Term root = f(formula.parameter(static_cast<int>(k))...);
  if (!formula.is_worth_fusing(root)) return false;
  formula.evaluate(root, r);
  return true;
}
// f(values...): in one pass, or by operations. f accepts Vars and Terms.
template <class F, class... V>
Var in_one_pass(const F& f, const V&... v) {
  const Var values[] = {v...};
  const Var r{TensorRef(tensor_new(values[0]->dtype))};
  const auto all = std::make_index_sequence<sizeof...(V)>();
  return store_in_one_pass(r.get(), f, values, all) ? r : f(v...);
}

// A new tensor on the device of like, uninitialized. Its memory is reported to tracers.
TensorRef new_tensor(DType type, int ndim, const int64_t* size, const Tensor& like);
// The same, filled with a value.
Var filled(const Tensor& like, int ndim, const int64_t* size, double value);
Var filled_like(const Var& like, double value);
// t with another shape: a view if its strides allow it, else a copy.
Var reshaped(const Var& t, int ndim, const int64_t* size);
// t converted to another type; t itself if it has that type.
Var converted(const Var& t, DType type);

}  // namespace th::grad

#endif

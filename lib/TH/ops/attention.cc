// Attention and its gradients.

#include "ops/attention.h"

#include <algorithm>
#include <climits>
#include <cmath>

#include "base/error.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/product.h"

namespace th {

namespace {

int64_t matrices_of(const Tensor& t) {
  int64_t n = 1;
  for (int d = 0; d < t.nDimension - 2; ++d) n *= t.size[d];
  return n;
}

// The size of the weights, or of a result with as many rows as q.
int row_sizes(const Tensor& q, int64_t columns, int64_t* size) {
  std::copy(q.size, q.size + q.nDimension, size);
  size[q.nDimension - 1] = columns;
  return q.nDimension;
}

template <class A>
void check_attention(const A& a, const Shapes& s) {
  const Tensor &q = *a.q, &k = *a.k, &v = *a.v;
  bool fits = q.nDimension >= 2 && k.nDimension == q.nDimension && v.nDimension == q.nDimension;
  for (int d = 0; fits && d < q.nDimension - 2; ++d) {
    fits = q.size[d] == k.size[d] && q.size[d] == v.size[d];
  }
  if (fits) fits = columns_of(q) == columns_of(k) && rows_of(k) == rows_of(v);
  if (!fits) {
    s.fail(
        a.q,
        "q of size %s, k of size %s and v of size %s do not fit; ... x rows x d, ... x columns x "
        "d and ... x columns x width are expected",
        shape_text(q).c_str(), shape_text(k).c_str(), shape_text(v).c_str());
  }
  if (columns_of(q) == 0) s.fail(a.q, "q and k have no columns: %s", shape_text(q).c_str());
  if (columns_of(q) > INT_MAX || columns_of(v) > INT_MAX) {
    s.fail(a.q, "rows of at most %d elements are expected, got %s and %s", INT_MAX,
           shape_text(q).c_str(), shape_text(v).c_str());
  }
  if (!std::isfinite(a.scale)) s.fail(a.scale, "a finite scale is expected, got %g", a.scale);
  if (!a.mask) return;
  if (a.mask->dtype != DType::Byte && a.mask->dtype != q.dtype) {
    s.fail(a.mask, "the mask is %sTensor; a ByteTensor or %sTensor is expected",
           name_with_article(a.mask->dtype), name_with_article(q.dtype));
  }
  int64_t size[kMaxDims], joint[kMaxDims];
  const int ndim = row_sizes(q, rows_of(k), size);
  int joint_dims;
  const Tensor& mask = *a.mask;
  const bool broadcasts =
      mask.nDimension > 0 &&
      broadcast_sizes(ndim, size, mask.nDimension, mask.size, &joint_dims, joint) &&
      joint_dims == ndim && std::equal(size, size + ndim, joint);
  if (!broadcasts) {
    s.fail(a.mask, "a mask of size %s does not broadcast to %s", shape_text(mask).c_str(),
           shape_text(ndim, size).c_str());
  }
}

// t as a batch of matrices in at most two dimensions, with rows that products accept: a view, or a
// contiguous copy.
TensorRef in_two_batches(Tensor* t) {
  TensorRef r = shared(t);
  const int n = t->nDimension;
  const bool fits = columns_of(*t) == 1 || t->stride[n - 1] == 1;
  const int64_t row = t->stride[n - 2];
  if (!fits || n > 4 || row < columns_of(*t) || row > INT_MAX) r = contiguous(t);
  if (n > 4) {
    const int64_t size[] = {matrices_of(*t), rows_of(*t), columns_of(*t)};
    r = reshaped(r.get(), 3, size);
  }
  return r;
}

AttentionMatrix matrix_of(const Tensor& t, char* data) {
  const int n = t.nDimension;
  AttentionMatrix m = {data, 0, 0, t.stride[n - 2], t.stride[n - 1]};
  if (n > 2) m.inner = t.stride[n - 3];
  if (n > 3) m.outer = t.stride[n - 4];
  // The stride of a single row has no meaning.
  if (rows_of(t) <= 1) m.row = std::max<int64_t>(columns_of(t), 1);
  return m;
}

// The type in which gradients are computed on a backend. The CPU has no 16-bit gradients.
DType type_of_slopes(DType type, const Device* device) {
  return device ? type : compute_type(type);
}

struct AttentionOperands {
  TensorRef q, k, v, mask;
};

// The operands in a type that the kernel supports.
template <class A>
AttentionOperands operands_of(const A& a, DType type) {
  const auto operand = [&](Tensor* t) { return in_two_batches(in_type(t, type).get()); };
  AttentionOperands o = {operand(a.q), operand(a.k), operand(a.v), TensorRef()};
  if (!a.mask) return o;
  TensorRef mask = a.mask->dtype == DType::Byte ? shared(a.mask) : in_type(a.mask, type);
  int64_t size[kMaxDims];
  const int ndim = row_sizes(*a.q, rows_of(*a.k), size);
  mask = broadcast_view(mask.get(), ndim, size);
  if (ndim > 4) {
    const int64_t flat[] = {matrices_of(*a.q), size[ndim - 2], size[ndim - 1]};
    mask = reshaped(mask.get(), 3, flat);
  }
  o.mask = std::move(mask);
  return o;
}

AttentionShape shape_of(const AttentionOperands& o, bool causal, double scale, Operands& at) {
  const Tensor& q = *o.q;
  AttentionShape s;
  s.dtype = q.dtype;
  s.outer = q.nDimension > 3 ? q.size[0] : 1;
  s.inner = q.nDimension > 2 ? q.size[q.nDimension - 3] : 1;
  s.rows = rows_of(q);
  s.columns = rows_of(*o.k);
  s.depth = columns_of(q);
  s.width = columns_of(*o.v);
  s.causal = causal;
  s.tf32 = allows_tf32();
  s.scale = scale;
  const auto matrix = [&](const TensorRef& t) {
    const Placed p = at.read(t.get());
    return matrix_of(*p.tensor, p.data);
  };
  s.q = matrix(o.q);
  s.k = matrix(o.k);
  s.v = matrix(o.v);
  s.mask = {};
  s.mask_of_bytes = o.mask && o.mask->dtype == DType::Byte;
  if (o.mask) {
    const Placed p = at.read(o.mask.get());
    const Tensor& m = *p.tensor;
    const int n = m.nDimension;
    s.mask = {p.data, n > 3 ? m.stride[n - 4] : 0, n > 2 ? m.stride[n - 3] : 0, m.stride[n - 2],
              m.stride[n - 1]};
  }
  return s;
}

}  // namespace

double attention_scale(double scale, const Tensor& q) {
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(columns_of(q)));
}

void shapes(args::attention& a, Shapes& s) {
  check_attention(a, s);
  int64_t size[kMaxDims];
  const int ndim = row_sizes(*a.q, columns_of(*a.v), size);
  s.set(a.r_, ndim, size);
  if (a.logsumexp_) s.set(a.logsumexp_, ndim - 1, size, Layout::contiguous);
}

void calls(args::attention& a) {
  TensorRef own;
  if (!a.logsumexp_) {
    own = TensorRef(tensor_new_sized(DType::Double, a.q->nDimension - 1, a.q->size));
  }
  Tensor* sums = own ? own.get() : a.logsumexp_;
  Device* device = device_of({a.q, a.k, a.v});
  place_result(device, a.r_);
  place_result(device, sums);
  if (rows_of(*a.k) == 0 || a.r_->numel() == 0) {
    if (a.r_->numel() > 0) ops::zero(a.r_);
    if (sums->numel() > 0) ops::fill(sums, -INFINITY);
    return;
  }
  TensorRef temporary;
  run_steps(a.op, device, [&](Operands& at) {
    const AttentionOperands operands = operands_of(a, a.q->dtype);
    // The kernel writes the result itself if its layout allows that.
    temporary = TensorRef();
    TensorRef r = in_two_batches(a.r_);
    if (r->storage != a.r_->storage) {
      temporary = TensorRef(tensor_new_sized(a.r_->dtype, a.r_->nDimension, a.r_->size));
      r = in_two_batches(temporary.get());
    }
    AttentionCall call;
    call.of = shape_of(operands, a.causal, attention_scale(a.scale, *a.q), at);
    call.sums = reinterpret_cast<double*>(at.overwrite(sums));
    call.r = matrix_of(*r, at.overwrite(r.get()));
    return at.run(call);
  });
  if (temporary) ops::copy(a.r_, temporary.get());
}

void shapes(args::attentionSlopes& a, Shapes& s) {
  check_attention(a, s);
  int64_t size[kMaxDims];
  const int ndim = row_sizes(*a.q, columns_of(*a.v), size);
  if (!has_shape(*a.gradient, ndim, size) || !has_shape(*a.r, ndim, size)) {
    s.fail(a.gradient, "the gradient and the result have sizes %s and %s; %s is expected",
           shape_text(*a.gradient).c_str(), shape_text(*a.r).c_str(),
           shape_text(ndim, size).c_str());
  }
  if (!has_shape(*a.logsumexp, ndim - 1, size)) {
    s.fail(a.logsumexp, "the logarithms have size %s; %s is expected",
           shape_text(*a.logsumexp).c_str(), shape_text(ndim - 1, size).c_str());
  }
  s.set(a.qSlope, *a.q, Layout::contiguous);
  s.set(a.kSlope, *a.k, Layout::contiguous);
  s.set(a.vSlope, *a.v, Layout::contiguous);
}

void calls(args::attentionSlopes& a) {
  Device* device = device_of({a.gradient, a.q, a.k, a.v});
  for (Tensor* slope : {a.qSlope, a.kSlope, a.vSlope}) place_result(device, slope);
  if (a.k->numel() == 0 || a.gradient->numel() == 0) {
    for (Tensor* slope : {a.qSlope, a.kSlope, a.vSlope}) {
      if (slope->numel() > 0) ops::zero(slope);
    }
    return;
  }
  Tensor* const slopes[] = {a.qSlope, a.kSlope, a.vSlope};
  TensorRef temporaries[3];
  run_steps(a.op, device, [&](Operands& at) {
    const DType type = type_of_slopes(a.q->dtype, at.device());
    const AttentionOperands operands = operands_of(a, type);
    TensorRef g = in_two_batches(in_type(a.gradient, type).get());
    TensorRef r = in_two_batches(in_type(a.r, type).get()), logarithms = contiguous(a.logsumexp);
    TensorRef results[3];
    for (int k = 0; k < 3; ++k) {
      Tensor* slope = slopes[k];
      if (slope->dtype != type) {
        temporaries[k] = TensorRef(tensor_new_sized(type, slope->nDimension, slope->size));
        slope = temporaries[k].get();
      }
      results[k] = in_two_batches(slope);
    }
    AttentionSlopesCall call;
    call.of = shape_of(operands, a.causal, attention_scale(a.scale, *a.q), at);
    const auto matrix = [&](const TensorRef& t) {
      const Placed p = at.read(t.get());
      return matrix_of(*p.tensor, p.data);
    };
    const auto result = [&](const TensorRef& t) { return matrix_of(*t, at.overwrite(t.get())); };
    call.g = matrix(g);
    call.r = matrix(r);
    call.sums = reinterpret_cast<const double*>(at.read(logarithms.get()).data);
    call.q_slope = result(results[0]);
    call.k_slope = result(results[1]);
    call.v_slope = result(results[2]);
    return at.run(call);
  });
  for (int k = 0; k < 3; ++k) {
    if (temporaries[k]) ops::copy(slopes[k], temporaries[k].get());
  }
}

}  // namespace th

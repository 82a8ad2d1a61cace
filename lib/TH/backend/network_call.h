#ifndef TH_BACKEND_NETWORK_CALL_H
#define TH_BACKEND_NETWORK_CALL_H

#include <cstdint>

#include "tensor/dtype.h"

namespace th {

// The weights and biases of a normalization, and the order of its groups in memory.
enum class NormKind : uint8_t {
  layer,  // one weight for each element of a run; a group has one run
  group,  // one weight for each run of each group
  batch,  // one weight for each group; the first runs of all groups come before the second ones
};

// A contiguous tensor as groups, each of which has a mean and a variance: `outer` times `groups`. A
// group has `runs` runs of `length` contiguous elements. The runs of a group are contiguous, too,
// except for NormKind::batch, for which outer is 1.
struct NormLayout {
  NormKind kind;
  int64_t outer, groups, runs, length;

  constexpr int64_t moments() const { return outer * groups; }
  constexpr int64_t count() const { return runs * length; }  // the elements of a group
  constexpr int64_t run_stride() const {
    return kind == NormKind::batch ? groups * length : length;
  }
  constexpr int64_t group_stride() const {
    return kind == NormKind::batch ? length : runs * length;
  }
  // The number of weights.
  constexpr int64_t weights() const {
    return kind == NormKind::layer ? length : kind == NormKind::group ? groups * runs : groups;
  }
};

// r = (t - mean) / sqrt(variance + epsilon) * weight + bias, with the biased moments of each group.
// Writes the moments; if they are given, reads them: only for NormKind::batch. mean null: no mean
// is subtracted, and the variance is the mean of the squares; not for NormKind::batch. weight,
// bias: may be null. Sums of Half and BFloat16 are computed in float.
struct NormalizeCall {
  DType dtype;
  NormLayout layout;
  bool given;
  double epsilon;
  const char *t, *weight, *bias;
  char* r;
  double *mean, *variance;
};

// The gradients of a normalization, from the gradient g of its result. slope, weight_slopes and
// bias_slopes may be null. The last two have `parts` rows of partial sums, one element for each
// weight, in the compute type of dtype. constant: the moments do not depend on t.
struct NormalizeSlopesCall {
  DType dtype;
  NormLayout layout;
  bool constant;
  double epsilon;
  const char *g, *t, *weight;
  const double *mean, *variance;
  char* slope;
  char *weight_slopes, *bias_slopes;
  int64_t parts;
};

// r = exp(t) / sum(exp(t)) of each row of a contiguous matrix of `rows` x n elements, or its
// logarithm. r may be t.
struct SoftmaxCall {
  DType dtype;
  bool logarithm;
  int64_t rows, n;
  const char* t;
  char* r;
};

// The losses of the classes of rows. The rows are those of a contiguous matrix or, if inner > 1,
// the columns of contiguous matrices of classes x inner, which is for the CPU only. weight_sum: the
// sum of the weights; without weights, the number of classes.
struct ClassRows {
  DType dtype;
  int64_t rows, classes, inner;
  const char* t;
  const int64_t* numbers;  // the classes of the rows: see position_of
  const char* weight;      // null: 1
  int64_t ignored;         // rows of this class have no loss
  double smoothing, weight_sum;
};

// The largest element x of a row of logits, or 0 if all are -infinity, and the sum of
// exp(element - x).
struct RowSum {
  double largest, sum;
};

// The loss of each row, its weight (0 if it is ignored), and its sum. sums null: t has logarithms
// of probabilities.
struct ClassLossCall {
  ClassRows of;
  double *losses, *weights;
  RowSum* sums;
};

// The gradient of the losses, times g of each row. sums: as the loss wrote them, or null.
struct ClassLossSlopesCall {
  ClassRows of;
  const RowSum* sums;
  const double* g;
  char* slope;
};

// A batch of matrices, in two dimensions; strides in elements. The last stride is 1, except for the
// mask.
struct AttentionMatrix {
  char* data;
  int64_t outer, inner, row, column;
};

// softmax(scale * q * k^T + mask) * v, for outer x inner matrices of a floating-point type.
// Gradients on the CPU are of float or double. q: rows x depth, k: columns x depth, v: columns x
// width. mask: null, bytes (1: visible) or elements that are added. causal: row i sees columns up
// to `i + columns - rows`. sums: contiguous, the logarithm of the sum of exponentials of each row;
// -infinity if it sees nothing. tf32: as in ProductCall.
struct AttentionShape {
  DType dtype;
  int64_t outer, inner, rows, columns, depth, width;
  bool causal, mask_of_bytes, tf32;
  double scale;
  AttentionMatrix q, k, v, mask;
};
struct AttentionCall {
  AttentionShape of;
  AttentionMatrix r;
  double* sums;
};
// The gradients of q, k and v from g, the gradient of r. All of them are contiguous.
struct AttentionSlopesCall {
  AttentionShape of;
  AttentionMatrix g, r;
  const double* sums;
  AttentionMatrix q_slope, k_slope, v_slope;
};

// The element-wise part of a step of an LSTM, for `batch` rows of n elements. All tensors are
// contiguous. A row of `gates` has the input gate, the forget gate, the candidate and the output
// gate, n elements each. products: is added to the gates, unless it is null. open: the functions of
// the gates; null: they are not stored. It may be the same memory as `gates` or `products`.
struct LstmCellCall {
  DType dtype;
  int64_t batch, n;
  const char *gates, *products, *state;
  char *open, *h, *c;
};
// The gradients of the gates and the state from those of h and c, of which one may be null.
// state_slope may be null.
struct LstmCellSlopesCall {
  DType dtype;
  int64_t batch, n;
  const char *h_gradient, *c_gradient, *open, *state, *c;
  char *gate_slopes, *state_slope;
};

}  // namespace th

// The rows of TH_KERNEL_OPS.
#define TH_NETWORK_OPS(X)                   \
  X(normalize, NormalizeCall)               \
  X(normalize_slopes, NormalizeSlopesCall)  \
  X(softmax, SoftmaxCall)                   \
  X(class_loss, ClassLossCall)              \
  X(class_loss_slopes, ClassLossSlopesCall) \
  X(attention, AttentionCall)               \
  X(attention_slopes, AttentionSlopesCall)  \
  X(lstm_cell, LstmCellCall)                \
  X(lstm_cell_slopes, LstmCellSlopesCall)

#endif

#ifndef TH_OPS_ATTENTION_H
#define TH_OPS_ATTENTION_H

#include "ops/call.h"

namespace th {

// The largest number of weights that exist at a time where attention is composed of products.
constexpr int64_t kMostAttentionWeights = int64_t{1} << 24;

// Rows of the weights of attention: `first` to `first + count` of `rows`.
struct AttentionRows {
  int64_t first, count, rows;
};

// Applies a mask, or null, and the causal mask to weights of size ... x count x columns, in place.
void mask_attention(Tensor* weights, Tensor* mask, bool causal, AttentionRows rows);

// The factor of the products.
double attention_scale(double scale, const Tensor& q);

}  // namespace th

#endif

#include "simt/queue.h"

namespace th {

// ops/attention.cc computes attention on devices by products of blocks.
void run_attention(Queue&, const AttentionCall&) { fail_unsupported("attention"); }
void run_attention_slopes(Queue&, const AttentionSlopesCall&) {
  fail_unsupported("gradients of attention");
}

}  // namespace th

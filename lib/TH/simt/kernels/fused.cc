#include "simt/queue.h"

namespace th {

// The caller then evaluates the expression operation by operation.
void run_fused(Queue&, const FusedCall&) { fail_unsupported("fused expressions"); }

}  // namespace th

#ifndef TH_GENERIC_ARRAY_CALL_H
#define TH_GENERIC_ARRAY_CALL_H

// Runs element-wise operations on the plain arrays of C callers, which are in host memory.

#include "backend/cpu_backend.h"
#include "generic/bridge.h"

namespace th {

// step: the number of elements from one operand element to the next, which may be negative.
template <class T>
struct Array {
  const T* data;
  int64_t step = 1;
};

// Computes n elements in the calling thread. operands: the result, then the inputs. number: that
// of the operation, if it has one.
template <class T>
void run_on_arrays(ElementOp op, DType type, int64_t n, std::initializer_list<Array<T>> operands,
                   Scalar number = Scalar()) {
  if (n <= 0) return;
  ElementCall call;
  call.op = op;
  call.dtype = call.result = type;
  call.params[0] = number;
  call.grain = INT64_MAX;
  call.plan.start_contiguous(n);
  for (const Array<T>& a : operands) {
    call.plan.add_contiguous(reinterpret_cast<char*>(const_cast<T*>(a.data)), sizeof(T));
    call.plan.stride[call.plan.operands - 1][0] *= a.step;
  }
  run_on_cpu(call);
}

}  // namespace th

#endif

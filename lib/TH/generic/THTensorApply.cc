// The functions called by the loop macros of THTensorApply.h and THTensorDimApply.h.

#include "TH.h"

#include "generic/bridge.h"

static_assert(TH_MAX_DIMENSIONS == th::kMaxDims);

namespace {

ptrdiff_t elements(int ndim, const int64_t* size) {
  ptrdiff_t n = ndim > 0;
  for (int d = 0; d < ndim; ++d) n *= size[d];
  return n;
}

}  // namespace

extern "C" {

void _THTensor_ready(const void* tensor) {
  th::guard([&] {
    th::Tensor* t = th::erase_tensor(tensor);
    th::trace_use(t->storage, th::ElementUse::exposes);
    t->data(th::Access::write);
  });
}

int _THTensor_merge(int ndim, const int64_t* size, const int64_t* stride, int keep, int* dim,
                    int64_t* sizes, int64_t* strides, int64_t* counter) {
  *dim = 0;
  if (elements(ndim, size) == 0) return 0;
  int count = 0;
  for (int d = 0; d < ndim; ++d) {
    bool apart = d == 0 || d - 1 == keep || stride[d - 1] != stride[d] * size[d];
    if (apart) {
      sizes[count] = size[d];
      counter[count++] = 0;
    } else {
      sizes[count - 1] *= size[d];
    }
    strides[count - 1] = stride[d];
  }
  *dim = count;
  return count == 1 && strides[0] == 1;
}

ptrdiff_t _THTensor_nextRun(int dim, const int64_t* sizes, const int64_t* strides, int64_t* counter,
                            int* finished) {
  ptrdiff_t shift = 0;
  for (int d = dim - 2; d >= 0; --d) {
    shift += strides[d];
    if (++counter[d] < sizes[d]) return shift;
    shift -= sizes[d] * strides[d];
    counter[d] = 0;
  }
  *finished = 1;
  return shift;
}

void _THTensor_checkCounts(const char* file, int line, int ndim1, const int64_t* size1, int ndim2,
                           const int64_t* size2) {
  if (elements(ndim1, size1) == elements(ndim2, size2)) return;
  _THError(file, line, "tensors of sizes %s and %s differ in their numbers of elements",
           _THSizeDesc(size1, ndim1).str, _THSizeDesc(size2, ndim2).str);
}

void _THTensor_checkDim(const char* file, int line, int dim, int ndim) {
  if (dim >= 0 && dim < ndim) return;
  _THError(file, line, "dimension %d is out of range of a tensor of %d dimensions", dim, ndim);
}

void _THTensor_checkOtherDims(const char* file, int line, int dim, int ndim1, const int64_t* size1,
                              int ndim2, const int64_t* size2) {
  bool same = ndim1 == ndim2;
  for (int d = 0; same && d < ndim1; ++d) same = d == dim || size1[d] == size2[d];
  if (same) return;
  _THError(file, line, "tensors of sizes %s and %s differ outside of dimension %d",
           _THSizeDesc(size1, ndim1).str, _THSizeDesc(size2, ndim2).str, dim);
}

int _THTensor_hasVectors(int ndim, const int64_t* size, int dim) {
  for (int d = 0; d < ndim; ++d) {
    if (d != dim && size[d] == 0) return 0;
  }
  return 1;
}

int _THTensor_nextVector(int ndim, const int64_t* size, int dim, int64_t* counter) {
  for (int d = ndim - 1; d >= 0; --d) {
    if (d == dim) continue;
    if (++counter[d] < size[d]) return 1;
    counter[d] = 0;
  }
  return 0;
}

ptrdiff_t _THTensor_vectorAt(int ndim, const int64_t* stride, const int64_t* counter) {
  ptrdiff_t at = 0;
  for (int d = 0; d < ndim; ++d) at += counter[d] * stride[d];
  return at;
}
}

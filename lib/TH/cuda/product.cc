// Matrix products by cuBLAS.

#include <algorithm>

#include "cuda/device.h"
#include "cuda/failure.h"
#include "simt/long_product.h"
#include "simt/product_integer.h"
#include "simt/product_to_float.h"

namespace th {

namespace {

// Maximum number of batches per call: some kernels of cuBLAS use the third grid dimension for them.
constexpr int64_t kMostBatches = 65535;

struct Types {
  cudaDataType_t element;
  cublasComputeType_t compute;
};

Types types_of(const ProductCall& call) {
  switch (call.dtype) {
    case DType::Half:
      return {CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case DType::BFloat16:
      return {CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case DType::Double:
      return {CUDA_R_64F, CUBLAS_COMPUTE_64F};
    default:
      return {CUDA_R_32F, call.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
  }
}

// A factor in BLAS terms.
struct BlasFactor {
  char* data;
  int64_t ld, batch;
  bool by_rows;

  BlasFactor(const Factor& f, int64_t rows, int64_t cols)
      : data(f.data), batch(f.batch), by_rows(has_contiguous_rows(f, rows, cols)) {
    ld = by_rows ? std::max(f.row, cols) : std::max(f.col, rows);
  }
};

// S: the type of the scalars. result: the type of c.
template <class S>
void multiply(cublasHandle_t handle, const ProductCall& call, cudaDataType_t result) {
  Types types = types_of(call);
  int64_t m = call.m, n = call.n;
  BlasFactor a(call.a, m, call.k), b(call.b, call.k, n), c(call.c, m, n);
  // cuBLAS is column-major: a row-major matrix is its transpose. For row-major c, compute c' = b'
  // a'.
  cublasOperation_t turn_a = a.by_rows == c.by_rows ? CUBLAS_OP_N : CUBLAS_OP_T;
  cublasOperation_t turn_b = b.by_rows == c.by_rows ? CUBLAS_OP_N : CUBLAS_OP_T;
  if (c.by_rows) {
    std::swap(a, b);
    std::swap(turn_a, turn_b);
    std::swap(m, n);
  }
  S alpha = static_cast<S>(call.alpha.d), beta = static_cast<S>(call.beta.d);
  if (call.batches == 1) {
    check_cublas(cublasGemmEx_64(handle, turn_a, turn_b, m, n, call.k, &alpha, a.data,
                                 types.element, a.ld, b.data, types.element, b.ld, &beta, c.data,
                                 result, c.ld, types.compute, CUBLAS_GEMM_DEFAULT));
    return;
  }
  const auto item = static_cast<int64_t>(item_size(call.dtype));
  const int64_t result_item = result == types.element ? item : static_cast<int64_t>(sizeof(float));
  for (int64_t first = 0; first < call.batches; first += kMostBatches) {
    check_cublas(cublasGemmStridedBatchedEx_64(
        handle, turn_a, turn_b, m, n, call.k, &alpha, a.data + first * a.batch * item,
        types.element, a.ld, a.batch, b.data + first * b.batch * item, types.element, b.ld, b.batch,
        &beta, c.data + first * c.batch * result_item, result, c.ld, c.batch,
        std::min(kMostBatches, call.batches - first), types.compute, CUBLAS_GEMM_DEFAULT));
  }
}

}  // namespace

void run_product(Queue& queue, const ProductCall& given) {
  LongProduct product(queue, given);
  const ProductCall& call = product.call();
  if (is_integral(call.dtype)) {
    run_integer_product(queue, call);
    return;
  }
  cuda_device(queue).with_cublas([&](cublasHandle_t handle) {
    work_queued() = true;
    if (call.dtype == DType::Double) {
      multiply<double>(handle, call, CUDA_R_64F);
    } else {
      multiply<float>(handle, call, types_of(call).element);
    }
  });
}

void run_product_to_float(Queue& queue, const ProductCall& given) {
  LongProduct product(queue, given);
  cuda_device(queue).with_cublas([&](cublasHandle_t handle) {
    work_queued() = true;
    multiply<float>(handle, product.call(), CUDA_R_32F);
  });
}

}  // namespace th

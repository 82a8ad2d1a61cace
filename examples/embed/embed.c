/* libTH in a C program: fits a straight line to points by gradient descent. Shows views, which
   share memory without copying, tensors over memory of the caller, and error handling. */

#include <stdio.h>

#include <TH/TH.h>

#define POINTS 8
#define STEPS 500
#define RATE 0.1

/* Returns a tensor over n elements owned by the caller. TH neither copies nor frees them. */
static THDoubleTensor* borrow(double* data, int64_t n) {
  THDoubleStorage* storage = THDoubleStorage_newWithDataAndAllocator(data, n, NULL, NULL);
  THDoubleTensor* tensor = THDoubleTensor_newWithStorage1d(storage, 0, n, 1);
  THDoubleStorage_free(storage); /* the tensor holds its own reference */
  return tensor;
}

/* Returns a matrix with a row (1, x) for each point. Its columns are filled through views. */
static THDoubleTensor* design_matrix(THDoubleTensor* x) {
  THDoubleTensor* design = THDoubleTensor_newWithSize2d(THDoubleTensor_size(x, 0), 2);
  THDoubleTensor* constant = THDoubleTensor_newSelect(design, 1, 0);
  THDoubleTensor* slope = THDoubleTensor_newSelect(design, 1, 1);
  THDoubleTensor_fill(constant, 1);
  THDoubleTensor_copy(slope, x);
  THDoubleTensor_free(slope);
  THDoubleTensor_free(constant);
  return design;
}

/* Minimizes |design weights - y|^2 / 2n by gradient descent. Returns the norm of the last
   residual. */
static double fit(THDoubleTensor* weights, THDoubleTensor* design, THDoubleTensor* y) {
  THDoubleTensor* residual = THDoubleTensor_new();
  THDoubleTensor* transposed = THDoubleTensor_newTranspose(design, 0, 1); /* a view as well */
  double step = RATE / (double)THDoubleTensor_size(design, 0), norm;
  int i;
  for (i = 0; i < STEPS; ++i) {
    THDoubleTensor_addmv(residual, -1, y, 1, design, weights);
    THDoubleTensor_addmv(weights, 1, weights, -step, transposed, residual);
  }
  norm = THDoubleTensor_normall(residual, 2);
  THDoubleTensor_free(transposed);
  THDoubleTensor_free(residual);
  return norm;
}

static void print_matrix(const char* name, THDoubleTensor* t) {
  int64_t i, j;
  printf("%s, %s:\n", name, THDoubleTensor_sizeDesc(t).str);
  for (i = 0; i < THDoubleTensor_size(t, 0); ++i) {
    for (j = 0; j < THDoubleTensor_size(t, 1); ++j) {
      printf(" %6.2f", THDoubleTensor_get2d(t, i, j));
    }
    printf("\n");
  }
}

/* The operands of a call protected by THTry. The caller frees them whether or not the call
   fails. */
struct product {
  THDoubleTensor *left, *right, *result;
};

static void multiply(void* data) {
  struct product* product = data;
  THDoubleTensor_mm(product->result, product->left, product->right);
}

/* Multiplies matrices of incompatible sizes. Returns 1 if this fails, as expected. */
static int try_bad_product(THDoubleTensor* matrix) {
  struct product product;
  char message[256];
  int failed;
  product.left = product.right = matrix;
  product.result = THDoubleTensor_new();
  failed = THTry(multiply, &product, message, sizeof(message)) != 0;
  if (failed) printf("caught: %s\n", message);
  THDoubleTensor_free(product.result);
  return failed;
}

int main(void) {
  double x_data[POINTS] = {-1.75, -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75};
  double y_data[POINTS] = {-2.4, -1.6, -0.4, 0.6, 1.4, 2.6, 3.4, 4.4};
  THDoubleTensor *x, *y, *design, *top, *weights;
  int64_t bytes_before, blocks_before, bytes, blocks;
  double norm;
  int failed, i;

  THMemoryUsage(&bytes_before, &blocks_before);

  x = borrow(x_data, POINTS);
  y = borrow(y_data, POINTS);
  design = design_matrix(x);
  weights = THDoubleTensor_newWithSize1d(2);
  THDoubleTensor_zero(weights);

  top = THDoubleTensor_newNarrow(design, 0, 0, 3);
  print_matrix("the first rows of the matrix", top);
  printf("they share its memory: %s\n",
         THDoubleTensor_data(top) == THDoubleTensor_data(design) ? "yes" : "no");
  THDoubleTensor_free(top);

  norm = fit(weights, design, y);
  printf("y = %.4f + %.4f x, residual %.4f\n", THDoubleTensor_get1d(weights, 0),
         THDoubleTensor_get1d(weights, 1), norm);

  /* y shares the memory of y_data, so results written to y appear in the array. */
  THDoubleTensor_addmv(y, 0, y, 1, design, weights);
  printf("fitted values:");
  for (i = 0; i < POINTS; ++i) printf(" %.2f", y_data[i]);
  printf("\n");

  failed = try_bad_product(design);

  THDoubleTensor_free(weights);
  THDoubleTensor_free(design);
  THDoubleTensor_free(y);
  THDoubleTensor_free(x);

  THMemoryUsage(&bytes, &blocks);
  printf("left over: %ld bytes in %ld blocks\n", (long)(bytes - bytes_before),
         (long)(blocks - blocks_before));
  return failed && bytes == bytes_before && blocks == blocks_before ? EXIT_SUCCESS : EXIT_FAILURE;
}

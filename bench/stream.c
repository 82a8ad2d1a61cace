/* The upper bound for memory-bound operations: the bandwidth of plain copy and add loops in
   GB/s. Prints "copy <best> add <best>" of a few rounds over vectors much larger than the
   caches. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 12 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void add(float* restrict c, const float* a, const float* b, long n) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

static void copy(float* restrict c, const float* a, long n) {
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < n; ++i) c[i] = a[i];
}

int main(void) {
  const long n = 1L << 24;
  float* a = malloc(n * sizeof *a);
  float* b = malloc(n * sizeof *b);
  float* c = malloc(n * sizeof *c);
  if (!a || !b || !c) return 1;
  copy(c, a, n);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = b[i] = c[i] = 1;
  double best_copy = 1e9, best_add = 1e9;
  for (int round = 0; round < ROUNDS; ++round) {
    double start = now();
    copy(c, a, n);
    double middle = now();
    add(c, a, b, n);
    double end = now();
    if (middle - start < best_copy) best_copy = middle - start;
    if (end - middle < best_add) best_add = end - middle;
  }
  printf("copy %.3f add %.3f\n", 2e-9 * n * sizeof *a / best_copy, 3e-9 * n * sizeof *a / best_add);
  if (c[n - 1] != 2) return 1;
  free(a);
  free(b);
  free(c);
  return 0;
}

// The C calls of Torch7's nn for two networks: a training step of LeNet with 64 images, and the
// forward pass of ResNet-18 with one. nn unfolds each image into a matrix whose columns are the
// inputs of the outputs, multiplies it, and divides the images among OpenMP's threads.
//
// Usage: torch7_client lenet|resnet18 SECONDS
// Prints the least nanoseconds of a run, among those that start within the time.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "TH.h"

static THFloatTensor* tensor(long a, long b, long c, long d) {
  THFloatTensor* t = THFloatTensor_newWithSize4d(a, b, c, d);
  float* data = THFloatTensor_data(t);
  const long n = THFloatTensor_nElement(t);
  for (long i = 0; i < n; ++i) data[i] = (float)(i * 7919 % 251) / 2510 - 0.05f;
  return t;
}

static THFloatTensor* matrix(long rows, long columns) {
  THFloatTensor* t = tensor(rows, columns, 1, 1);
  THFloatTensor_resize2d(t, rows, columns);
  return t;
}

static THFloatTensor* vector(long n) {
  THFloatTensor* t = tensor(n, 1, 1, 1);
  THFloatTensor_resize1d(t, n);
  return t;
}

static long size(THFloatTensor* t, int d) { return (long)THFloatTensor_size(t, d); }

// A view of the same elements in another shape.
static THFloatTensor* view2d(THFloatTensor* t, long rows, long columns) {
  return THFloatTensor_newWithStorage2d(t->storage, t->storageOffset, rows, -1, columns, -1);
}
static THFloatTensor* view4d(THFloatTensor* t, long a, long b, long c, long d) {
  return THFloatTensor_newWithStorage4d(t->storage, t->storageOffset, a, -1, b, -1, c, -1, d, -1);
}

// ---- convolutions ----

typedef struct {
  int kernel, stride, padding;
  // weight: outputs x (inputs * kernel * kernel). columns: for each image, the unfolded inputs.
  THFloatTensor *weight, *bias, *weight_gradient, *bias_gradient;
  THFloatTensor *output, *columns, *column_gradients, *gradient;
} Convolution;

static Convolution convolution(long inputs, long outputs, int kernel, int stride, int padding,
                               int has_bias) {
  Convolution c = {kernel, stride, padding, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  c.weight = matrix(outputs, inputs * kernel * kernel);
  c.weight_gradient = matrix(outputs, inputs * kernel * kernel);
  if (has_bias) c.bias = vector(outputs), c.bias_gradient = vector(outputs);
  c.output = THFloatTensor_new();
  c.columns = THFloatTensor_new();
  c.column_gradients = THFloatTensor_new();
  c.gradient = THFloatTensor_new();
  return c;
}

// The elements x of an output row for which the input x * stride + k - padding exists.
static void inside(const Convolution* c, long k, long inputs, long outputs, long* first,
                   long* end) {
  *first = 0;
  while (*first < outputs && *first * c->stride + k < c->padding) ++*first;
  *end = outputs;
  while (*end > *first && (*end - 1) * c->stride + k - c->padding >= inputs) --*end;
}

// Unfolds an image, or adds the gradients of the unfolded inputs to those of the image.
static void unfold(const Convolution* c, THFloatTensor* image, THFloatTensor* columns,
                   THFloatTensor* output, int adds) {
  const long height = size(image, 1), width = size(image, 2);
  const long rows = size(output, 1), row = size(output, 2), kernel = c->kernel;
  float *pixels = THFloatTensor_data(image), *all = THFloatTensor_data(columns);
#pragma omp parallel for
  for (long plane = 0; plane < size(image, 0); ++plane) {
    for (long k = 0; k < kernel * kernel; ++k) {
      float* column = all + (plane * kernel * kernel + k) * rows * row;
      long first, end, first_row, end_row;
      inside(c, k % kernel, width, row, &first, &end);
      inside(c, k / kernel, height, rows, &first_row, &end_row);
      if (!adds && (first > 0 || end < row || first_row > 0 || end_row < rows)) {
        memset(column, 0, sizeof(float) * rows * row);
      }
      for (long y = first_row; y < end_row; ++y) {
        float* from = pixels + (plane * height + y * c->stride + k / kernel - c->padding) * width +
                      first * c->stride + k % kernel - c->padding;
        float* to = column + y * row + first;
        if (adds) {
          THFloatVector_cadd(from, from, to, 1, end - first);
        } else if (c->stride == 1) {
          memcpy(to, from, sizeof(float) * (end - first));
        } else {
          for (long x = 0; x < end - first; ++x) to[x] = from[x * c->stride];
        }
      }
    }
  }
}

static THFloatTensor* forward(Convolution* c, THFloatTensor* input) {
  const long images = size(input, 0), outputs = size(c->weight, 0);
  const long rows = (size(input, 2) + 2 * c->padding - c->kernel) / c->stride + 1;
  const long row = (size(input, 3) + 2 * c->padding - c->kernel) / c->stride + 1;
  THFloatTensor_resize3d(c->columns, images, size(c->weight, 1), rows * row);
  THFloatTensor_resize4d(c->output, images, outputs, rows, row);
#pragma omp parallel for
  for (long k = 0; k < images; ++k) {
    THFloatTensor *image = THFloatTensor_newSelect(input, 0, k),
                  *columns = THFloatTensor_newSelect(c->columns, 0, k),
                  *output = THFloatTensor_newSelect(c->output, 0, k),
                  *flat = view2d(output, outputs, rows * row);
    unfold(c, image, columns, output, 0);
    if (c->bias) {
      for (long j = 0; j < outputs; ++j) {
        THFloatVector_fill(THFloatTensor_data(output) + j * rows * row,
                           THFloatTensor_get1d(c->bias, j), rows * row);
      }
    } else {
      THFloatTensor_zero(output);
    }
    THFloatTensor_addmm(flat, 1, flat, 1, c->weight, columns);
    THFloatTensor_free(image);
    THFloatTensor_free(columns);
    THFloatTensor_free(output);
    THFloatTensor_free(flat);
  }
  return c->output;
}

// Returns the gradient of the input.
static THFloatTensor* backward(Convolution* c, THFloatTensor* input, THFloatTensor* gradient) {
  const long images = size(input, 0), outputs = size(c->weight, 0);
  const long positions = size(gradient, 2) * size(gradient, 3);
  THFloatTensor_resizeAs(c->gradient, input);
  THFloatTensor_resizeAs(c->column_gradients, c->columns);
  THFloatTensor_zero(c->column_gradients);
  THFloatTensor* weight = THFloatTensor_newTranspose(c->weight, 0, 1);
#pragma omp parallel for
  for (long k = 0; k < images; ++k) {
    THFloatTensor *of_output = THFloatTensor_newSelect(gradient, 0, k),
                  *of_input = THFloatTensor_newSelect(c->gradient, 0, k),
                  *columns = THFloatTensor_newSelect(c->column_gradients, 0, k),
                  *flat = view2d(of_output, outputs, positions);
    THFloatTensor_addmm(columns, 0, columns, 1, weight, flat);
    THFloatTensor_zero(of_input);
    unfold(c, of_input, columns, of_output, 1);
    THFloatTensor_free(of_output);
    THFloatTensor_free(of_input);
    THFloatTensor_free(columns);
    THFloatTensor_free(flat);
  }
  THFloatTensor_free(weight);
  for (long k = 0; k < images; ++k) {
    THFloatTensor *of_output = THFloatTensor_newSelect(gradient, 0, k),
                  *columns = THFloatTensor_newSelect(c->columns, 0, k),
                  *flat = view2d(of_output, outputs, positions);
    THFloatTensor_transpose(columns, NULL, 0, 1);
    THFloatTensor_addmm(c->weight_gradient, 1, c->weight_gradient, 1, flat, columns);
    const float* data = THFloatTensor_data(flat);
    float* sums = THFloatTensor_data(c->bias_gradient);
    for (long j = 0; j < outputs; ++j) {
      for (long i = 0; i < positions; ++i) sums[j] += data[j * positions + i];
    }
    THFloatTensor_free(of_output);
    THFloatTensor_free(columns);
    THFloatTensor_free(flat);
  }
  return c->gradient;
}

// ---- other layers ----

typedef struct {
  THFloatTensor *output, *gradient;
  THLongTensor* index;
} Layer;

static Layer layer(void) {
  Layer l = {THFloatTensor_new(), THFloatTensor_new(), THLongTensor_new()};
  return l;
}

static THFloatTensor* relu(Layer* l, THFloatTensor* input) {
  THFloatTensor* output = l->output;
  THFloatTensor_resizeAs(output, input);
  TH_TENSOR_APPLY2(float, output, float, input, *output_data = *input_data > 0 ? *input_data : 0;)
  return output;
}

static THFloatTensor* tanh_forward(Layer* l, THFloatTensor* input) {
  THFloatTensor_resizeAs(l->output, input);
  THFloatTensor_tanh(l->output, input);
  return l->output;
}

static THFloatTensor* tanh_backward(Layer* l, THFloatTensor* gradient) {
  THFloatTensor_resizeAs(l->gradient, l->output);
  float* result = THFloatTensor_data(l->gradient);
  const float *y = THFloatTensor_data(l->output), *g = THFloatTensor_data(gradient);
  const long n = THFloatTensor_nElement(gradient);
#pragma omp parallel for
  for (long i = 0; i < n; ++i) result[i] = g[i] * (1 - y[i] * y[i]);
  return l->gradient;
}

static THFloatTensor* pool(Layer* l, THFloatTensor* input, long kernel, long stride, long padding) {
  const long height = size(input, 2), width = size(input, 3);
  const long rows = (height + 2 * padding - kernel) / stride + 1;
  const long row = (width + 2 * padding - kernel) / stride + 1;
  THFloatTensor_resize4d(l->output, size(input, 0), size(input, 1), rows, row);
  THLongTensor_resize4d(l->index, size(input, 0), size(input, 1), rows, row);
  const float* from = THFloatTensor_data(input);
  float* to = THFloatTensor_data(l->output);
  int64_t* index = THLongTensor_data(l->index);
#pragma omp parallel for
  for (long plane = 0; plane < size(input, 0) * size(input, 1); ++plane) {
    const float* pixels = from + plane * height * width;
    for (long at = 0; at < rows * row; ++at) {
      const long top = at / row * stride - padding, left = at % row * stride - padding;
      float most = -INFINITY;
      long place = 0;
      for (long y = top < 0 ? 0 : top; y < top + kernel && y < height; ++y) {
        for (long x = left < 0 ? 0 : left; x < left + kernel && x < width; ++x) {
          if (pixels[y * width + x] > most) most = pixels[place = y * width + x];
        }
      }
      to[plane * rows * row + at] = most;
      index[plane * rows * row + at] = place;
    }
  }
  return l->output;
}

static THFloatTensor* pool_backward(Layer* l, THFloatTensor* input, THFloatTensor* gradient) {
  THFloatTensor_resizeAs(l->gradient, input);
  THFloatTensor_zero(l->gradient);
  const long plane = size(input, 2) * size(input, 3);
  const long outputs = size(l->output, 2) * size(l->output, 3);
  float* to = THFloatTensor_data(l->gradient);
  const float* from = THFloatTensor_data(gradient);
  const int64_t* index = THLongTensor_data(l->index);
#pragma omp parallel for
  for (long k = 0; k < size(input, 0) * size(input, 1); ++k) {
    for (long i = 0; i < outputs; ++i) {
      to[k * plane + index[k * outputs + i]] += from[k * outputs + i];
    }
  }
  return l->gradient;
}

// Normalizes each plane by stored means and variances.
static THFloatTensor* normalize(Layer* l, THFloatTensor* input) {
  THFloatTensor_resizeAs(l->output, input);
  const long planes = size(input, 1), plane = size(input, 2) * size(input, 3);
  const float* from = THFloatTensor_data(input);
  float* to = THFloatTensor_data(l->output);
#pragma omp parallel for
  for (long k = 0; k < size(input, 0) * planes; ++k) {
    const float scale = 1 / sqrtf(1 + (float)(k % planes) / planes);
    for (long i = 0; i < plane; ++i) to[k * plane + i] = (from[k * plane + i] - 0.01f) * scale;
  }
  return l->output;
}

typedef struct {
  THFloatTensor *weight, *bias, *weight_gradient, *bias_gradient, *output, *gradient, *ones;
} Linear;

static Linear linear(long inputs, long outputs) {
  Linear l = {matrix(outputs, inputs), vector(outputs),     matrix(outputs, inputs),
              vector(outputs),         THFloatTensor_new(), THFloatTensor_new(),
              THFloatTensor_new()};
  return l;
}

static THFloatTensor* linear_forward(Linear* l, THFloatTensor* input) {
  THFloatTensor_resize2d(l->output, size(input, 0), size(l->weight, 0));
  THFloatTensor_resize1d(l->ones, size(input, 0));
  THFloatTensor_fill(l->ones, 1);
  THFloatTensor* weight = THFloatTensor_newTranspose(l->weight, 0, 1);
  THFloatTensor_addmm(l->output, 0, l->output, 1, input, weight);
  THFloatTensor_addr(l->output, 1, l->output, 1, l->ones, l->bias);
  THFloatTensor_free(weight);
  return l->output;
}

static THFloatTensor* linear_backward(Linear* l, THFloatTensor* input, THFloatTensor* gradient) {
  THFloatTensor_resizeAs(l->gradient, input);
  THFloatTensor_addmm(l->gradient, 0, l->gradient, 1, gradient, l->weight);
  THFloatTensor* transposed = THFloatTensor_newTranspose(gradient, 0, 1);
  THFloatTensor_addmm(l->weight_gradient, 1, l->weight_gradient, 1, transposed, input);
  THFloatTensor_addmv(l->bias_gradient, 1, l->bias_gradient, 1, transposed, l->ones);
  THFloatTensor_free(transposed);
  return l->gradient;
}

// ---- networks ----

static void lenet(int first) {
  static Convolution c[2];
  static Layer t[3], p[2];
  static Linear l[2];
  static THFloatTensor *images, *of_outputs;
  if (first) {
    c[0] = convolution(1, 20, 5, 1, 0, 1);
    c[1] = convolution(20, 50, 5, 1, 0, 1);
    for (int k = 0; k < 3; ++k) t[k] = layer();
    for (int k = 0; k < 2; ++k) p[k] = layer();
    l[0] = linear(800, 500);
    l[1] = linear(500, 10);
    images = tensor(64, 1, 28, 28);
    of_outputs = matrix(64, 10);
  }
  THFloatTensor* x = images;
  for (int k = 0; k < 2; ++k) x = pool(&p[k], tanh_forward(&t[k], forward(&c[k], x)), 2, 2, 0);
  THFloatTensor* flat = view2d(x, 64, 800);
  linear_forward(&l[1], tanh_forward(&t[2], linear_forward(&l[0], flat)));

  THFloatTensor* g = tanh_backward(&t[2], linear_backward(&l[1], t[2].output, of_outputs));
  THFloatTensor* pooled = view4d(linear_backward(&l[0], flat, g), 64, 50, 4, 4);
  g = tanh_backward(&t[1], pool_backward(&p[1], t[1].output, pooled));
  g = backward(&c[1], p[0].output, g);
  g = tanh_backward(&t[0], pool_backward(&p[0], t[0].output, g));
  backward(&c[0], images, g);
  THFloatTensor_free(flat);
  THFloatTensor_free(pooled);
}

static void resnet18(int first) {
  static Convolution c[20];
  static Layer n[20], r[20], reduced;
  static Linear classes;
  static THFloatTensor *image, *means;
  static const long widths[] = {64, 128, 256, 512};
  if (first) {
    int k = 0;
    c[k++] = convolution(3, 64, 7, 2, 3, 0);
    for (int b = 0; b < 8; ++b) {
      const long out = widths[b / 2], in = b % 2 || b == 0 ? out : widths[b / 2 - 1];
      const int stride = in == out ? 1 : 2;
      c[k++] = convolution(in, out, 3, stride, 1, 0);
      c[k++] = convolution(out, out, 3, 1, 1, 0);
      if (stride == 2) c[k++] = convolution(in, out, 1, 2, 0, 0);
    }
    for (int j = 0; j < 20; ++j) n[j] = layer(), r[j] = layer();
    reduced = layer();
    classes = linear(512, 1000);
    image = tensor(1, 3, 224, 224);
    means = THFloatTensor_new();
  }
  int k = 0;
  THFloatTensor* x = relu(&r[k], normalize(&n[k], forward(&c[k], image)));
  x = pool(&reduced, x, 3, 2, 1);
  for (int b = 0; b < 8; ++b) {
    const int a = k + 1, d = k + 2, has_shortcut = b > 0 && b % 2 == 0;
    THFloatTensor* y = relu(&r[a], normalize(&n[a], forward(&c[a], x)));
    y = normalize(&n[d], forward(&c[d], y));
    k = has_shortcut ? d + 1 : d;
    if (has_shortcut) x = normalize(&n[k], forward(&c[k], x));
    THFloatTensor_cadd(y, y, 1, x);
    x = relu(&r[d], y);
  }
  THFloatTensor* planes = view2d(x, 512, 49);
  THFloatTensor_mean(means, planes, 1, 0);
  THFloatTensor* row = view2d(means, 1, 512);
  linear_forward(&classes, row);
  THFloatTensor_free(planes);
  THFloatTensor_free(row);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "usage: torch7_client lenet|resnet18 SECONDS\n"), 2;
  void (*run)(int) = strcmp(argv[1], "lenet") == 0 ? lenet : resnet18;
  const double seconds = atof(argv[2]);
  run(1);
  double least = INFINITY;
  for (const double begin = now(); now() < begin + seconds;) {
    const double start = now();
    run(0);
    least = fmin(least, now() - start);
  }
  printf("%.0f\n", 1e9 * least);
  return 0;
}

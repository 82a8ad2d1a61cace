// Normal distributions with a mean or a deviation for each element.

#include "ops/direct.h"
#include "ops/compose.h"
#include "ops/distributions.h"
#include "ops/elementwise.h"

namespace th::direct {

namespace {

void check_normal(const Tensor& r, const Tensor& parameters, int argument) {
  check_floating("normal", 1, r);
  if (parameters.dtype != r.dtype) {
    fail_argument(argument, "normal: means and deviations must be a %sTensor, got a %sTensor",
                  name(r.dtype), name(parameters.dtype));
  }
}

// Normal values of the given size.
TensorRef normals(const Tensor& like, Generator* g, double deviation) {
  TensorRef values(tensor_new_sized(like.dtype, like.nDimension, like.size));
  place_result(device_of({&like}), values.get());
  normal(values.get(), g, 0, deviation);
  return values;
}

}  // namespace

void normal_means(Tensor* r, Generator* g, Tensor* means, double deviation) {
  check_normal(*r, *means, 3);
  check_deviation(deviation, 4);
  TensorRef values = normals(*means, g, deviation);
  cadd(values.get(), values.get(), 1, means);
  deliver(r, values.get());
}

void normal_stddevs(Tensor* r, Generator* g, double mean, Tensor* deviations) {
  check_normal(*r, *deviations, 4);
  TensorRef values = normals(*deviations, g, 1);
  cmul(values.get(), values.get(), deviations);
  add(values.get(), values.get(), mean);
  deliver(r, values.get());
}

void normal_means_stddevs(Tensor* r, Generator* g, Tensor* means, Tensor* deviations) {
  check_normal(*r, *means, 3);
  check_normal(*r, *deviations, 4);
  Paired pair = paired_views("normal", means, deviations);
  TensorRef values = normals(*pair.a, g, 1);
  cmul(values.get(), values.get(), pair.b.get());
  cadd(values.get(), values.get(), 1, pair.a.get());
  deliver(r, values.get());
}

}  // namespace th::direct

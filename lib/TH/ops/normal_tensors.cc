// Normal distributions with a mean or a deviation for each element.

#include "ops/distributions.h"
#include "ops/elementwise.h"
#include "ops/filling.h"

namespace th {

namespace {

void check_deviations(const Shapes& s, Tensor* const& t) {
  if (t->numel() == 0) return;
  const double least = ops::minall(t).to_double();
  if (least < 0) s.fail(t, "standard deviations must not be negative, got %g", least);
}

}  // namespace

void shapes(args::normal_means& a, Shapes& s) {
  check_deviation(a.stddev, s.number_of(&a.stddev));
  s.set(a.self, *a.means, Layout::contiguous);
}
void calls(args::normal_means& a) {
  place_result(device_of({a.means}), a.self);
  fill_by(Op::normal_means, a.self, a.gen, Distribution::normal, 0, a.stddev);
  ops::cadd(a.self, a.self, 1, a.means);
}

void shapes(args::normal_stddevs& a, Shapes& s) {
  check_deviations(s, a.stddevs);
  s.set(a.self, *a.stddevs, Layout::contiguous);
}
void calls(args::normal_stddevs& a) {
  place_result(device_of({a.stddevs}), a.self);
  ops::normal(a.self, a.gen, 0, 1);
  ops::cmul(a.self, a.self, a.stddevs);
  ops::add(a.self, a.self, a.mean);
}

void shapes(args::normal_means_stddevs& a, Shapes& s) {
  check_deviations(s, a.stddevs);
  Tensor* const parameters[] = {a.means, a.stddevs};
  int ndim;
  int64_t size[kMaxDims];
  elementwise_shape(parameters, 2, nullptr, &ndim, size);
  s.set(a.self, ndim, size, Layout::contiguous);
}
void calls(args::normal_means_stddevs& a) {
  place_result(device_of({a.means, a.stddevs}), a.self);
  ops::normal(a.self, a.gen, 0, 1);
  ops::cmul(a.self, a.self, a.stddevs);
  ops::cadd(a.self, a.self, 1, a.means);
}

}  // namespace th

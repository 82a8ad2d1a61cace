// Random fills on devices: which words of which stream they take, and how they leave the generator,
// which is as the same fill on the CPU leaves a Philox generator.

#include "ops/random_device.h"

#include <cmath>

#include "functors/distributions.h"
#include "ops/device_operands.h"

namespace th {

namespace {

// The words of n normal values; a value kept by the last pair comes first.
void take_normals(Generator& g, int64_t n, RandomCall* call) {
  // A generator's own stream goes on from fill to fill; the others begin with each.
  bool goes_on = g.kind == GeneratorKind::philox;
  if (goes_on && g.normal_kept) {
    double z = g.normal() * call->b + call->a;
    call->has_first = true;
    call->first_value = call->distribution == Distribution::log_normal ? std::exp(z) : z;
    --n;
  }
  if (n == 0) return;
  int64_t pairs = n / 2 + n % 2;
  g.begin_pair();
  call->place = g.take(2 * static_cast<uint64_t>(pairs));
  if (!goes_on) return;
  PhiloxPlace last = call->place;
  last.offset += 2 * static_cast<uint64_t>(pairs - 1);
  uint32_t x = philox_word(last);
  ++last.offset;
  g.set_pair(x, philox_word(last));
  g.normal_kept = n % 2 != 0;
}

bool run_fill(Tensor* r, Generator* g, RandomCall call) {
  Device* device = device_of({r});
  if (!device) return false;
  call.n = r->numel();
  if (call.n == 0) return true;
  call.dtype = r->dtype;
  PackedResult out(*device, r);
  call.out = out.data();
  if (call.distribution == Distribution::normal || call.distribution == Distribution::log_normal) {
    take_normals(*g, call.n, &call);
  } else {
    bool takes_two = call.distribution == Distribution::integer &&
                     (call.range == 0 || call.range > uint64_t{1} << 32);
    if (takes_two) g->begin_pair();
    call.place = g->take(static_cast<uint64_t>(call.n) * (takes_two ? 2 : 1));
  }
  device->run(DeviceOp::random, &call);
  out.finish();
  return true;
}

}  // namespace

bool fill_on_device(Tensor* r, Generator* g, Distribution distribution, double a, double b) {
  RandomCall call = {};
  call.distribution = distribution;
  call.a = a;
  call.b = b;
  return run_fill(r, g, call);
}

bool fill_integers_on_device(Tensor* r, Generator* g, int64_t first, uint64_t range) {
  RandomCall call = {};
  call.distribution = Distribution::integer;
  call.first = first;
  call.range = range;
  return run_fill(r, g, call);
}

void permute_by_keys(Tensor* r, Generator* g) {
  TensorRef keys(tensor_new_sized(DType::Long, 1, r->size));
  TensorRef sorted(tensor_new(DType::Long)), order(tensor_new(DType::Long));
  if (Device* device = device_of({r})) result_on(*device, *keys, Access::overwrite);
  ops::clampedRandom(keys.get(), g, INT64_MIN, INT64_MAX);
  ops::sort(sorted.get(), order.get(), keys.get(), 0, false);
  ops::copy(r, order.get());
}

}  // namespace th

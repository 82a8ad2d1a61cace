// Linear algebra on a device whose memory runs out, before or after the first work of an operation:
// garbage is collected, and the operation repeated.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "memory/heap.h"
#include "on_soft_device.h"
#include "ops/ops.h"

namespace {

using namespace core;
namespace ops = th::ops;
using Tensors = std::vector<TensorRef>;

// Memory of the device, which the collector frees.
struct Garbage {
  th::Device* device;
  void* block = nullptr;
  static void collect(void* data) {
    auto* garbage = static_cast<Garbage*>(data);
    if (garbage->block) garbage->device->release(std::exchange(garbage->block, nullptr));
  }
};

constexpr DType kType = DType::Double;

TensorRef matrix(int64_t rows, int64_t columns, double diagonal) {
  TensorRef t = make(kType, {rows, columns});
  fill(*t, [&](int64_t i) {
    return std::sin(static_cast<double>(i * i + 1)) + (i / columns == i % columns ? diagonal : 0);
  });
  return t;
}

struct Operation {
  const char* name;
  void (*run)(const Tensors& in, const Tensors& out);  // in: a tall matrix, right sides, a square
};
constexpr Operation kOperations[] = {
    {"lstsq",
     [](const Tensors& in, const Tensors& out) {
       ops::lstsq(out[0].get(), out[1].get(), out[2].get(), out[3].get(), in[0].get(), in[1].get(),
                  -1);
     }},
    {"gels",
     [](const Tensors& in, const Tensors& out) {
       ops::gels(out[0].get(), out[1].get(), in[1].get(), in[0].get());
     }},
    {"pinverse",
     [](const Tensors& in, const Tensors& out) { ops::pinverse(out[0].get(), in[0].get(), -1); }},
    {"getri and det",
     [](const Tensors& in, const Tensors& out) {
       ops::getri(out[0].get(), in[2].get());
       ops::det(out[1].get(), in[2].get());
     }},
};

class LinalgMemory : public OnSoftDevice {
 protected:
  void TearDown() override {
    th::set_collector(nullptr, nullptr);
    OnSoftDevice::TearDown();
  }
  static Tensors inputs() {
    Tensors in;
    in.push_back(matrix(60, 40, 9));
    in.push_back(matrix(60, 2, 0));
    in.push_back(matrix(40, 40, 9));
    return in;
  }
  static Tensors results() {
    Tensors out;
    for (DType type : {kType, kType, DType::Long, kType}) out.push_back(empty(type));
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, LinalgMemory, testing::ValuesIn(kSettings), setting_name);

TEST_P(LinalgMemory, CollectsGarbage) {
  if (std::string(device_->name()).find("soft") != 0) GTEST_SKIP() << "memory has no limit";
  constexpr int64_t most = 1 << 18;
  Garbage garbage = {device_};
  th::set_collector(&Garbage::collect, &garbage);
  for (const Operation& operation : kOperations) {
    const Tensors wanted = results();
    operation.run(inputs(), wanted);
    for (int64_t free = 0; free <= most; free += 4096) {
      Tensors in = inputs();
      for (TensorRef& t : in) {
        t = sent(std::move(t));
        ops::add(t.get(), t.get(), 0);
      }
      const Tensors got = results();
      garbage.block = device_->allocate(static_cast<size_t>(2 * most));
      device_->empty_cache();
      th::DeviceUsage usage = {};
      device_->usage(&usage);
      th::set_soft_memory(usage.in_use + free);
      EXPECT_NO_THROW(operation.run(in, got)) << operation.name << ", " << free << " free";
      th::set_soft_memory(0);
      Garbage::collect(&garbage);
      for (size_t k = 0; k < got.size(); ++k) {
        const auto a = values(*wanted[k]), b = values(*got[k]);
        ASSERT_EQ(a.size(), b.size()) << operation.name << ", " << free << " free";
        for (size_t i = 0; i < a.size(); ++i) {
          ASSERT_NEAR(a[i], b[i], 1e-9 * std::max(1.0, std::fabs(a[i]))) << operation.name;
        }
      }
    }
  }
}

}  // namespace

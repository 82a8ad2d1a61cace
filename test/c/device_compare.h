#ifndef TENSOR_TEST_DEVICE_COMPARE_H
#define TENSOR_TEST_DEVICE_COMPARE_H

// Operations on a device (test_device.h) against the same on the CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "backend/device_list.h"
#include "base/error.h"
#include "base/op_scope.h"
#include "elements.h"
#include "memory/stats.h"
#include "ops/operands.h"
#include "ops/ops.h"
#include "soft/soft_device.h"
#include "test_device.h"

namespace device_compare {

using namespace elements;
using th::Device;

inline Device& device() {
  static Device* found = th::find_device(test_device::name());
  return *found;
}

// For the software device: when queued work runs, and in which order its threads do.
struct Setting {
  th::SoftMode mode;
  th::ThreadOrder order;
};

class OnDevice : public testing::TestWithParam<Setting> {
 protected:
  void SetUp() override {
    std::string problem;
    if (!test_device::find(&problem)) GTEST_SKIP() << problem;
    device().synchronize();
    th::set_soft_mode(GetParam().mode);
    th::set_thread_order(GetParam().order);
  }
  void TearDown() override {
    if (!IsSkipped()) device().synchronize();
    th::set_soft_mode(th::SoftMode::eager);
    th::set_thread_order(th::ThreadOrder::ascending);
  }
};

inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  return std::string(info.param.mode == th::SoftMode::lazy ? "lazy" : "eager") +
         (info.param.order == th::ThreadOrder::descending ? "_descending" : "_ascending");
}

#define INSTANTIATE_ON_DEVICE(Suite)                                             \
  INSTANTIATE_TEST_SUITE_P(                                                      \
      Settings, Suite,                                                           \
      testing::Values(Setting{th::SoftMode::eager, th::ThreadOrder::ascending},  \
                      Setting{th::SoftMode::lazy, th::ThreadOrder::descending}), \
      setting_name)

enum class Layout { contiguous, transposed, spread };
constexpr Layout kLayouts[] = {Layout::contiguous, Layout::transposed, Layout::spread};

// spread: with an offset, and others' elements in between.
inline TensorRef make_laid_out(DType type, const Shape& size, Layout layout) {
  int ndim = static_cast<int>(size.size());
  if (layout == Layout::contiguous) return make(type, size);
  TensorRef t;
  if (layout == Layout::transposed) {
    t = make(type, Shape(size.rbegin(), size.rend()));
    Shape order;
    for (int d = ndim; d-- > 0;) order.push_back(d);
    th::ops::permute(t.get(), t.get(), {ndim, order.data()});
    return t;
  }
  Shape larger;
  for (int64_t n : size) larger.push_back(2 * n + 1);
  t = make(type, larger);
  std::memset(t->data(th::Access::overwrite), 1, t->storage->size * th::item_size(type));
  Shape stride(t->stride, t->stride + ndim);
  int64_t offset = 0;
  for (int64_t& s : stride) {
    offset += s;
    s *= 2;
  }
  th::set_storage(t.get(), t->storage, offset, ndim, size.data(), stride.data());
  return t;
}

template <class F>
TensorRef filled(DType type, const Shape& size, Layout layout, const F& element) {
  TensorRef t = make_laid_out(type, size, layout);
  fill(t, element);
  return t;
}

// The same elements in the same places of another storage.
inline TensorRef twin(const Tensor* t) {
  TensorRef copy(th::tensor_new(t->dtype));
  if (!t->storage) {
    th::resize(copy.get(), t->nDimension, t->size);
    return copy;
  }
  th::Storage* storage = th::storage_new(t->dtype, t->storage->size);
  if (storage->size > 0) {
    std::memcpy(storage->cpu(th::Access::overwrite), t->storage->cpu(th::Access::read),
                storage->size * th::item_size(t->dtype));
  }
  th::set_storage(copy.get(), storage, t->storageOffset, t->nDimension, t->size, t->stride);
  th::storage_free(storage);
  return copy;
}

// Nowhere but there.
inline void move_to_device(const TensorRef& t) {
  if (!t->storage) return;
  th::storage_to(t->storage, &device());
  if (t->storage->size > 0) t->storage->memory.device(th::Access::write, device());
}

// An operand, for as long as the call that it is given to.
struct Operand {
  Operand(const TensorRef& t) : tensor(t.get()) {}
  const Tensor* tensor;
};

using Operation = std::function<void(const std::vector<Tensor*>&)>;

inline std::vector<Tensor*> pointers(const std::vector<TensorRef>& tensors) {
  std::vector<Tensor*> all;
  for (const TensorRef& t : tensors) all.push_back(t.get());
  return all;
}

inline void expect_equal(const Tensor& got, const Tensor& wanted) {
  ASSERT_EQ(th::shape_text(got), th::shape_text(wanted));
  const Values all_got = values(got), all_wanted = values(wanted);
  for (size_t i = 0; i < all_got.size(); ++i) {
    double x = all_got[i], y = all_wanted[i];
    const double error = test_device::tolerance(got.dtype) * std::fabs(y);
    ASSERT_TRUE(x == y || (x != x && y != y) || std::fabs(x - y) <= error)
        << "element " << i << ": " << x << ", not " << y;
  }
}

// Runs the operation on copies of the operands, of which the first is the result. on_device:
// whether each operand is there; all are where it is empty. Elements beside the result's stay, too.
inline void compare(const std::vector<Operand>& operands, const Operation& operation,
                    const std::vector<bool>& on_device = {}) {
  std::vector<TensorRef> here, there;
  for (size_t k = 0; k < operands.size(); ++k) {
    here.push_back(twin(operands[k].tensor));
    there.push_back(twin(operands[k].tensor));
    if (on_device.empty() || on_device[k]) move_to_device(there.back());
  }
  operation(pointers(here));
  th::reset_device_stats();
  {
    th::OpScope scope("the operation");
    operation(pointers(there));
  }
  ASSERT_TRUE(th::device_stats().fallbacks.empty());
  if (there[0]->numel() > 0) {
    ASSERT_EQ(there[0]->storage->current_device(), &device());
  }
  expect_equal(*there[0], *here[0]);
  if (here[0]->storage) {
    size_t bytes = here[0]->storage->size * th::item_size(here[0]->dtype);
    if (bytes > 0 && test_device::tolerance(here[0]->dtype) == 0 && operands[0].tensor->storage &&
        operands[0].tensor->storage->size == here[0]->storage->size) {
      ASSERT_EQ(std::memcmp(there[0]->storage->cpu(th::Access::read),
                            here[0]->storage->cpu(th::Access::read), bytes),
                0);
    }
  }
}

inline std::string error_of(const std::function<void()>& f) {
  try {
    f();
    return "no error";
  } catch (const th::Error& error) {
    return std::to_string(error.argument()) + ": " + error.what();
  }
}

// The same error when a device reports it late. It names the operation, as in Lua, and not the
// argument, because another operation may be running then. op is empty if the operation itself
// waits for the device: its caller adds the name.
inline std::string late(const std::string& op, const std::string& error) {
  return "0: " + (op.empty() ? "" : op + ": ") + error.substr(error.find(':') + 2);
}

}  // namespace device_compare

#endif

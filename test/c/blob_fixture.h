#ifndef TENSOR_TEST_BLOB_FIXTURE_H
#define TENSOR_TEST_BLOB_FIXTURE_H

// Blobs of both types on the CPU, on the software device, or with memory that a device holds
// although their current device is the CPU.

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "backend/device_list.h"
#include "base/error.h"
#include "blob/blob.h"
#include "soft/soft_device.h"

namespace th {

struct Place {
  const char* name;
  void (*bring)(Storage*);
  // Where the head is once an operation wrote there.
  Head head;
  SoftMode mode;
  ThreadOrder order;
};

inline void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

inline Device& soft() { return *find_device("soft"); }

inline std::vector<Place> places() {
  auto stay = [](Storage* s) { s->cpu(Access::read); };
  auto go = [](Storage* s) { storage_to(s, &soft()); };
  auto push = [](Storage* s) { s->memory.device(Access::write, soft()); };
  auto copy = [](Storage* s) { s->memory.device(Access::read, soft()); };
  constexpr auto eager = SoftMode::eager, lazy = SoftMode::lazy;
  constexpr auto up = ThreadOrder::ascending, down = ThreadOrder::descending;
  return {{"Cpu", stay, Head::cpu, eager, up},
          {"SoftEager", go, Head::device, eager, up},
          {"SoftLazy", go, Head::device, lazy, down},
          {"Pushed", push, Head::device, lazy, up},
          {"Synced", copy, Head::device, lazy, down}};
}

using Part = Blob::Part;
using Shape = std::vector<int64_t>;

inline BlobRef make(DType type, const Shape& shape) {
  BlobRef blob(new Blob(type));
  blob->reshape(static_cast<int>(shape.size()), shape.data());
  return blob;
}
inline Shape shape_of(const Blob& blob) { return Shape(blob.shape(), blob.shape() + blob.axes()); }
inline void reshape(Blob& blob, const Shape& shape) {
  blob.reshape(static_cast<int>(shape.size()), shape.data());
}

inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_FAILS(body, part) \
  EXPECT_NE(error_of([&] { body; }).find(part), std::string::npos) << error_of([&] { body; })

class BlobFixture : public testing::TestWithParam<std::tuple<DType, Place>> {
 protected:
  void SetUp() override {
    set_soft_mode(place().mode);
    set_thread_order(place().order);
  }
  void TearDown() override {
    soft().synchronize();
    set_soft_mode(SoftMode::eager);
    set_thread_order(ThreadOrder::ascending);
  }
  DType type() const { return std::get<0>(GetParam()); }
  const Place& place() const { return std::get<1>(GetParam()); }
  BlobRef make(const Shape& shape) const { return th::make(type(), shape); }

  // Writes elements on the host, then brings them to the place.
  void set(Blob& blob, Part part, const std::function<double(int64_t)>& value) const {
    TensorRef t = blob.tensor(part);
    for (int64_t i = 0; i < blob.count(); ++i) {
      if (type() == DType::Float) {
        t->data_as<float>(Access::write)[i] = static_cast<float>(value(i));
      } else {
        t->data_as<double>(Access::write)[i] = value(i);
      }
    }
    place().bring(blob.storage(part));
  }
  void fill(Blob& blob, Part part, double value) const {
    set(blob, part, [=](int64_t) { return value; });
  }
  std::vector<double> get(const Blob& blob, Part part) const {
    std::vector<double> values;
    for (int64_t i = 0; i < blob.count(); ++i) values.push_back(blob.element(part, i));
    return values;
  }
  Head head(const Blob& blob, Part part) const { return blob.storage(part)->memory.head(); }
};

// All cases of the tests that a file has.
#define INSTANTIATE_BLOB_TESTS(Fixture)                                                            \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      Types, Fixture,                                                                              \
      testing::Combine(testing::Values(DType::Float, DType::Double), testing::ValuesIn(places())), \
      [](const auto& info) {                                                                       \
        return std::string(name(std::get<0>(info.param))) + std::get<1>(info.param).name;          \
      })

}  // namespace th

#endif

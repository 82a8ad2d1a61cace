// BlobProto and BlobProtoVector: files that test/reference/blobs.py encoded, what we write, and
// bytes that are cut, changed or made to deceive.

#include <algorithm>
#include "io/blob_proto.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "memory/heap.h"

namespace th {
namespace {

using Part = Blob::Part;
using Shape = std::vector<int64_t>;

constexpr DType kTypes[] = {DType::Float, DType::Double};
const char* const kFiles[] = {"legacy",  "legacy-partial", "floats",           "floats-diff",
                              "doubles", "doubles-diff",   "unpacked",         "mixed",
                              "both",    "scalar",         "unpacked-doubles", "empty-axis",
                              "vector"};

std::string content(const std::string& name) {
  std::ifstream file("test/data/blobs/" + name + ".binaryproto", std::ios::binary);
  EXPECT_TRUE(file) << name;
  return std::string(std::istreambuf_iterator<char>(file), {});
}
Bytes bytes_of(const std::string& text) { return {text.data(), text.size()}; }

BlobRef make(DType type, const Shape& shape) {
  BlobRef blob(new Blob(type));
  blob->reshape(static_cast<int>(shape.size()), shape.data());
  return blob;
}
void read(Blob& blob, const std::string& text, bool reshape = true) {
  BlobProto(bytes_of(text)).read_into(blob, reshape);
}
BlobRef read(DType type, const std::string& text) {
  BlobRef blob(new Blob(type));
  read(*blob, text);
  return blob;
}
std::string written(const Blob& blob, bool with_diff) {
  StorageRef storage(storage_new(DType::Byte));
  write_blob_proto(blob, with_diff, storage.get());
  return std::string(static_cast<char*>(storage->cpu(Access::read)), storage->size);
}
std::string written(const std::vector<const Blob*>& blobs, bool with_diff) {
  StorageRef storage(storage_new(DType::Byte));
  write_blob_protos(blobs.data(), static_cast<int64_t>(blobs.size()), with_diff, storage.get());
  return std::string(static_cast<char*>(storage->cpu(Access::read)), storage->size);
}

Shape shape_of(const Blob& blob) { return Shape(blob.shape(), blob.shape() + blob.axes()); }
double data_at(const Blob& blob, int64_t i) { return blob.element(Part::data, i); }
double diff_at(const Blob& blob, int64_t i) { return blob.element(Part::diff, i); }
// The values that blobs.py writes.
void expect_data(const Blob& blob, int64_t count) {
  ASSERT_EQ(blob.count(), count);
  for (int64_t i = 0; i < count; ++i) EXPECT_EQ(data_at(blob, i), i / 2.0 - 3) << i;
}
void expect_diff(const Blob& blob) {
  for (int64_t i = 0; i < blob.count(); ++i) EXPECT_EQ(diff_at(blob, i), 10.0 - i) << i;
}
bool has_diff(const Blob& blob) {
  return blob.storage(Part::diff)->memory.head() != Head::uninitialized;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
#define EXPECT_FAILS(body, part) \
  EXPECT_NE(error_of([&] { body; }).find(part), std::string::npos) << error_of([&] { body; })

// A byte at a time, for what no encoder of ours would write.
std::string varint(uint64_t value) {
  std::string text;
  for (; value > 127; value >>= 7) text += static_cast<char>((value & 127) | 128);
  return text + static_cast<char>(value);
}
std::string field(int number, const std::string& text) {
  return varint(number << 3 | 2) + varint(text.size()) + text;
}
std::string shape_field(const std::vector<uint64_t>& sizes) {
  std::string text;
  for (uint64_t size : sizes) text += varint(size);
  return field(7, field(1, text));
}

TEST(BlobProto, IsReadIntoEitherType) {
  for (DType type : kTypes) {
    BlobRef blob = read(type, content("legacy"));
    EXPECT_EQ(shape_of(*blob), Shape({1, 3, 2, 4}));
    expect_data(*blob, 24);
    for (const char* file : {"floats", "doubles"}) {
      blob = read(type, content(file));
      EXPECT_EQ(shape_of(*blob), Shape({2, 3, 4}));
      expect_data(*blob, 24);
      EXPECT_FALSE(has_diff(*blob)) << file;
      blob = read(type, content(std::string(file) + "-diff"));
      expect_data(*blob, 24);
      expect_diff(*blob);
    }
    blob = read(type, content("unpacked"));
    EXPECT_EQ(shape_of(*blob), Shape({2, 3}));
    expect_data(*blob, 6);
    expect_diff(*blob);
    expect_data(*read(type, content("unpacked-doubles")), 6);
    blob = read(type, content("mixed"));
    EXPECT_EQ(shape_of(*blob), Shape({2, 3}));
    expect_data(*blob, 6);
    expect_data(*read(type, content("both")), 3);
    blob = read(type, content("scalar"));
    EXPECT_EQ(blob->axes(), 0);
    expect_data(*blob, 1);
    EXPECT_EQ(shape_of(*read(type, content("empty-axis"))), Shape({0, 5}));
    // Legacy sizes that are not there are 0.
    EXPECT_EQ(shape_of(*read(type, content("legacy-partial"))), Shape({1, 0, 0, 0}));
  }
}

TEST(BlobProto, TellsItsElementType) {
  auto holds_doubles = [](const char* file) {
    std::string text = content(file);
    return BlobProto(bytes_of(text)).holds_doubles();
  };
  EXPECT_FALSE(holds_doubles("legacy"));
  EXPECT_FALSE(holds_doubles("floats-diff"));
  EXPECT_TRUE(holds_doubles("doubles"));
  EXPECT_TRUE(holds_doubles("both"));
  EXPECT_FALSE(is_blob_proto_vector(bytes_of(content("legacy"))));
  EXPECT_FALSE(is_blob_proto_vector(bytes_of(content("floats"))));
  EXPECT_FALSE(is_blob_proto_vector({nullptr, 0}));
  EXPECT_TRUE(is_blob_proto_vector(bytes_of(content("vector"))));
}

TEST(BlobProto, WithoutReshapeTheShapesMustAgree) {
  std::string legacy = content("legacy"), floats = content("floats");
  BlobRef blob = make(DType::Float, {3, 2, 4});
  read(*blob, legacy, false);
  EXPECT_EQ(shape_of(*blob), Shape({3, 2, 4}));
  expect_data(*blob, 24);
  EXPECT_FAILS(read(*blob, floats, false), "reshape is not set");
  blob = make(DType::Float, {24});
  EXPECT_FAILS(read(*blob, legacy, false), "1 3 2 4 (24)");
  EXPECT_EQ(blob->storage(Part::data)->memory.head(), Head::uninitialized);
  EXPECT_FAILS(read(*BlobRef(new Blob(DType::Float)), floats, false), "no shape yet");
  EXPECT_TRUE(BlobProto(bytes_of(legacy)).equals_shape(*make(DType::Float, {1, 3, 2, 4})));
  EXPECT_FALSE(BlobProto(bytes_of(floats)).equals_shape(*make(DType::Float, {1, 2, 3, 4})));
  // No values are needed for that.
  const std::string shape = shape_field({3, 2});
  EXPECT_TRUE(BlobProto(bytes_of(shape)).equals_shape(*make(DType::Float, {3, 2})));
  EXPECT_FALSE(BlobProto(bytes_of(shape)).equals_shape(*make(DType::Float, {2, 3})));
  EXPECT_FAILS(read(*blob, shape), "needs as many values, the BlobProto has 0 in its data");
}

TEST(BlobProto, KeepsTheMemoryAndTheDiffThatItDoesNotReplace) {
  BlobRef blob = read(DType::Float, content("floats-diff"));
  Storage* data = blob->storage(Part::data);
  TensorRef view = blob->tensor(Part::data);
  read(*blob, content("unpacked-doubles"));
  EXPECT_EQ(blob->storage(Part::data), data);
  EXPECT_EQ(shape_of(*blob), Shape({2, 3}));
  expect_diff(*blob);
  // Elements beyond the new shape are still those of tensors made before.
  EXPECT_EQ(view->data_as<float>(Access::read)[23], 23 / 2.0f - 3);
}

TEST(BlobProto, WritesWhatTheIndependentEncoderDoes) {
  EXPECT_EQ(written(*read(DType::Float, content("floats")), false), content("floats"));
  EXPECT_EQ(written(*read(DType::Float, content("doubles-diff")), true), content("floats-diff"));
  EXPECT_EQ(written(*read(DType::Double, content("floats")), false), content("doubles"));
  EXPECT_EQ(written(*read(DType::Double, content("floats-diff")), true), content("doubles-diff"));
  EXPECT_EQ(written(*read(DType::Float, content("scalar")), false), content("scalar"));
  EXPECT_EQ(written(*read(DType::Float, content("empty-axis")), true), content("empty-axis"));
  EXPECT_FAILS(written(*BlobRef(new Blob(DType::Float)), false), "no shape yet");
  EXPECT_FAILS(written(*make(DType::Float, {int64_t{1} << 29}), false), "less than 2 GiB");
  EXPECT_FAILS(written(*make(DType::Double, {int64_t{1} << 27}), true), "less than 2 GiB");
}

TEST(BlobProto, KeepsEveryBit) {
  BlobRef blob = make(DType::Double, {3, 2});
  const double values[] = {
      0.1, -0.0, 5e-324, std::numeric_limits<double>::infinity(), 1.7976931348623157e308, -1.0 / 3};
  auto* data = blob->tensor(Part::data)->data_as<double>(Access::write);
  std::copy(values, values + 6, data);
  BlobRef back = read(DType::Double, written(*blob, true));
  EXPECT_EQ(std::memcmp(back->tensor(Part::data)->data(Access::read), values, 48), 0);
  EXPECT_EQ(back->asum(Part::diff), 0);
}

TEST(BlobProtoVector, IsReadAndWritten) {
  std::string vector = content("vector");
  EXPECT_EQ(check_blob_protos(bytes_of(vector)), 3);
  Bytes rest = bytes_of(vector), proto;
  std::vector<BlobRef> blobs;
  while (next_blob_proto(&rest, &proto)) {
    BlobProto parsed(proto);
    blobs.emplace_back(new Blob(parsed.holds_doubles() ? DType::Double : DType::Float));
    parsed.read_into(*blobs.back(), true);
  }
  ASSERT_EQ(blobs.size(), 3u);
  EXPECT_EQ(shape_of(*blobs[0]), Shape({2, 3}));
  EXPECT_EQ(shape_of(*blobs[1]), Shape({1, 1, 1, 4}));
  EXPECT_EQ(blobs[1]->dtype(), DType::Double);
  expect_data(*blobs[1], 4);
  expect_diff(*blobs[2]);
  std::string again = written({blobs[0].get(), blobs[1].get(), blobs[2].get()}, true);
  EXPECT_EQ(check_blob_protos(bytes_of(again)), 3);
  EXPECT_TRUE(is_blob_proto_vector(bytes_of(again)));
  EXPECT_EQ(written(std::vector<const Blob*>(), false), "");
  EXPECT_EQ(check_blob_protos({nullptr, 0}), 0);
}

TEST(HostileProto, SizesAreCheckedBeforeMemoryIsTaken) {
  const std::string one_float = field(5, std::string(4, '\0'));
  struct Case {
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"", "needs as many values, the BlobProto has 0 in its data"},
      {one_float, "no error"},
      {shape_field({1000000, 1000}), "has 0 in its data"},
      {shape_field({uint64_t{1} << 40, 1}) + one_float, "has 1 in its data"},
      {shape_field({uint64_t{1} << 62, uint64_t{1} << 62}) + one_float, "too large"},
      {shape_field({~uint64_t{0}}) + one_float, "size -1 of axis 1 is negative"},
      {varint(1 << 3) + varint(~uint64_t{0}), "negative"},
      {varint(1 << 3) + varint(2) + varint(2 << 3) + varint(3), "no error"},
      {shape_field(std::vector<uint64_t>(33, 1)) + one_float, "at most 32 axes"},
      {shape_field({1}) + field(5, std::string(6, '\0')), "invalid BlobProto"},
      {shape_field({1}) + one_float + field(6, std::string(8, '\0')), "has 2 in its diff"},
      {shape_field({0}) + field(6, std::string(8, '\0')), "has 2 in its diff"},
      {shape_field({1}) + varint(5 << 3 | 2) + varint(0x7fffffff), "truncated"},
      {shape_field({1}) + varint(5 << 3 | 5) + "ab", "truncated"},
      {shape_field({1}) + varint(11 << 3 | 3), "invalid BlobProto"},
      {std::string(20, '\xff'), "invalid BlobProto"},
      {std::string(1, '\0'), "invalid BlobProto"},
  };
  int64_t before = heap_usage().bytes;
  for (const Case& c : cases) {
    for (DType type : kTypes) {
      BlobRef blob = make(type, {7});
      std::string message = error_of([&] { read(*blob, c.text); });
      EXPECT_NE(message.find(c.message), std::string::npos) << c.message << ": " << message;
      if (message == "no error") continue;
      EXPECT_EQ(shape_of(*blob), Shape({7}));
      EXPECT_EQ(blob->storage(Part::data)->memory.head(), Head::uninitialized);
    }
  }
  EXPECT_EQ(heap_usage().bytes, before);
}

// The output of blobs.py in memory that ends with the bytes, so that AddressSanitizer detects reads
// beyond the end.
struct Exact {
  std::vector<char> bytes;
  explicit Exact(const std::string& text) : bytes(text.begin(), text.end()) {
    bytes.shrink_to_fit();
  }
  Bytes get() const { return {bytes.data(), bytes.size()}; }
};

// Reads the bytes as either message. The blob is then unchanged or read completely.
void try_to_read(const std::string& text) {
  Exact exact(text);
  BlobRef blob = make(DType::Float, {2});
  TensorRef before = blob->tensor(Part::data);
  before->data_as<float>(Access::write)[1] = 5;
  try {
    BlobProto(exact.get()).read_into(*blob, true);
    EXPECT_EQ(blob->tensor(Part::data)->numel(), blob->count());
  } catch (const Error&) {
    EXPECT_EQ(shape_of(*blob), Shape({2}));
    EXPECT_EQ(before->data_as<float>(Access::read)[1], 5);
    EXPECT_EQ(blob->storage(Part::data), before->storage);
  }
  try {
    Bytes rest = exact.get(), proto;
    check_blob_protos(rest);
    while (next_blob_proto(&rest, &proto)) {
      BlobProto(proto).read_into(*blob, true);
    }
  } catch (const Error&) {
  }
}

TEST(HostileProto, CutOffAtEveryByte) {
  for (const char* name :
       {"legacy", "floats-diff", "doubles-diff", "unpacked", "mixed", "vector"}) {
    std::string text = content(name);
    for (size_t n = 0; n < text.size(); ++n) try_to_read(text.substr(0, n));
  }
  // No prefix of a message with a single packed field is a valid message.
  std::string floats = content("floats");
  for (size_t n = 0; n < floats.size(); ++n) {
    EXPECT_NE(error_of([&] { read(DType::Float, floats.substr(0, n)); }), "no error") << n;
  }
}

TEST(HostileProto, ChangedAtRandom) {
  uint64_t state = 20140101;
  auto next = [&](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  int64_t before = heap_usage().bytes;
  for (const char* name : kFiles) {
    const std::string text = content(name);
    for (int round = 0; round < 4000; ++round) {
      std::string changed = text;
      for (uint64_t edits = 1 + next(4); edits; --edits) {
        size_t at = next(changed.size() + 1);
        char byte =
            static_cast<char>(next(2) ? next(256) : "\x00\x01\x7f\x80\xff\x0a\x3a\x2a"[next(8)]);
        switch (next(4)) {
          case 0:
            changed.insert(at, 1, byte);
            break;
          case 1:
            changed.erase(at, next(5));
            break;
          case 2:
            changed.insert(at, changed.substr(next(changed.size() + 1), next(20)));
            break;
          default:
            if (at < changed.size()) changed[at] = byte;
        }
      }
      try_to_read(changed);
    }
  }
  EXPECT_EQ(heap_usage().bytes, before);
}

}  // namespace
}  // namespace th

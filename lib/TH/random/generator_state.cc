#include "random/generator_state.h"

#include <cstring>

#include "base/error.h"
#include "functors/distributions.h"

namespace th {

namespace {

// Byte offsets in the state of MT19937.
constexpr int kSeedAt = 0;     // uint64
constexpr int kLeftAt = 8;     // int32: words until the next refill, plus 1
constexpr int kSeededAt = 12;  // int32: 1
constexpr int kNextAt = 16;    // uint64: words used; 0 only if freshly seeded
constexpr int kStateAt = 24;   // uint64 each, only the low half is used
constexpr int kNormalAt = kStateAt + 8 * Generator::kWords;  // x, y, rho: double
constexpr int kKeptAt = kNormalAt + 24;                      // int32
// In Torch7 the last four bytes are 0 and ignored.
constexpr int kFillsAt = kKeptAt + 4;  // uint32: the low bits
constexpr int kStateBytes = kFillsAt + 4;

// Byte offsets in the state of Philox.
constexpr char kPhiloxMagic[] = "Philox10";
constexpr int kKeyAt = 8;          // uint64
constexpr int kOffsetAt = 16;      // uint64
constexpr int kPairAt = 24;        // uint32 each: the words of the last pair
constexpr int kPhiloxKeptAt = 32;  // uint64: 0 or 1
constexpr int kPhiloxBytes = kPhiloxKeptAt + 8;

template <class T>
void put(unsigned char* bytes, int at, T value) {
  std::memcpy(bytes + at, &value, sizeof(value));
}
template <class T>
T get(const unsigned char* bytes, int at) {
  T value;
  std::memcpy(&value, bytes + at, sizeof(value));
  return value;
}

void check_byte_tensor(const Tensor& t) {
  if (t.dtype != DType::Byte) {
    fail("the state of a generator is a ByteTensor, not %sTensor", name_with_article(t.dtype));
  }
}

void mt19937_state(const Generator& g, unsigned char* image) {
  bool fresh = g.used == Generator::kFresh;
  put<uint64_t>(image, kSeedAt, g.initial_seed);
  put<int32_t>(image, kLeftAt, fresh ? 1 : Generator::kWords + 1 - static_cast<int32_t>(g.used));
  put<int32_t>(image, kSeededAt, 1);
  put<uint64_t>(image, kNextAt, fresh ? 0 : g.used);
  for (int i = 0; i < Generator::kWords; ++i) put<uint64_t>(image, kStateAt + 8 * i, g.state[i]);
  put<double>(image, kNormalAt, g.normal_x);
  put<double>(image, kNormalAt + 8, g.normal_y);
  put<double>(image, kNormalAt + 16, g.normal_rho);
  put<int32_t>(image, kKeptAt, g.normal_kept);
  put<uint32_t>(image, kFillsAt, static_cast<uint32_t>(g.fills));
}

bool read_mt19937(const unsigned char* image, Generator& g) {
  auto left = get<int32_t>(image, kLeftAt);
  auto next = get<uint64_t>(image, kNextAt);
  auto kept = get<int32_t>(image, kKeptAt);
  bool zeros = true;
  bool fresh = left == 1 && next == 0;
  bool possible = fresh || (next >= 1 && next <= Generator::kWords &&
                            left == Generator::kWords + 1 - static_cast<int>(next));
  possible = possible && get<int32_t>(image, kSeededAt) == 1 && (kept == 0 || kept == 1);
  for (int i = 0; i < Generator::kWords; ++i) {
    auto word = get<uint64_t>(image, kStateAt + 8 * i);
    possible = possible && word >> 32 == 0;
    zeros = zeros && (i == 0 ? word >> 31 : word) == 0;
    g.state[i] = static_cast<uint32_t>(word);
  }
  // The generator would return only zeros. The low 31 bits of the first word are not used.
  if (!possible || zeros) return false;
  g.kind = GeneratorKind::mt19937;
  g.initial_seed = get<uint64_t>(image, kSeedAt);
  g.fills = get<uint32_t>(image, kFillsAt);
  g.used = fresh ? Generator::kFresh : static_cast<uint32_t>(next);
  g.normal_x = get<double>(image, kNormalAt);
  g.normal_y = get<double>(image, kNormalAt + 8);
  g.normal_rho = get<double>(image, kNormalAt + 16);
  g.normal_kept = kept == 1;
  g.temper();
  return true;
}

// The uniform values of a pair have 32 bits.
uint32_t word_of(double unit) { return static_cast<uint32_t>(unit * 4294967296.0); }

void philox_state(const Generator& g, unsigned char* image) {
  std::memcpy(image, kPhiloxMagic, kKeyAt);
  put<uint64_t>(image, kKeyAt, g.initial_seed);
  put<uint64_t>(image, kOffsetAt, g.offset);
  put<uint32_t>(image, kPairAt, word_of(g.normal_x));
  put<uint32_t>(image, kPairAt + 4, word_of(g.normal_y));
  put<uint64_t>(image, kPhiloxKeptAt, g.normal_kept);
}

bool read_philox(const unsigned char* image, Generator& g) {
  auto kept = get<uint64_t>(image, kPhiloxKeptAt);
  if (std::memcmp(image, kPhiloxMagic, kKeyAt) != 0 || kept > 1) return false;
  g.kind = GeneratorKind::philox;
  seed(g, get<uint64_t>(image, kKeyAt));
  g.offset = get<uint64_t>(image, kOffsetAt);
  g.set_pair(get<uint32_t>(image, kPairAt), get<uint32_t>(image, kPairAt + 4));
  g.normal_kept = kept == 1;
  return true;
}

// Copies the elements of a ByteTensor that is not empty in row-major order.
void copy_elements(const Tensor& t, unsigned char* out) {
  const auto* first = t.data_as<unsigned char>(Access::read);
  const int last = t.nDimension - 1;
  const int64_t n = t.numel(), columns = t.size[last], step = t.stride[last];
  int64_t index[kMaxDims] = {};
  for (int64_t i = 0; i < n; i += columns) {
    const unsigned char* row = first + (t.position(index) - t.storageOffset);
    for (int64_t k = 0; k < columns; ++k) out[i + k] = row[k * step];
    for (int d = last - 1; d >= 0 && ++index[d] == t.size[d]; --d) index[d] = 0;
  }
}

}  // namespace

int64_t generator_state_size(const unsigned char* first) {
  return std::memcmp(first, kPhiloxMagic, kKeyAt) == 0 ? kPhiloxBytes : kStateBytes;
}

void generator_state(const Generator& g, Tensor* bytes) {
  check_byte_tensor(*bytes);
  unsigned char image[kStateBytes] = {};
  bool is_philox = g.kind == GeneratorKind::philox;
  if (is_philox) {
    philox_state(g, image);
  } else {
    mt19937_state(g, image);
  }
  int64_t size = is_philox ? kPhiloxBytes : kStateBytes;
  resize(bytes, 1, &size);
  auto* out = bytes->data_as<unsigned char>(Access::write);
  for (int64_t i = 0; i < size; ++i) out[i * bytes->stride[0]] = image[i];
}

void set_generator_state(Generator& g, Tensor* bytes) {
  check_byte_tensor(*bytes);
  int64_t size = bytes->numel();
  if (size != kStateBytes && size != kPhiloxBytes) {
    fail_argument(2,
                  "the state of a generator has %d bytes, or %d if it is Philox's, got a tensor of "
                  "size %s",
                  kStateBytes, kPhiloxBytes, shape_text(*bytes).c_str());
  }
  unsigned char elements[kStateBytes];
  const unsigned char* image = elements;
  if (is_contiguous(*bytes)) {
    image = bytes->data_as<unsigned char>(Access::read);
  } else {
    copy_elements(*bytes, elements);
  }
  Generator loaded{};
  if (!(size == kStateBytes ? read_mt19937(image, loaded) : read_philox(image, loaded))) {
    fail_argument(2, "these bytes are not the state of a generator");
  }
  g = loaded;
}

}  // namespace th

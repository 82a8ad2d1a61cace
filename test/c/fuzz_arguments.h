#ifndef TENSOR_TEST_FUZZ_ARGUMENTS_H
#define TENSOR_TEST_FUZZ_ARGUMENTS_H

// Random arguments for C functions, by the types of their parameters: numbers, some of them odd,
// and objects of small pools, so that operands often are one and the same.

#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "TH.h"

namespace fuzz {

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(static_cast<uint_fast32_t>(seed * 2654435761u + 1)) {}
  int64_t below(int64_t n) { return static_cast<int64_t>(bits_() % static_cast<uint64_t>(n)); }
  bool once_in(int64_t n) { return below(n) == 0; }
  template <class T, size_t n>
  const T& of(const T (&list)[n]) {
    return list[below(n)];
  }

 private:
  std::minstd_rand bits_;
};

// The functions of one type of object; fuzz_functions.h specializes it.
template <class Object>
struct Class;
template <class Object, class = void>
struct IsObject : std::false_type {};
template <class Object>
struct IsObject<Object, std::void_t<decltype(Class<Object>::name)>> : std::true_type {};

// No object leaves the default device.
inline bool stay_on_default_device = false;

// An element: the 16-bit floats get any bits.
template <class T>
T element(int64_t number) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(number);
  } else {
    T value;
    value.x = static_cast<unsigned short>(number * 0x3c01);
    return value;
  }
}

// Objects of a type. Each is created at its first use, from its own seed. So the objects of a call
// do not depend on which others were created before.
template <class Object>
struct Pool {
  static constexpr int kCount = 4;
  static inline Object* objects[kCount] = {};
  static inline uint64_t seed = 0;

  static int pick(Random& random) {
    int k = static_cast<int>(random.below(kCount));
    if (!objects[k]) {
      Random own(seed * kCount + k);
      objects[k] = Class<Object>::make(own);
    }
    return k;
  }
  static void clear() {
    for (Object*& object : objects) {
      if (object) Class<Object>::release(object);
      object = nullptr;
    }
  }
};

// Between the arguments of one call: a list or bytes are followed by their number.
struct Arguments {
  Random& random;
  int64_t count = -1;
  std::string text;  // printed if the call fails

  explicit Arguments(Random& r) : random(r) {}
  void tell(const std::string& value) { text += (text.empty() ? "" : ", ") + value; }
};

// Either small or refused for want of memory: what is between takes long and shows nothing more.
inline int64_t odd_integer(Random& random) {
  static const int64_t odd[] = {
      INT32_MAX,        INT32_MIN, int64_t{1} << 31, int64_t{1} << 32, INT64_MAX, INT64_MIN,
      int64_t{1} << 62, -3,        INT64_MAX / 8,    int64_t{1} << 50, 64,        65,
      PTRDIFF_MAX - 1,  100};
  return random.of(odd);
}
inline int64_t integer(Random& random) {
  return random.once_in(8) ? odd_integer(random) : random.below(7) - 1;
}
inline double number(Random& random) {
  static const double odd[] = {NAN,    INFINITY, -INFINITY, 1e300,        -1e300,
                               5e-324, 0.5,      -0.0,      4294967296.0, 9223372036854775808.0};
  return random.once_in(6) ? random.of(odd) : static_cast<double>(random.below(9) - 3);
}

template <class T, class = void>
struct Argument;

template <class T>
struct Argument<T, std::enable_if_t<std::is_integral_v<T>>> {
  static T make(Arguments& a) {
    auto value = static_cast<T>(a.count >= 0 ? a.count : integer(a.random));
    a.count = -1;
    a.tell(std::to_string(value));
    return value;
  }
};
template <class T>
struct Argument<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static T make(Arguments& a) {
    auto value = static_cast<T>(number(a.random));
    a.tell(std::to_string(value));
    return value;
  }
};
template <class T>
struct Argument<T, std::enable_if_t<std::is_same_v<T, THHalf> || std::is_same_v<T, THBFloat16>>> {
  static T make(Arguments& a) {
    T value;
    value.x = static_cast<unsigned short>(a.random.below(65536));
    a.tell("bits " + std::to_string(value.x));
    return value;
  }
};
// An object of the library's.
template <class Object>
struct Argument<Object*, std::void_t<decltype(Class<std::remove_const_t<Object>>::name)>> {
  using Own = std::remove_const_t<Object>;
  static Object* make(Arguments& a) {
    if (Class<Own>::may_be_null && a.random.once_in(8)) {
      a.tell("NULL");
      return nullptr;
    }
    int k = Pool<Own>::pick(a.random);
    Own* object = Pool<Own>::objects[k];
    a.tell(std::string(Class<Own>::name) + std::to_string(k) + Class<Own>::text(object));
    return object;
  }
};
// A list of them, whose number comes next.
template <class Object>
struct ListArgument {
  static inline Object* list[3];
  static Object** make(Arguments& a) {
    a.count = a.random.below(4);
    a.tell("{");
    for (int i = 0; i < a.count; ++i) list[i] = Argument<Object*>::make(a);
    a.tell("}");
    return list;
  }
};
template <class Object>
struct Argument<Object**, std::void_t<decltype(Class<Object>::name)>> : ListArgument<Object> {};
template <class Object>
struct Argument<Object* const*, std::void_t<decltype(Class<Object>::name)>> : ListArgument<Object> {
};
// Sizes or strides; more than a tensor may have.
template <>
struct Argument<const int64_t*> {
  static const int64_t* make(Arguments& a) {
    static int64_t values[2][70];
    static int next = 0;
    int64_t* list = values[next++ % 2];
    for (int i = 0; i < 70; ++i) list[i] = i < 5 ? integer(a.random) : 1;
    a.tell("{" + std::to_string(list[0]) + "," + std::to_string(list[1]) + "," +
           std::to_string(list[2]) + "...}");
    return list;
  }
};
template <>
struct Argument<int64_t*> {
  static int64_t* make(Arguments& a) {
    return const_cast<int64_t*>(Argument<const int64_t*>::make(a));
  }
};
template <>
struct Argument<const char*> {
  static const char* make(Arguments& a) {
    static const char* const names[] = {"cpu", "soft", "soft", "gpu:7", "", "philox",
                                        "%s",  "V",    "F",    "X",     "C"};
    const char* name = a.random.of(names);
    a.tell(name);
    return name;
  }
};
template <>
struct Argument<THGenerator*> {
  static inline THGenerator* generator = nullptr;
  static THGenerator* make(Arguments& a) {
    a.tell("generator");
    return generator;
  }
};
// Bytes that may be a BlobProto or a BlobProtoVector, or nearly; their number comes next.
template <>
struct Argument<const void*> {
  static inline std::vector<unsigned char> bytes;
  static const void* make(Arguments& a) {
    static const unsigned char whole[] = {0x3a, 0x03, 0x0a, 0x01, 0x02, 0x2a, 0x08, 0,    0,
                                          0x80, 0x3f, 0,    0,    0,    0x40, 0x32, 0x08, 0,
                                          0,    0x80, 0x3f, 0,    0,    0,    0x40};
    bytes.assign(whole, whole + sizeof(whole));
    if (a.random.once_in(3)) bytes.insert(bytes.begin(), {0x0a, sizeof(whole)});
    for (int64_t n = a.random.below(4); n > 0; --n) {
      bytes[a.random.below(static_cast<int64_t>(bytes.size()))] ^= 1 << a.random.below(8);
    }
    if (a.random.once_in(4)) bytes.resize(a.random.below(static_cast<int64_t>(bytes.size())));
    a.count = static_cast<int64_t>(bytes.size());
    std::string text = "bytes";
    for (unsigned char byte : bytes) text += " " + std::to_string(byte);
    a.tell(text);
    return bytes.data();
  }
};

constexpr int kMostArguments = 16;

struct Call;

// A function of the library: how its arguments are chosen, and how it is called with them.
struct Function {
  const char* type;
  const char* name;
  void (*pointer)();
  int count;
  void (*const* makers)(Arguments&, void* slot);
  void (*run)(void* call);
};
struct Call {
  const Function* function;
  uint64_t slots[kMostArguments];
};

// Calls a function, which may fail, under THTry; defined in fuzz_test.cc.
void attempt(const Function& function, const std::string& arguments, Call& call, Random& random);

inline void call_with_random(const Function& function, Random& random) {
  Arguments a(random);
  Call call = {&function, {}};
  for (int k = 0; k < function.count; ++k) function.makers[k](a, &call.slots[k]);
  attempt(function, a.text, call, random);
}

// Set if a call returned an object whose data field is not valid.
inline bool invalid_result = false;

template <class R>
void release_result(R result) {
  if constexpr (std::is_pointer_v<R>) {
    using Own = std::remove_const_t<std::remove_pointer_t<R>>;
    if constexpr (IsObject<Own>::value) {
      invalid_result = invalid_result || !Class<Own>::has_valid_data(result);
      Class<Own>::release(result);
    }
  }
}

template <class T>
void make_argument(Arguments& a, void* slot) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a slot holds an argument");
  new (slot) T(Argument<T>::make(a));
}

// There are hundreds of signatures: only this much is compiled for each.
template <class R, class... P>
struct Caller {
  static_assert(sizeof...(P) <= kMostArguments);
  static constexpr void (*makers[])(Arguments&, void*) = {make_argument<P>..., nullptr};
  static void run(void* call) { run(*static_cast<Call*>(call), std::index_sequence_for<P...>()); }
  template <size_t... K>
  static void run([[maybe_unused]] Call& call, std::index_sequence<K...>) {
    auto* function = reinterpret_cast<R (*)(P...)>(call.function->pointer);
    if constexpr (std::is_void_v<R>) {
      function(*reinterpret_cast<P*>(&call.slots[K])...);
    } else {
      release_result<R>(function(*reinterpret_cast<P*>(&call.slots[K])...));
    }
  }
};
template <class R, class... P>
Function function_of(const char* type, const char* name, R (*pointer)(P...)) {
  return {type,
          name,
          reinterpret_cast<void (*)()>(pointer),
          static_cast<int>(sizeof...(P)),
          Caller<R, P...>::makers,
          &Caller<R, P...>::run};
}

}  // namespace fuzz

#endif

#ifndef TENSOR_GENERIC_INVOKE_H
#define TENSOR_GENERIC_INVOKE_H

// Calls an operation of the core with the arguments that were read from the Lua stack.

#include <tuple>
#include <type_traits>
#include <utility>

#include "forms.h"
#include "ops/ops.h"

namespace bind {

union Arg {
  th::Tensor* tensor;
  double number;
  int64_t integer;
  bool boolean;
  char letter;
  const char* text;
  th::Generator* generator;
};

struct Call {
  Arg args[kMaxArgs];
  int64_t sizes[2][th::kMaxDims];  // the lists of numbers; a form has at most two
  int size_count[2] = {0, 0};
  int lists = 0;
  th::Tensor** list = nullptr;  // the tensors of the table argument; a form has at most one
  int list_count = 0;
  th::Scalar number;  // the return value, if the operation returns a number
  bool boolean = false;
};

template <class P>
P take(Call& call, int position) {
  Arg& arg = call.args[position];
  if constexpr (std::is_same_v<P, th::Tensor*>) {
    return arg.tensor;
  } else if constexpr (std::is_same_v<P, th::Generator*>) {
    return arg.generator;
  } else if constexpr (std::is_same_v<P, th::Scalar>) {
    return th::Scalar(arg.number);
  } else if constexpr (std::is_same_v<P, th::Sizes>) {
    return th::Sizes{call.size_count[arg.integer], call.sizes[arg.integer]};
  } else if constexpr (std::is_same_v<P, th::TensorList>) {
    return th::TensorList(call.list, call.list_count);
  } else if constexpr (std::is_same_v<P, bool>) {
    return arg.boolean;
  } else if constexpr (std::is_same_v<P, const char*>) {
    return arg.text;
  } else if constexpr (std::is_same_v<P, char>) {
    return arg.letter;
  } else if constexpr (std::is_same_v<P, double>) {
    return arg.number;
  } else {
    return arg.integer;
  }
}

template <auto operation>
struct Invoke;

template <class R, class... P, R (*operation)(P...)>
struct Invoke<operation> {
  static constexpr bool gives_number = std::is_same_v<R, th::Scalar>;
  static constexpr bool gives_boolean = std::is_same_v<R, bool>;

  static void run(Call& call) { run(call, std::index_sequence_for<P...>()); }

 private:
  template <size_t... K>
  static void run(Call& call, std::index_sequence<K...>) {
    if constexpr (gives_number) {
      call.number = operation(take<P>(call, K)...);
    } else if constexpr (gives_boolean) {
      call.boolean = operation(take<P>(call, K)...);
    } else {
      operation(take<P>(call, K)...);
    }
  }
};

}  // namespace bind

#endif

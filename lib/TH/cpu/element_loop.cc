#include "cpu/element_loop.h"

#include <cstring>
#include <initializer_list>

#include "cpu/element_kernels.h"
#include "functors/functors.h"

namespace th {

namespace {

using namespace row_flag;

// Elements are converted in blocks, which stay in the L1 cache. A block is a multiple of the vector
// size, so that all elements are computed by the same instructions.
constexpr int64_t kBlock = 1024;
constexpr int64_t kLanes = 16;
constexpr int64_t kItem = 8;  // bytes of the largest element

struct Entry {
  ElementRow row;
  const TypeTable<Loop>* loops = nullptr;
};

const Entry& entry(ElementOp op) {
  struct Table {
    Entry entries[kElementOps];
    Table() {
#define TH_ELEMENT(name, lua, types, parameters, Functor, grain, flags, ...) \
  {                                                                          \
    constexpr ElementRow row = TH_ELEMENT_ROW(parameters, Functor, flags);   \
    static_assert(fits_row<functor::Functor<double>, double>(row), #name);   \
    entries[static_cast<int>(ElementOp::name)].row = row;                    \
  }
#include "THOps/elementwise.def"
      for (const ElementKernels* kernels :
           {&unary_kernels(), &binary_kernels(), &scaled_kernels(), &compare_kernels()}) {
        for (int k = 0; k < kernels->count; ++k) {
          const ElementKernel& kernel = kernels->rows[k];
          entries[static_cast<int>(kernel.op)].loops = &kernel.loops;
        }
      }
    }
  };
  static const Table table;
  return table.entries[static_cast<int>(op)];
}

}  // namespace

ElementLoop::ElementLoop(ElementOp op, DType dtype, DType result, const Scalar* params)
    : params_(params) {
  const Entry& found = entry(op);
  const ElementRow& row = found.row;
  const DType compute = compute_type(dtype);
  kernel_ = (*found.loops)[compute];
  const DType computed = row.has(predicate) ? DType::Byte : compute;
  inputs_ = row.inputs;
  operand_item_[0] = static_cast<int64_t>(item_size(result));
  for (int k = 0; k < row.tensors; ++k) {
    operand_item_[k + 1] = row.is_byte[k] ? 1 : static_cast<int64_t>(item_size(dtype));
  }
  converts_ = compute != dtype || computed != result;
  plain_ = !converts_ && row.in_order();
  if (plain_) return;

  for (int k = 0; k < inputs_; ++k) source_[k] = row.source[k];
  if (converts_) {
    const auto& copies = copy_kernels().copy;
    auto copy_loop = [&](DType to, DType from) {
      return to == from ? nullptr : copies[static_cast<int>(to)][static_cast<int>(from)];
    };
    convert_[0] = copy_loop(result, computed);
    item_[0] = static_cast<int64_t>(item_size(computed));
    for (int k = 0; k < inputs_; ++k) {
      bool as_it_is = source_[k] < 0 || row.is_byte[source_[k]];
      convert_[k + 1] = as_it_is ? nullptr : copy_loop(compute, dtype);
      item_[k + 1] = static_cast<int64_t>(item_size(compute));
    }
  }
  if (row.inputs == row.tensors) return;
  dispatch(compute, [&](auto zero) {
    for (int k = 0; k < row.numbers; ++k) {
      auto value = convert<decltype(zero)>(params[k]);
      std::memcpy(number_[k], &value, sizeof(value));
    }
  });
}

void ElementLoop::run(char* const* data, const int64_t* stride, int64_t n, const void* context) {
  const auto& loop = *static_cast<const ElementLoop*>(context);
  if (loop.plain_) {
    loop.kernel_(data, stride, n, loop.params_);
  } else {
    loop.run_arranged(data, stride, n);
  }
}

void ElementLoop::run_arranged(char* const* data, const int64_t* stride, int64_t n) const {
  char* at[kMaxOperands] = {data[0]};
  int64_t step[kMaxOperands] = {stride[0]};
  for (int k = 0; k < inputs_; ++k) {
    int source = source_[k];
    at[k + 1] = source < 0 ? number_[-1 - source] : data[source + 1];
    step[k + 1] = source < 0 ? 0 : stride[source + 1];
  }
  if (converts_) {
    run_converted(at, step, n);
  } else {
    kernel_(at, step, n, params_);
  }
}

void ElementLoop::run_converted(char* const* data, const int64_t* stride, int64_t n) const {
  alignas(64) char buffer[kMaxOperands][kBlock * kItem];
  char* at[kMaxOperands];
  int64_t step[kMaxOperands];
  // If all operands are in buffers, the kernel may process elements past the end of the block.
  bool all_buffered = convert_[0] != nullptr;
  for (int k = 0; k <= inputs_; ++k) {
    at[k] = convert_[k] ? buffer[k] : data[k];
    step[k] = convert_[k] ? item_[k] : stride[k];
    if (k == 0 || stride[k] != 0) {
      all_buffered = all_buffered && convert_[k];
    } else if (convert_[k]) {  // one element for all
      char* to_from[] = {buffer[k], data[k]};
      const int64_t steps[] = {item_[k], 0};
      convert_[k](to_from, steps, 1, nullptr);
      step[k] = 0;
    }
  }
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    const int64_t padded = all_buffered ? (m + kLanes - 1) / kLanes * kLanes : m;
    for (int k = 0; k <= inputs_; ++k) {
      if (!convert_[k]) {
        at[k] = data[k] + i * stride[k];
      } else if (k > 0 && step[k] != 0) {
        char* to_from[] = {buffer[k], data[k] + i * stride[k]};
        const int64_t steps[] = {item_[k], stride[k]};
        convert_[k](to_from, steps, m, nullptr);
        for (int64_t j = m; j < padded;) {
          const int64_t count = padded - j < j ? padded - j : j;
          std::memcpy(buffer[k] + j * item_[k], buffer[k], count * item_[k]);
          j += count;
        }
      }
    }
    kernel_(at, step, padded, params_);
    if (convert_[0]) {
      char* to_from[] = {data[0] + i * stride[0], buffer[0]};
      const int64_t steps[] = {stride[0], item_[0]};
      convert_[0](to_from, steps, m, nullptr);
    }
  }
}

}  // namespace th

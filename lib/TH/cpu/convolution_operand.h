#ifndef TH_CPU_CONVOLUTION_OPERAND_H
#define TH_CPU_CONVOLUTION_OPERAND_H

// Operands of convolutions, copied where a kernel needs another layout or type.

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "backend/convolution_call.h"
#include "backend/cpu_backend.h"
#include "cpu/convolution_kernels.h"
#include "cpu/workspace.h"
#include "tensor/checked.h"

namespace th {
namespace {

using Operand = ConvolutionCall::Operand;

// The layout of an image for the kernels. Rows that are read with a step are split into phases with
// contiguous elements. `margin` zeros are added on both sides of a row.
struct RowLayout {
  bool pack = false;
  int64_t step = 1, phases = 1, margin = 0;
};

// An operand in the kernels' layout: itself, or a contiguous copy. An operand that all groups or
// outputs share is copied once.
class Packed {
 public:
  Packed(const Operand& operand, DType from, DType to, const ConvolutionCall& c, int64_t inputs,
         const int64_t* plane, RowLayout layout = {})
      : operand_(operand),
        from_(from),
        to_(to),
        layout_(layout),
        size_{operand.group ? c.groups : 1,
              operand.output ? c.outputs : 1,
              operand.input ? inputs : 1,
              plane[0],
              plane[1],
              plane[2]},
        phase_(ceil_div(plane[2], layout.step) + 2 * layout.margin),
        data_(layout.pack || from != to ? bytes() : 0) {
    if (!is_copy()) return;
    if (layout_.margin) std::memset(data_.data(), 0, bytes());
    int64_t stride = layout_.phases * phase_;
    int64_t* own[] = {&operand_.group, &operand_.output, &operand_.input, &operand_.plane[0],
                      &operand_.plane[1]};
    original_ = operand;
    operand_.data = data_.data() + layout_.margin * static_cast<int64_t>(item_size(to_));
    operand_.plane[2] = 1;
    for (int d = 4; d >= 0; --d) {
      *own[d] = d > 2 || size_[d] > 1 ? stride : 0;
      stride *= size_[d];
    }
  }
  bool is_copy() const { return data_.data() != nullptr; }
  const Operand& operand() const { return operand_; }
  int64_t phase() const { return phase_; }  // elements from one phase to the next
  int64_t numel() const {
    return std::accumulate(size_, size_ + 6, int64_t{1}, std::multiplies<>());
  }

  void read() const {
    for (int64_t k = 0; k < layout_.phases; ++k) copy(k, true);
  }
  void write() const { copy(0, false); }

 private:
  int64_t bytes() const {
    const char* what = "the copy of an operand";
    int64_t n = checked_mul(layout_.phases, phase_, what);
    for (int d = 0; d < 5; ++d) n = checked_mul(n, size_[d], what);
    n = checked_mul(n, static_cast<int64_t>(item_size(to_)), what);
    return checked_add(n, kConvolutionPadding, what);
  }
  void copy(int64_t phase, bool reading) const {
    if (!is_copy()) return;
    int64_t size[6], original[6], own[6];
    std::copy(size_, size_ + 6, size);
    auto strides = [](const Operand& o, int64_t* out) {
      int64_t all[] = {o.group, o.output, o.input, o.plane[0], o.plane[1], o.plane[2]};
      std::copy(all, all + 6, out);
    };
    strides(original_, original);
    strides(operand_, own);
    size[5] = ceil_div(size_[5] - phase, layout_.step);
    original[5] *= layout_.step;
    char* data =
        original_.data + phase * original_.plane[2] * static_cast<int64_t>(item_size(from_));
    char* copied = operand_.data + phase * phase_ * static_cast<int64_t>(item_size(to_));
    LoopPlan plan(6, size);
    plan.add(reading ? copied : data, item_size(reading ? to_ : from_), reading ? own : original);
    plan.add(reading ? data : copied, item_size(reading ? from_ : to_), reading ? original : own);
    plan.plan();
    run_on_cpu(CopyCall{reading ? to_ : from_, reading ? from_ : to_, plan});
  }

  Operand operand_, original_ = {};
  DType from_, to_;
  RowLayout layout_;
  int64_t size_[6];
  int64_t phase_;
  Workspace<char> data_;
};

// Reverses the kernels in each dimension.
inline void flip(Operand* w, const int64_t* kernel, DType type) {
  for (int d = 0; d < 3; ++d) {
    w->data += (kernel[d] - 1) * w->plane[d] * static_cast<int64_t>(item_size(type));
    w->plane[d] = -w->plane[d];
  }
}

}  // namespace
}  // namespace th

#endif

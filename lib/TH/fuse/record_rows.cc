// The recorder's view of operations: which of them become nodes of expressions, and which are
// called again.

#include <algorithm>
#include <cstring>

#include "fuse/record.h"
#include "ops/element_rows.h"
#include "ops/operands.h"
#include "tensor/overlap.h"

namespace th {

namespace {

// Returns true for rows that depend only on shapes.
bool reads_nothing(const OpRow& row) {
  return std::none_of(row.begin(), row.end(), [](const Parameter& p) {
    return p.kind != ParameterKind::like && (p.is_tensor() || p.kind == ParameterKind::list);
  });
}

// Returns true if the old elements of an `inout` tensor are not read.
bool replaces_elements(const OpRow& row) {
  if (row.op == Op::copy || row.op == Op::fill || row.op == Op::zero) return true;
  return std::any_of(row.begin(), row.end(),
                     [](const Parameter& p) { return p.kind == ParameterKind::generator; });
}

}  // namespace

bool Recorder::begin(const TracedCall& call) noexcept {
  if (call.is_entered()) {
    // A tape uses the results of inner calls.
    ++entered_;
    attempt([&] {
      for_each_tensor(call.row(), call.arguments(), [&](Tensor* t, const Parameter& p) {
        if (!writes(call, p) || !t->storage || own_region(t->storage)) return;
        if (!input_with(t->storage)) refuse("writes to a tensor that it did not make");
      });
    });
    return true;
  }
  attempt([&] {
    const OpRow& row = call.row();
    current_ = Current();
    if (row.has(ParameterKind::view)) return;
    current_.arguments = std::make_unique<RecordedArguments>(row, call.arguments());
    for (const Parameter& p : row) {
      if (p.kind == ParameterKind::generator) {
        current_.draws = true;
        if (argument<Generator*>(call.arguments(), p) != generator_) {
          refuse("uses random numbers of another generator");
        }
      } else if (p.kind == ParameterKind::float64) {
        current_.numbers.push_back(argument<double>(call.arguments(), p));
      } else if (p.kind == ParameterKind::element || p.kind == ParameterKind::number) {
        current_.numbers.push_back(argument<Scalar>(call.arguments(), p));
      }
    }
    for_each_tensor(row, call.arguments(), [&](Tensor* t, const Parameter& p) {
      check_device(*t);
      TensorRef view;
      const bool is_written = writes(call, p);
      if (t->storage || !is_written) view = TensorRef(tensor_new_view(t));
      if (is_written) {
        current_.targets.push_back({&p, t, std::move(view), RecordedLayout(*t)});
      } else {
        current_.operands.push_back({&p, std::move(view)});
      }
    });
  });
  return false;
}

// Only operations may move elements to another device, because replays call nothing else.
void Recorder::check_device(const Tensor& t) {
  if (!t.storage) return;
  Device* device = t.storage->current_device();
  const Region* region = region_of(t);
  const Input* input = region ? nullptr : input_with(t.storage);
  const bool moved = input ? input->device != device
                           : region && region->has_value && region->value.node >= 0 &&
                                 !is_number(region->value.node) &&
                                 nodes_[region->value.node].device != device;
  if (moved) refuse("moves a tensor to another device");
}

// Returns true if the operation made a result a view of an operand.
bool Recorder::made_view() const {
  for (const Target& target : current_.targets) {
    const Storage* s = target.tensor->storage;
    if (!s || (target.before && target.before->storage == s)) continue;
    for (const Operand& operand : current_.operands) {
      if (operand.tensor->storage == s) return true;
    }
  }
  return false;
}

void Recorder::end(const TracedCall& call, bool failed) noexcept {
  if (call.is_entered()) --entered_;
  if (failed) return give_up("handles errors");
  if (call.is_entered()) return;
  attempt([&] {
    const OpRow& row = call.row();
    for_each_tensor(row, call.arguments(), [&](Tensor* t, const Parameter& p) {
      if (!writes(call, p)) return;
      const int input = input_of(t);
      if (input < 0) return;
      if (p.kind == ParameterKind::view) refuse("makes an argument a view of other memory");
      const Tensor& before = *inputs_[input].view;
      const bool resized = !before.storage || !same_view(*t, before);
      if (resized) refuse("resizes a tensor that it did not make");
    });
    if (row.returned != Returned::nothing && !current_.number && !reads_nothing(row)) {
      const bool reduces = std::strcmp(row.family, "reductions") == 0;
      refuse("calls '%s', which returns a number%s", lua_name(row.op),
             reduces ? "; over a dimension it returns a tensor, as t:sum(1) does" : "");
    }
    if (current_.number) return record_call(row);
    if (row.returned != Returned::nothing || row.has(ParameterKind::view) || made_view()) return;
    bool expressed = false;
    if (row.flags & row_flag::element_wise) {
      expressed = record_element(row);
    } else if (row.op == Op::copy) {
      expressed = record_copy();
    } else {
      expressed = record_fill(row) || record_reduction(row, call.arguments());
    }
    if (!expressed) record_call(row);
  });
  current_ = Current();
}

bool Recorder::record_element(const OpRow& row) {
  const Target& target = current_.targets[0];
  const ElementFunction* function = &element_function(row.op);
  std::vector<Tensor*> tensors;
  std::vector<Scalar> numbers = current_.numbers;
  for (const Operand& operand : current_.operands) tensors.push_back(operand.tensor.get());
  size_t first = 0;
  while (first < tensors.size() && function->row.is_byte[first]) ++first;
  const DType type = tensors[first]->dtype;
  // The values of divisors and exponents are checked first.
  const bool checked = function->row.has(row_flag::divides | row_flag::raises);
  if (checked && is_integral(type) && function->pattern.back() != 'N') return false;
  if (function->row.has(row_flag::simple_power) && !is_integral(type)) {
    const Op op = op_of_power(numbers[0].to_double());
    function = &element_function(op);
    if (op == Op::cmul) tensors.push_back(tensors[0]);
    if (op != Op::pow && op != Op::mul) numbers.clear();
  }
  ExpressionNode node(ExpressionNode::element, 0);
  node.function = function;
  std::copy(numbers.begin(), numbers.end(), node.numbers);
  // An expression runs on the device of its operands, and so do its operations if they run singly.
  Device* device = device_of({target.tensor});
  bool is_there = false;
  Shape shape;
  for (size_t k = 0; k < tensors.size(); ++k) {
    int input;
    if (function->row.is_byte[k] && type != DType::Byte) {
      input = node_of(tensors[k]);
      const Node& mask = nodes_[input];
      if (!is_mask(input) || mask.type != type || mask.device != device) return false;
    } else {
      input = node_of_type(tensors[k], type);
    }
    is_there = is_there || (!is_number(input) && nodes_[input].device == device);
    input = node_on(device, input);
    node.input[k] = input;
    const Shape& other = nodes_[input].shape;
    int ndim;
    int64_t size[kMaxDims];
    if (other.empty()) continue;
    if (shape.empty()) {
      shape = other;
    } else if (broadcast_sizes(static_cast<int>(shape.size()), shape.data(),
                               static_cast<int>(other.size()), other.data(), &ndim, size)) {
      shape.assign(size, size + ndim);
    } else {
      return false;
    }
  }
  // Operands that pair in order, and filled tensors that broadcast, give another shape.
  const Tensor& made = *target.tensor;
  if (!is_there || shape != Shape(made.size, made.size + made.nDimension)) return false;
  ++recorded_->operations;
  define(target, add(node, shape, type, device));
  return true;
}

bool Recorder::record_fill(const OpRow& row) {
  Scalar value = 0;
  if (row.op == Op::fill || row.op == Op::fullLike) {
    value = current_.numbers[0];
  } else if (row.op == Op::ones || row.op == Op::onesLike) {
    value = 1;
  } else if (row.op != Op::zero && row.op != Op::zeros && row.op != Op::zerosLike) {
    return false;
  }
  constexpr int64_t kExact = int64_t{1} << 53;
  if (value.integral && (value.i > kExact || value.i < -kExact)) return false;
  const Target& target = current_.targets[0];
  define(target, add_number(value.to_double(), target.tensor->dtype));
  return true;
}

bool Recorder::record_copy() {
  const Target& target = current_.targets[0];
  Tensor* from = current_.operands[0].tensor.get();
  const int node = node_of(from);
  const Shape& shape = nodes_[node].shape;
  const bool converts = target.tensor->dtype != from->dtype;
  if (!is_number(node) && nodes_[node].device != device_of({target.tensor})) return false;
  if (converts && !(is_mask(node) && target.tensor->dtype == nodes_[node].type)) return false;
  if (!shape.empty() &&
      shape != Shape(target.tensor->size, target.tensor->size + target.tensor->nDimension)) {
    return false;
  }
  const ExpressionNode& copied = nodes_[node].node;
  if (copied.kind == ExpressionNode::operand && !converts) {
    const RecordedLeaf& leaf = recorded_->leaves[copied.index];
    if (!leaf.of_input && !leaf.whole) {
      // The whole may be written before the copy is read. Its steps could not take its memory then.
      const RecordedLayout layout(*target.tensor);
      define(target, node_of_value(store_expression(node, layout), layout));
      return true;
    }
  }
  define(target, node);
  return true;
}

bool Recorder::record_reduction(const OpRow& row, void* arguments) {
  const KernelReduction* reduction = find_reduction(row.op);
  if (!reduction) return false;
  Tensor* t = current_.operands[0].tensor.get();
  int dim = 0;
  bool keeps = t->nDimension == 1, biased = false;
  for (const Parameter& p : row) {
    if (p.kind == ParameterKind::dim) dim = wrap_dim(*t, argument<int64_t>(arguments, p), 0);
    if (p.kind != ParameterKind::flag || !argument<bool>(arguments, p)) continue;
    (p.name == std::string("keepdim") ? keeps : biased) = true;
  }
  if (!keeps || biased || t->numel() == 0) return false;
  if (current_.targets[0].tensor->dtype != t->dtype) return false;
  ExpressionNode node(ExpressionNode::reduction, 0);
  node.reduction_row = reduction;
  node.dim = dim + 1;
  const int input = node.input[0] = node_of_type(t, t->dtype);
  // Sums depend on the layout.
  const ExpressionNode& read = nodes_[input].node;
  const bool is_leaf = read.kind == ExpressionNode::operand;
  if (!(is_leaf ? recorded_->leaves[read.index].layout.matches(*t) : is_contiguous(*t))) {
    return false;
  }
  Shape shape(t->size, t->size + t->nDimension);
  if (shape != nodes_[input].shape) return false;
  shape[dim] = 1;
  const Target& target = current_.targets[0];
  Device* device = device_of({target.tensor});
  if (!is_number(input) && nodes_[input].device != device) return false;
  ++recorded_->operations;
  define(target, add(node, shape, t->dtype, device));
  if (current_.targets.size() == 1) return true;
  const Target& indices = current_.targets[1];
  define(indices, -1);
  auto call = std::make_shared<IndexCall>();
  call->arguments = std::move(current_.arguments);
  call->operand = current_.operands[0].parameter;
  call->node = input;
  call->device = device;
  call->layout = RecordedLayout(*t);
  call->rules = current_rules;
  for (const Target* r : {&target, &indices}) {
    call->results.push_back({r->parameter, -1, -1, r->layout, RecordedLayout(*r->tensor)});
  }
  region_to_write(indices).index_call = std::move(call);
  return true;
}

int Recorder::node_of_indices(const IndexCall& call) {
  auto step = std::make_unique<CallStep>(std::move(*call.arguments), call.rules);
  const ExpressionNode& read = nodes_[call.node].node;
  const bool is_leaf = read.kind == ExpressionNode::operand;
  const int leaf = is_leaf ? read.index : store(call.node, call.layout, call.device);
  step->operands.push_back({call.operand, leaf});
  step->leaves.push_back(leaf);
  step->results = call.results;
  for (CallStep::Result& result : step->results) {
    result.value = new_value(result.after.type, call.device);
  }
  const int value = step->results[1].value;
  const RecordedLayout layout = step->results[1].after;
  add_step(std::move(step));
  ++recorded_->calls;
  return node_of_value(value, layout);
}

void Recorder::record_call(const OpRow& row) {
  auto step = std::make_unique<CallStep>(std::move(*current_.arguments), current_rules);
  for (const Operand& operand : current_.operands) {
    const int leaf = leaf_for(operand.tensor.get());
    step->operands.push_back({operand.parameter, leaf});
    step->leaves.push_back(leaf);
  }
  for (const Target& target : current_.targets) {
    const int value = new_value(target.tensor->dtype, device_of({target.tensor}));
    CallStep::Result result{target.parameter, value, -1, target.layout,
                            RecordedLayout(*target.tensor)};
    if (target.parameter->kind == ParameterKind::inout && !replaces_elements(row)) {
      // Memory that was never written contains zeros, also when the step runs again.
      if (target.before && region_to_write(target).has_value) {
        result.content = leaf_for(target.before.get());
        step->leaves.push_back(result.content);
      }
    }
    step->results.push_back(std::move(result));
  }
  recorded_->draws = recorded_->draws || current_.draws;
  ++recorded_->operations;
  ++recorded_->calls;
  std::vector<int> values;
  for (const CallStep::Result& result : step->results) values.push_back(result.value);
  Tensor* number = current_.number;
  if (number) values.push_back(step->number = new_value(number->dtype, device_of({number})));
  add_step(std::move(step));
  for (size_t k = 0; k < values.size(); ++k) {
    const bool is_number = k == current_.targets.size();
    if (is_number) current_.targets.push_back({nullptr, number, TensorRef(), RecordedLayout()});
    const Target& target = current_.targets[k];
    define(target, node_of_value(values[k], RecordedLayout(*target.tensor)));
  }
}

}  // namespace th

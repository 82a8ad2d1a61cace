#include "grad/term.h"

#include <algorithm>
#include <optional>

#include "ops/operands.h"
#include "ops/rows.h"
#include "ops/tracer.h"

namespace th::grad {

int Formula::add(const ExpressionNode& node) {
  auto& nodes = expression_.nodes;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].same_as(node)) return static_cast<int>(k);
  }
  if (node.kind == ExpressionNode::element) ++operations_;
  nodes.push_back(node);
  return static_cast<int>(nodes.size()) - 1;
}

// The node of a term. A tensor becomes an operand when it is first read.
int Formula::node_of(const Term& term) {
  if (term.parameter < 0) return term.node;
  Tensor* t = term.parameter == kGradient ? gradient_ : values_[term.parameter];
  if (!t) return invalid().node;
  const auto known = std::find(operands_.begin(), operands_.end(), t);
  ExpressionNode node(ExpressionNode::operand, 0);
  node.index = static_cast<int>(known - operands_.begin());
  if (known == operands_.end()) {
    operands_.push_back(t);
    expression_.operands.push_back("operand " + std::to_string(operands_.size()));
  }
  return add(node);
}

Term Formula::number(double value) {
  ExpressionNode node(ExpressionNode::number, 0);
  node.value = value;
  return {this, -1, add(node)};
}

Term Formula::element(Op op, const Term* inputs, int count, const Scalar* numbers,
                      int number_count) {
  if (!is_valid_ || !(row_of(op).flags & row_flag::element_wise)) return invalid();
  const ElementFunction* function = &element_function(op);
  Term operands[3];
  std::copy(inputs, inputs + count, operands);
  // As the operation does.
  if (function->row.has(row_flag::simple_power)) {
    const Op power = op_of_power(numbers[0].to_double());
    if (power == Op::mul) return operands[0];
    function = &element_function(power);
    if (power == Op::cmul) operands[count++] = operands[0];
    if (power != Op::pow) number_count = 0;
  }
  const auto wanted = static_cast<int>(function->pattern.size());
  if (count + number_count != wanted) return invalid();
  ExpressionNode node(ExpressionNode::element, 0);
  node.function = function;
  for (int k = 0; k < count; ++k) node.input[k] = node_of(operands[k]);
  std::copy(numbers, numbers + number_count, node.numbers);
  return {this, -1, add(node)};
}

const Tensor& Formula::largest() const {
  return **std::max_element(operands_.begin(), operands_.end(),
                            [](Tensor* a, Tensor* b) { return a->numel() < b->numel(); });
}

bool Formula::is_worth_fusing(const Term& root) const {
  if (!is_valid_ || root.parameter >= 0 || operations_ < 2) return false;
  const Tensor& like = largest();
  if (like.numel() < kLeastElements) return false;
  // On one device, on which the operations would run, too.
  Device* device = device_of({&like});
  return std::all_of(operands_.begin(), operands_.end(), [&](Tensor* t) {
    const bool is_number = t->numel() == 1 && t->nDimension == 1;
    return t->dtype == like.dtype && (is_number || same_size(*t, like)) && device_of({t}) == device;
  });
}

void Formula::evaluate(const Term& root, Tensor* r) {
  expression_.root = root.node;
  const TensorList list(operands_.data(), static_cast<int>(operands_.size()));
  args::fuse arguments{r, "", list};
  std::optional<TracedCall> traced;
  if (tracing()) traced.emplace(row_of(Op::fuse), &arguments);
  th::evaluate(expression_, r, list);
  if (traced) traced->finish();
}

}  // namespace th::grad

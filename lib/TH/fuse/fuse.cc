// Runs expressions of tensors in one pass. fuse_program.cc compiles them to backend calls. Integers
// on devices, operands that a tracer follows, and divisions of integers, whose divisors are checked
// first, run as operations.

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "fuse/fuse_program.h"
#include "ops/ops.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/scalars.h"
#include "ops/tracer.h"

namespace th {

namespace {

using Node = ExpressionNode;

class Evaluation {
 public:
  Evaluation(const Expression& e, Tensor* r, TensorList operands)
      : e_(e),
        r_(r),
        operands_(operands),
        followed_(is_followed(operands)),
        values_(e.nodes.size()),
        shapes_(e.nodes.size()) {
    if (operands.count != static_cast<int>(e.operands.size())) {
      fail("the expression has %d operands, got %d", static_cast<int>(e.operands.size()),
           operands.count);
    }
    dtype_ = operands.tensors[0]->dtype;
    check_types();
    for (size_t k = 0; k < e.nodes.size(); ++k) shapes_[k] = shape_of(e.nodes[k]);
    check_result();
    device_ = device_of(operands.tensors, operands.count);
    if (!device_) device_ = device_of({r});
    by_operations_ = followed_ || must_go_by_operations();
  }

  void run() {
    const auto count = static_cast<int>(e_.nodes.size());
    for (int k = 0; k < count; ++k) {
      const Node& node = e_.nodes[k];
      if (node.kind == Node::operand) {
        values_[k] = shared(operands_.tensors[node.index]);
      } else if (node.kind == Node::number) {
        values_[k] = constant(node.value);
      } else if (node.kind == Node::reduction) {
        values_[k] = reduced(node);
      }
    }
    if (values_[e_.root]) {
      TensorRef result = e_.nodes[e_.root].kind == Node::operand ? clone(values_[e_.root].get())
                                                                 : std::move(values_[e_.root]);
      if (!is_operand(r_)) resize(r_, result->nDimension, result->size);
      return ops::copy(r_, result.get());
    }
    evaluate(e_.root, r_);
  }
  // Sets the shape of r. A number has one element.
  void set_shape(Shapes& s, Tensor*& r) const {
    const Shape& shape = shapes_[e_.root];
    const int64_t one = 1;
    if (shape.empty()) return s.set(r, 1, &one, Layout::in_place);
    s.set(r, static_cast<int>(shape.size()), shape.data(), Layout::in_place);
  }

 private:
  using Shape = std::vector<int64_t>;

  void check_types();
  void check_numbers(const Node& node) const;
  void check_result();
  Shape shape_of(const Node& node) const;
  bool must_go_by_operations() const;

  TensorRef constant(double value) {
    int64_t one = 1;
    TensorRef t(tensor_new_sized(dtype_, 1, &one));
    if (device_ && !by_operations_) t->storage->set_current_device(device_);
    ops::fill(t.get(), value);
    return t;
  }
  TensorRef reduced(const Node& node);
  // The node's elements, in r, which is resized unless it is an operand.
  void evaluate(int node, Tensor* r);
  void by_operations(int node, Tensor* r);
  bool numel_is_0(int node) const {
    return std::find(shapes_[node].begin(), shapes_[node].end(), 0) != shapes_[node].end();
  }
  bool is_operand(const Tensor* t) const {
    return std::find(operands_.tensors, operands_.tensors + operands_.count, t) !=
           operands_.tensors + operands_.count;
  }

  const Expression& e_;
  Tensor* r_;
  TensorList operands_;
  bool followed_;
  DType dtype_;
  Device* device_;                 // that of the operands; null: the CPU
  std::vector<TensorRef> values_;  // of operands, numbers and reductions
  std::vector<Shape> shapes_;      // of numbers: empty, which goes with every shape
  bool by_operations_;
};

void Evaluation::check_types() {
  for (int k = 0; k < operands_.count; ++k) {
    const Tensor& t = *operands_.tensors[k];
    if (t.dtype != dtype_) {
      fail("'%s' is %sTensor and '%s' %sTensor: convert one of them", e_.operands[0].c_str(),
           name_with_article(dtype_), e_.operands[k].c_str(), name_with_article(t.dtype));
    }
  }
  if (r_->dtype != dtype_) {
    fail("the result of %sTensors cannot be %sTensor", name(dtype_), name_with_article(r_->dtype));
  }
  for (const Node& node : e_.nodes) {
    if (node.kind == Node::element && !node.function->defined(dtype_)) {
      e_.fail_at(node.at, "%s is not defined for %sTensors", node.function->name, name(dtype_));
    }
    if (node.kind == Node::reduction && node.reduction_row->floating && is_integral(dtype_)) {
      e_.fail_at(node.at, "%s is not defined for %sTensors", node.reduction_row->name,
                 name(dtype_));
    }
    bool divides = node.kind == Node::element && node.function->row.has(row_flag::divides);
    if (divides && is_integral(dtype_) && node.function->pattern == "TN" &&
        static_cast<int64_t>(node.numbers[0].to_double()) == 0) {
      e_.fail_at(node.at, "integers cannot be divided by 0");
    }
    if (node.kind == Node::element && !current_rules.torch7) check_numbers(node);
  }
}

void Evaluation::check_numbers(const Node& node) const {
  auto check = [&](double number) {
    if (holds(dtype_, number)) return;
    e_.fail_at(node.at, "%.14g does not fit into elements of type %s", number, name(dtype_));
  };
  const ElementRow& row = node.function->row;
  for (int k = 0; k < row.numbers && !row.has(row_flag::fits_numbers); ++k) {
    check(node.numbers[k].to_double());
  }
  for (int input : node.input) {
    if (input >= 0 && e_.nodes[input].kind == Node::number) check(e_.nodes[input].value);
  }
}

void Evaluation::check_result() {
  const Shape& shape = shapes_[e_.root];
  const bool fits = static_cast<int>(shape.size()) == r_->nDimension &&
                    std::equal(shape.begin(), shape.end(), r_->size);
  if (is_operand(r_) && !fits) {
    fail("the expression is of size %s, and the result, an operand, of size %s",
         shape_text(static_cast<int>(shape.size()), shape.data()).c_str(), shape_text(*r_).c_str());
  }
}

Evaluation::Shape Evaluation::shape_of(const Node& node) const {
  if (node.kind == Node::number) return {};
  if (node.kind == Node::operand) {
    const Tensor& t = *operands_.tensors[node.index];
    t.check_storage();
    if (t.nDimension == 0) {
      e_.fail_at(node.at, "'%s' has no dimensions", e_.operands[node.index].c_str());
    }
    return Shape(t.size, t.size + t.nDimension);
  }
  Shape shape = shapes_[node.input[0]];
  if (node.kind == Node::reduction) {
    if (node.dim == 0) return {1};
    const int ndim = static_cast<int>(shape.size());
    const int dim = node.dim > 0 ? node.dim - 1 : ndim + node.dim;
    if (dim < 0 || dim >= ndim) {
      e_.fail_at(node.at, "dimension %d of size %s", node.dim,
                 shape_text(ndim, shape.data()).c_str());
    }
    shape[dim] = 1;
    return shape;
  }
  for (int k = 1; k < 3 && node.input[k] >= 0; ++k) {
    const Shape& other = shapes_[node.input[k]];
    if (other.empty()) continue;
    if (shape.empty()) {
      shape = other;
      continue;
    }
    int ndim;
    int64_t size[kMaxDims];
    if (!broadcast_sizes(static_cast<int>(shape.size()), shape.data(),
                         static_cast<int>(other.size()), other.data(), &ndim, size)) {
      e_.fail_at(node.at, "sizes %s and %s do not broadcast",
                 shape_text(static_cast<int>(shape.size()), shape.data()).c_str(),
                 shape_text(static_cast<int>(other.size()), other.data()).c_str());
    }
    shape.assign(size, size + ndim);
  }
  return shape;
}

bool Evaluation::must_go_by_operations() const {
  if (!is_integral(dtype_)) return false;
  return device_ || std::any_of(e_.nodes.begin(), e_.nodes.end(), [](const Node& node) {
           return node.kind == Node::element &&
                  node.function->row.has(row_flag::divides | row_flag::raises);
         });
}

TensorRef Evaluation::reduced(const Node& node) {
  const int input = node.input[0];
  const Shape& shape = shapes_[input];
  const auto ndim = static_cast<int>(shape.size());
  const int dim = node.dim > 0 ? node.dim - 1 : node.dim < 0 ? ndim + node.dim : -1;
  const bool of_last = dim < 0 || dim == ndim - 1;
  const bool fused = !needs_moment(node.reduction_row->finish);
  if (!by_operations_ && !values_[input] && fused && of_last && !numel_is_0(input)) {
    Shape kept = dim < 0 ? Shape{1} : shape;
    if (dim >= 0) kept[dim] = 1;
    TensorRef result(tensor_new_sized(dtype_, static_cast<int>(kept.size()), kept.data()));
    FusedProgram program(e_, input, values_);
    if (program.fits() && program.reduce(result.get(), *node.reduction_row, ndim, shape.data(),
                                         dim >= 0 ? shape[dim] : 0)) {
      return result;
    }
  }
  TensorRef whole = values_[input] ? shared(values_[input].get())
                                   : made(dtype_, [&](Tensor* t) { evaluate(input, t); });
  if (dim < 0) whole = flattened(whole.get());
  const int64_t dims[] = {std::max(dim, 0)};
  const Op op = node.reduction_row->op;
  if (followed_ && (op == Op::max || op == Op::min)) {
    // Without indices, these rows have no derivative.
    return made(dtype_, [&](Tensor* r) {
      (op == Op::max ? ops::maxDims : ops::minDims)(r, whole.get(), {1, dims}, true);
    });
  }
  return made(dtype_, [&](Tensor* r) { node.reduction_row->reduce(r, whole.get(), dims[0]); });
}

void Evaluation::evaluate(int node, Tensor* r) {
  FusedProgram program(e_, node, values_);
  if (by_operations_ || !program.fits()) return by_operations(node, r);
  const Shape& shape = shapes_[node];
  const auto ndim = static_cast<int>(shape.size());
  if (!is_operand(r)) resize(r, ndim, shape.data());
  if (r->numel() == 0) return;
  if (program.overlaps(*r)) {
    TensorRef temporary(tensor_new_sized(dtype_, ndim, shape.data()));
    if (program.run(temporary.get(), ndim, shape.data())) return ops::copy(r, temporary.get());
  } else if (program.run(r, ndim, shape.data())) {
    return;
  }
  by_operations(node, r);
}

void Evaluation::by_operations(int root, Tensor* r) {
  RulesScope rules({Pairing::numpy, current_rules.torch7});
  std::vector<TensorRef> made(e_.nodes.size());
  auto value = [&](int k) { return values_[k] ? values_[k].get() : made[k].get(); };
  std::vector<bool> needed(e_.nodes.size());
  needed[root] = true;
  for (int k = root; k >= 0; --k) {
    if (!needed[k] || values_[k]) continue;
    for (int input : e_.nodes[k].input) {
      if (input >= 0) needed[input] = true;
    }
  }
  for (int k = 0; k <= root; ++k) {
    if (!needed[k] || values_[k]) continue;
    const Node& node = e_.nodes[k];
    Tensor* inputs[3] = {};
    TensorRef masks[3];
    for (int j = 0; j < 3 && node.input[j] >= 0; ++j) {
      inputs[j] = value(node.input[j]);
      if (!node.function->row.is_byte[j] || dtype_ == DType::Byte) continue;
      masks[j] = TensorRef(tensor_new(DType::Byte));
      ops::neValue(masks[j].get(), inputs[j], 0);
      inputs[j] = masks[j].get();
    }
    if (k != root) made[k] = TensorRef(tensor_new(dtype_));
    node.function->call(k == root ? r : made[k].get(), inputs, node.numbers);
  }
}

// Parses an expression. Few programs have more expressions than are kept.
std::shared_ptr<const Expression> read(const char* text) {
  constexpr size_t kKept = 64;
  static std::mutex mutex;
  static auto* kept = new std::unordered_map<std::string, std::shared_ptr<const Expression>>;
  if (!text) fail("an expression is expected, got NULL");
  const std::string key = text;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept->find(key);
    if (found != kept->end()) return found->second;
  }
  auto expression = std::make_shared<const Expression>(text);
  std::lock_guard<std::mutex> lock(mutex);
  if (kept->size() >= kKept) kept->clear();
  kept->emplace(key, expression);
  return expression;
}

}  // namespace

void evaluate(const Expression& e, Tensor* r, TensorList operands) {
  Evaluation(e, r, operands).run();
}

void shapes(args::fuse& a, Shapes& s) {
  const auto expression = read(a.expression);
  Evaluation(*expression, a.r_, a.inputs).set_shape(s, a.r_);
}
void calls(args::fuse& a) { evaluate(*read(a.expression), a.r_, a.inputs); }

}  // namespace th

// Runs expressions of tensors in one pass. fuse_program.cc compiles them to
// backend calls. Operands that a tracer follows, and divisions of integers,
// whose divisors are checked first, run as operations.

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fuse/fuse_program.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/ops.h"
#include "ops/scalars.h"
#include "ops/tracer.h"

namespace th {

namespace {

using Node = ExpressionNode;

// The shape of a node's elements. A number has no dimensions and goes with
// every shape.
struct Shape {
  int ndim = 0;
  int64_t size[kMaxDims];  // the others are uninitialized, to save time

  Shape() {}
  void set(int of_ndim, const int64_t* of_size) {
    ndim = of_ndim;
    std::copy(of_size, of_size + of_ndim, size);
  }
  bool has_elements() const { return std::find(size, size + ndim, 0) == size + ndim; }
};

class Evaluation {
 public:
  Evaluation(const Expression& e, Tensor* r, TensorList operands, Device* device)
      : e_(e),
        r_(r),
        operands_(operands),
        device_(device),
        followed_(is_followed(operands)),
        values_(e.nodes.size()) {
    if (operands.count != static_cast<int>(e.operands.size())) {
      fail("the expression has %d operands, got %d", static_cast<int>(e.operands.size()),
           operands.count);
    }
    dtype_ = operands.tensors[0]->dtype;
    one_shape_ = is_of_one_shape();
    shapes_.resize(one_shape_ ? 1 : e.nodes.size());
  }

  // Checks the operands and computes the shapes of the nodes. Throws if they do
  // not fit.
  void check() {
    check_types();
    set_shapes();
    check_result();
  }
  void set_shapes() {
    if (one_shape_) {
      const Tensor& t = *operands_.tensors[0];
      return shapes_[0].set(t.nDimension, t.size);
    }
    for (size_t k = 0; k < e_.nodes.size(); ++k) set_shape(e_.nodes[k], &shapes_[k]);
  }
  void run() {
    by_operations_ = followed_ || must_go_by_operations();
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
    const Shape& shape = shape_of(e_.root);
    const int64_t one = 1;
    const int ndim = shape.ndim > 0 ? shape.ndim : 1;
    s.set_in_place(r, ndim, shape.ndim > 0 ? shape.size : &one, operands_.tensors, operands_.count);
  }

 private:
  void check_types();
  void check_numbers(const Node& node) const;
  void check_result();
  bool is_of_one_shape() const;
  void set_shape(const Node& node, Shape* shape) const;
  const Shape& shape_of(int node) const { return shapes_[one_shape_ ? 0 : node]; }
  bool must_go_by_operations() const;

  TensorRef constant(const Scalar& value) {
    int64_t one = 1;
    TensorRef t(tensor_new_sized(dtype_, 1, &one));
    t->storage->set_current_device(by_operations_ ? nullptr : device_);
    ops::fill(t.get(), value);
    return t;
  }
  TensorRef reduced(const Node& node);
  // The node's elements, in r, which is resized unless it is an operand.
  void evaluate(int node, Tensor* r);
  void by_operations(int node, Tensor* r);
  bool is_operand(const Tensor* t) const {
    return std::find(operands_.tensors, operands_.tensors + operands_.count, t) !=
           operands_.tensors + operands_.count;
  }

  const Expression& e_;
  Tensor* r_;
  TensorList operands_;
  Device* device_;  // on which to compute; null: the CPU
  bool followed_;
  DType dtype_;
  std::vector<TensorRef> values_;  // of operands, numbers and reductions
  bool one_shape_;                 // that of all operands is the shape of all nodes
  std::vector<Shape> shapes_;      // of the nodes, or the one shape
  bool by_operations_ = false;
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
    if (node.kind == Node::element && !current_rules.torch7) check_numbers(node);
    bool divides = node.kind == Node::element && node.function->row.has(row_flag::divides);
    if (divides && is_integral(dtype_) && node.function->pattern == "TN" &&
        std::trunc(node.numbers[0].to_double()) == 0) {
      e_.fail_at(node.at, "integers cannot be divided by 0");
    }
  }
}

void Evaluation::check_numbers(const Node& node) const {
  auto check = [&](const Scalar& number) {
    if (holds(dtype_, number)) return;
    e_.fail_at(node.at, "%.14g does not fit into elements of type %s", number.to_double(),
               name(dtype_));
  };
  for (int k = 0; k < node.function->row.numbers; ++k) {
    if (node.function->takes_element[k]) check(node.numbers[k]);
  }
  for (int input : node.input) {
    if (input >= 0 && e_.nodes[input].kind == Node::number) check(e_.nodes[input].value);
  }
}

void Evaluation::check_result() {
  const Shape& shape = shape_of(e_.root);
  if (is_operand(r_) && !has_shape(*r_, shape.ndim, shape.size)) {
    fail("the expression is of size %s, and the result, an operand, of size %s",
         shape_text(shape.ndim, shape.size).c_str(), shape_text(*r_).c_str());
  }
}

// The usual case: no reductions, and operands that do not broadcast.
bool Evaluation::is_of_one_shape() const {
  const Tensor& first = *operands_.tensors[0];
  auto alike = [&](const Tensor* t) {
    t->check_storage();
    return t->nDimension > 0 && same_size(*t, first);
  };
  return e_.nodes[e_.root].kind != Node::number &&
         std::all_of(operands_.tensors, operands_.tensors + operands_.count, alike) &&
         std::none_of(e_.nodes.begin(), e_.nodes.end(),
                      [](const Node& node) { return node.kind == Node::reduction; });
}

void Evaluation::set_shape(const Node& node, Shape* shape) const {
  if (node.kind == Node::number) return;
  if (node.kind == Node::operand) {
    const Tensor& t = *operands_.tensors[node.index];
    t.check_storage();
    if (t.nDimension == 0) {
      e_.fail_at(node.at, "'%s' has no dimensions", e_.operands[node.index].c_str());
    }
    return shape->set(t.nDimension, t.size);
  }
  const Shape& first = shapes_[node.input[0]];
  shape->set(first.ndim, first.size);
  if (node.kind == Node::reduction) {
    const int64_t one = 1;
    if (node.dim == 0) return shape->set(1, &one);
    const int dim = node.dim > 0 ? node.dim - 1 : shape->ndim + node.dim;
    if (dim < 0 || dim >= shape->ndim) {
      e_.fail_at(node.at, "dimension %d of size %s", node.dim,
                 shape_text(shape->ndim, shape->size).c_str());
    }
    shape->size[dim] = 1;
    return;
  }
  for (int k = 1; k < 3 && node.input[k] >= 0; ++k) {
    const Shape& other = shapes_[node.input[k]];
    if (other.ndim == 0) continue;
    if (shape->ndim == 0) {
      shape->set(other.ndim, other.size);
      continue;
    }
    Shape both;
    if (!broadcast_sizes(shape->ndim, shape->size, other.ndim, other.size, &both.ndim, both.size)) {
      e_.fail_at(node.at, "sizes %s and %s do not broadcast",
                 shape_text(shape->ndim, shape->size).c_str(),
                 shape_text(other.ndim, other.size).c_str());
    }
    shape->set(both.ndim, both.size);
  }
}

bool Evaluation::must_go_by_operations() const {
  return is_integral(dtype_) && std::any_of(e_.nodes.begin(), e_.nodes.end(), [](const Node& node) {
           return node.kind == Node::element &&
                  node.function->row.has(row_flag::divides | row_flag::raises);
         });
}

TensorRef Evaluation::reduced(const Node& node) {
  const int input = node.input[0];
  const Shape& shape = shape_of(input);
  const int ndim = shape.ndim;
  const int dim = node.dim > 0 ? node.dim - 1 : node.dim < 0 ? ndim + node.dim : -1;
  const bool of_last = dim < 0 || dim == ndim - 1;
  const bool fused = !needs_moment(node.reduction_row->finish);
  if (!by_operations_ && !values_[input] && fused && of_last && shape.has_elements()) {
    const Shape& kept = shape_of(static_cast<int>(&node - e_.nodes.data()));
    TensorRef result(tensor_new_sized(dtype_, kept.ndim, kept.size));
    FusedProgram program(e_, input, values_);
    if (program.fits() && program.reduce(result.get(), *node.reduction_row, ndim, shape.size,
                                         dim >= 0 ? shape.size[dim] : 0, device_)) {
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
  const Shape& shape = shape_of(node);
  if (!is_operand(r)) resize(r, shape.ndim, shape.size);
  if (r->numel() == 0) return;
  if (program.overlaps(*r)) {
    TensorRef temporary(tensor_new_sized(dtype_, shape.ndim, shape.size));
    if (program.run(temporary.get(), shape.ndim, shape.size, device_)) {
      return ops::copy(r, temporary.get());
    }
  } else if (program.run(r, shape.ndim, shape.size, device_)) {
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
  using Kept = std::map<std::string, std::shared_ptr<const Expression>, std::less<>>;
  static std::mutex mutex;
  static auto* kept = new Kept;
  if (!text) fail("an expression is expected, got NULL");
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = kept->find(std::string_view(text));
    if (found != kept->end()) return found->second;
  }
  auto expression = std::make_shared<const Expression>(text);
  std::lock_guard<std::mutex> lock(mutex);
  if (kept->size() >= kKept) kept->clear();
  kept->emplace(text, expression);
  return expression;
}

Device* device_for(TensorList operands, const Tensor* r) {
  Device* device = device_of(operands.tensors, operands.count);
  return device ? device : device_of({r});
}

}  // namespace

void evaluate(const Expression& e, Tensor* r, TensorList operands, Device* device) {
  Evaluation evaluation(e, r, operands, device);
  evaluation.check();
  evaluation.run();
}
void evaluate(const Expression& e, Tensor* r, TensorList operands) {
  evaluate(e, r, operands, device_for(operands, r));
}

void shapes(args::fuse& a, Shapes& s) {
  const auto expression = read(a.expression);
  Evaluation evaluation(*expression, a.r_, a.inputs, nullptr);
  evaluation.check();
  evaluation.set_shape(s, a.r_);
}
void calls(args::fuse& a) {
  const auto expression = read(a.expression);
  Evaluation evaluation(*expression, a.r_, a.inputs, device_for(a.inputs, a.r_));
  evaluation.set_shapes();
  evaluation.run();
}

}  // namespace th

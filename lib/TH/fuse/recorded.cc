#include "fuse/recorded.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "ops/operands.h"
#include "ops/tracer.h"
#include "tensor/overlap.h"

namespace th {

namespace {

void resize_to(Tensor* t, const RecordedLayout& layout) {
  resize(t, static_cast<int>(layout.size.size()), layout.size.data(), layout.stride.data());
}

bool same_scalar(const Scalar& a, const Scalar& b) {
  return a.integral == b.integral && a.i == b.i;  // compares the bits
}

}  // namespace

RecordedLayout::RecordedLayout(const Tensor& t)
    : type(t.dtype),
      size(t.size, t.size + t.nDimension),
      stride(t.stride, t.stride + t.nDimension) {}

RecordedLayout::RecordedLayout(DType of, std::vector<int64_t> sizes)
    : type(of), size(std::move(sizes)), stride(size.size()) {
  int64_t count = 1;
  for (size_t d = size.size(); d-- > 0; count *= size[d]) stride[d] = count;
}

int64_t RecordedLayout::numel() const {
  int64_t count = size.empty() ? 0 : 1;
  for (int64_t n : size) count *= n;
  return count;
}

bool RecordedLayout::matches(const Tensor& t) const {
  return type == t.dtype && static_cast<int>(size.size()) == t.nDimension &&
         std::equal(size.begin(), size.end(), t.size) &&
         std::equal(stride.begin(), stride.end(), t.stride);
}

// The tensors of one replay.
class Replay {
 public:
  Replay(const Recorded& recorded, Tensor* const* results, Tensor* const* inputs,
         Generator* generator)
      : recorded_(recorded),
        inputs_(inputs),
        generator_(generator),
        values_(recorded.values.size()) {
    for (size_t k = 0; k < recorded.results.size(); ++k) {
      const int value = recorded.results[k];
      values_[value] = placed(shared(results[k]), recorded.values[value].device);
    }
  }

  Generator* generator() const { return generator_; }
  Tensor* input(int k) const { return inputs_[k]; }

  // Returns the tensor of a value, which is empty at first.
  Tensor* value(int k) {
    if (!values_[k]) values_[k] = empty(recorded_.values[k].type, recorded_.values[k].device);
    return values_[k].get();
  }
  // Returns an empty tensor on a device.
  static TensorRef empty(DType type, Device* device) {
    return placed(TensorRef(tensor_new(type)), device);
  }

  TensorRef leaf(int k) {
    const RecordedLeaf& leaf = recorded_.leaves[k];
    Tensor* source = leaf.of_input ? inputs_[leaf.source] : value(leaf.source);
    source->check_storage();
    if (leaf.whole) return shared(source);
    return strided_view(*source, source->storageOffset + leaf.offset,
                        static_cast<int>(leaf.layout.size.size()), leaf.layout.size.data(),
                        leaf.layout.stride.data());
  }

  // Gives a value the elements of a leaf, in a layout. It takes the memory of a value that no later
  // step reads.
  void set_value(int k, int from, const RecordedLayout& layout) {
    const RecordedLeaf& leaf = recorded_.leaves[from];
    Tensor* made = value(k);
    if (leaf.whole && !leaf.of_input && is_last_use(leaf) && leaf.layout == layout) {
      Tensor* source = value(leaf.source);
      set_storage(made, source->storage, source->storageOffset,
                  static_cast<int>(layout.size.size()), layout.size.data(), layout.stride.data());
      return;
    }
    resize_to(made, layout);
    ops::copy(made, this->leaf(from).get());
  }

  void begin_step(int step) { step_ = step; }
  // Frees values that no later step reads.
  void end_step() {
    for (int k : recorded_.steps[step_]->leaves) {
      const RecordedLeaf& leaf = recorded_.leaves[k];
      if (!leaf.of_input && is_last_use(leaf)) values_[leaf.source] = TensorRef();
    }
  }

 private:
  // The memory of an empty tensor will be on the device.
  static TensorRef placed(TensorRef t, Device* device) {
    if (device != thread_default_device()) {
      ensure_storage(t.get());
      t->storage->set_current_device(device);
    }
    return t;
  }
  bool is_last_use(const RecordedLeaf& leaf) const {
    return recorded_.last_step[leaf.source] == step_;
  }

  const Recorded& recorded_;
  Tensor* const* inputs_;
  Generator* generator_;
  std::vector<TensorRef> values_;
  int step_ = 0;
};

// ---- expressions --------------------------------------------------------------------------------

bool ExpressionStep::same_as(const RecordedStep& step) const {
  const auto* other = dynamic_cast<const ExpressionStep*>(&step);
  if (!other || leaves != other->leaves || type != other->type || device != other->device ||
      value != other->value || !(layout == other->layout) || input != other->input ||
      content != other->content || !(whole == other->whole) || offset != other->offset ||
      expression.root != other->expression.root) {
    return false;
  }
  const auto &x = expression.nodes, &y = other->expression.nodes;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const auto& a, const auto& b) { return a.same_as(b); });
}

void ExpressionStep::evaluate_to(Tensor* r, const std::vector<TensorRef>& operands) const {
  std::vector<Tensor*> tensors(operands.size());
  std::transform(operands.begin(), operands.end(), tensors.begin(),
                 [](const TensorRef& t) { return t.get(); });
  const auto count = static_cast<int>(tensors.size());
  const ExpressionNode& root = expression.nodes[expression.root];
  if (root.kind == ExpressionNode::operand) return ops::copy(r, tensors[root.index]);
  if (root.kind == ExpressionNode::number) return ops::fill(r, root.value);
  args::fuse arguments{r, "", TensorList(tensors.data(), count)};
  std::optional<TracedCall> traced;
  if (tracing()) traced.emplace(row_of(Op::fuse), &arguments);
  if (!program) {
    evaluate(expression, r, arguments.inputs, device);
  } else {
    Tensor* operand_of_node[kFusedSteps + kFusedOperands];
    for (size_t k = 0; k < numbers.size(); ++k) {
      const ExpressionNode& node = expression.nodes[k];
      operand_of_node[k] =
          node.kind == ExpressionNode::operand ? tensors[node.index] : numbers[k].get();
    }
    program->rebind(operand_of_node);
    if (!program->run(r, r->nDimension, r->size, device)) {
      evaluate(expression, r, arguments.inputs, device);
    }
  }
  if (traced) traced->finish();
}

bool ExpressionStep::run(Replay* replay) const {
  std::vector<TensorRef> operands(expression.operands.size());
  for (size_t k = 0; k < operands.size(); ++k) operands[k] = replay->leaf(leaves[k]);
  Tensor* made = input >= 0 ? replay->input(input) : replay->value(value);
  TensorRef part;
  if (content >= 0) {
    replay->set_value(value, content, whole);
    part = strided_view(*made, made->storageOffset + offset, static_cast<int>(layout.size.size()),
                        layout.size.data(), layout.stride.data());
    made = part.get();
  } else if (input < 0) {
    resize_to(made, layout);
  }
  const bool overlaps = (input >= 0 || content >= 0) &&
                        std::any_of(operands.begin(), operands.end(), [made](const TensorRef& t) {
                          return partly_overlap(*made, *t);
                        });
  if (layout.type == type && !overlaps) {
    evaluate_to(made, operands);
    return true;
  }
  // A mask, as a ByteTensor, or a part that the expression reads in another layout.
  TensorRef copied = Replay::empty(type, device);
  resize_as(copied.get(), *made);
  evaluate_to(copied.get(), operands);
  ops::copy(made, copied.get());
  return true;
}

// ---- calls --------------------------------------------------------------------------------------

RecordedArguments::RecordedArguments(const OpRow& row, void* arguments) : row_(&row) {
  for (const Parameter& p : row) {
    switch (p.kind) {
      case ParameterKind::element:
      case ParameterKind::number:
      case ParameterKind::accumulator:
        numbers_.push_back(argument<Scalar>(arguments, p));
        break;
      case ParameterKind::float64:
        numbers_.push_back(argument<double>(arguments, p));
        break;
      case ParameterKind::int64:
      case ParameterKind::int32:
      case ParameterKind::dim:
      case ParameterKind::index:
        integers_.push_back(argument<int64_t>(arguments, p));
        break;
      case ParameterKind::flag:
        integers_.push_back(argument<bool>(arguments, p));
        break;
      case ParameterKind::option:
        integers_.push_back(argument<char>(arguments, p));
        break;
      case ParameterKind::text:
        texts_.emplace_back(
            argument<const char*>(arguments, p) ? argument<const char*>(arguments, p) : "");
        break;
      case ParameterKind::sizes:
      case ParameterKind::dims:
      case ParameterKind::int_list:
      case ParameterKind::dim_list:
      case ParameterKind::each: {
        const auto& list = argument<Sizes>(arguments, p);
        lists_.emplace_back(list.size, list.size + list.ndim);
        break;
      }
      default:
        break;
    }
  }
}

bool RecordedArguments::same_as(const RecordedArguments& other) const {
  return row_ == other.row_ && integers_ == other.integers_ && texts_ == other.texts_ &&
         lists_ == other.lists_ &&
         std::equal(numbers_.begin(), numbers_.end(), other.numbers_.begin(), other.numbers_.end(),
                    same_scalar);
}

void RecordedArguments::fill(void* arguments) const {
  auto number = numbers_.begin();
  auto integer = integers_.begin();
  auto text = texts_.begin();
  auto list = lists_.begin();
  for (const Parameter& p : *row_) {
    switch (p.kind) {
      case ParameterKind::element:
      case ParameterKind::number:
      case ParameterKind::accumulator:
        argument<Scalar>(arguments, p) = *number++;
        break;
      case ParameterKind::float64:
        argument<double>(arguments, p) = (*number++).d;
        break;
      case ParameterKind::int64:
      case ParameterKind::int32:
      case ParameterKind::dim:
      case ParameterKind::index:
        argument<int64_t>(arguments, p) = *integer++;
        break;
      case ParameterKind::flag:
        argument<bool>(arguments, p) = *integer++ != 0;
        break;
      case ParameterKind::option:
        argument<char>(arguments, p) = static_cast<char>(*integer++);
        break;
      case ParameterKind::text:
        argument<const char*>(arguments, p) = (*text++).c_str();
        break;
      case ParameterKind::sizes:
      case ParameterKind::dims:
      case ParameterKind::int_list:
      case ParameterKind::dim_list:
      case ParameterKind::each:
        argument<Sizes>(arguments, p) = {static_cast<int>(list->size()), list->data()};
        ++list;
        break;
      case ParameterKind::list:
        argument<TensorList>(arguments, p) = TensorList(nullptr, 0);
        break;
      case ParameterKind::generator:
        argument<Generator*>(arguments, p) = nullptr;
        break;
      default:
        argument<Tensor*>(arguments, p) = nullptr;
    }
  }
}

bool CallStep::same_as(const RecordedStep& step) const {
  const auto* other = dynamic_cast<const CallStep*>(&step);
  return other && arguments_.same_as(other->arguments_) && leaves == other->leaves &&
         operands == other->operands && results == other->results && number == other->number &&
         rules_.pairing == other->rules_.pairing && rules_.torch7 == other->rules_.torch7;
}

bool CallStep::run(Replay* replay) const {
  alignas(16) char arguments[kMostArgumentBytes];
  arguments_.fill(arguments);
  RulesScope rules(rules_);
  const OpRow& row = arguments_.row();
  std::vector<TensorRef> tensors;
  std::vector<Tensor*> list;
  tensors.reserve(operands.size());
  for (const Operand& operand : operands) {
    tensors.push_back(replay->leaf(operand.leaf));
    if (operand.parameter->kind == ParameterKind::list) {
      list.push_back(tensors.back().get());
    } else {
      argument<Tensor*>(arguments, *operand.parameter) = tensors.back().get();
    }
  }
  for (const Parameter& p : row) {
    if (p.kind == ParameterKind::list) {
      argument<TensorList>(arguments, p) = TensorList(list.data(), static_cast<int>(list.size()));
    } else if (p.kind == ParameterKind::generator) {
      argument<Generator*>(arguments, p) = replay->generator();
    }
  }
  for (const Result& result : results) {
    Tensor* r = replay->value(result.value);
    if (result.content >= 0) {
      replay->set_value(result.value, result.content, result.before);
    } else {
      resize_to(r, result.before);
    }
    argument<Tensor*>(arguments, *result.parameter) = r;
  }
  if (row.op == Op::copy) {
    auto& copied = *reinterpret_cast<args::copy*>(arguments);
    // Unlike other operations, copies do not move the result to another device. A new tensor of the
    // default device has no memory yet.
    Device* device =
        copied.r->storage ? copied.r->storage->current_device() : thread_default_device();
    ops::copy(copied.r, copied.src);
    if (copied.r->storage) copied.r->storage->set_current_device(device);
  } else {
    call(row.op, arguments);
  }
  if (number >= 0) {
    const int64_t one = 1;
    Tensor* t = replay->value(number);
    resize(t, 1, &one);
    ops::fill(t, *reinterpret_cast<const Scalar*>(arguments + row.returned_offset));
  }
  return std::all_of(results.begin(), results.end(), [&](const Result& result) {
    return result.after.matches(*replay->value(result.value));
  });
}

// ---- the whole ----------------------------------------------------------------------------------

bool Recorded::same_as(const Recorded& other) const {
  return leaves == other.leaves && values == other.values && results == other.results &&
         written == other.written && first_write == other.first_write &&
         std::equal(steps.begin(), steps.end(), other.steps.begin(), other.steps.end(),
                    [](const auto& a, const auto& b) { return a->same_as(*b); });
}

bool Recorded::run(Tensor* const* made_results, Tensor* const* inputs, Generator* generator) const {
  if (draws && !generator) return false;  // the Lua state is closing
  std::unique_ptr<const Generator> before;
  if (draws) before = std::make_unique<const Generator>(*generator);
  bool done = true;
  size_t k = 0;
  try {
    Replay replay(*this, made_results, inputs, generator);
    for (; done && k < steps.size(); ++k) {
      replay.begin_step(static_cast<int>(k));
      done = steps[k]->run(&replay);
      replay.end_step();
    }
  } catch (const std::exception&) {
    // The program raises the same error when it runs itself. It must not run after writes.
    if (calls == 0 || k >= first_write) throw;
    done = false;
  }
  if (!done && before) *generator = *before;
  return done;
}

}  // namespace th

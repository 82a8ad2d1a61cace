// The recorder's plan: in which order a program runs its steps, and which nodes are stored because
// several expressions use them.

#include <algorithm>

#include "backend/grain.h"
#include "fuse/record.h"
#include "ops/operands.h"
#include "tensor/overlap.h"

namespace th {

namespace {

// A node that several expressions use is stored if it costs as much as this many additions.
constexpr int kWorthStoring = 4;
// Consumers of a node, in find_shared_nodes().
constexpr int kNone = -1, kMany = -2;

int cost_of(const ExpressionNode& node) {
  if (node.kind == ExpressionNode::reduction) return kWorthStoring;
  if (node.kind != ExpressionNode::element) return 0;
  return node.function->grain < Grain::cheap ? kWorthStoring : 1;
}

}  // namespace

// Makes the steps that write inputs, and the expressions of all steps.
void Recorder::plan() {
  write_inputs();
  find_shared_nodes();
  leaf_of_.assign(nodes_.size(), -1);
  const size_t count = recorded_->steps.size(), writes = count - recorded_->written.size();
  step_of_.assign(nodes_.size(), -1);
  for (size_t k = count; k-- > 0;) {
    const int root = roots_[k];
    if (root < 0) continue;
    const auto& step = static_cast<const ExpressionStep&>(*recorded_->steps[k]);
    if (step.content < 0 && step.input < 0 && step.layout.type == nodes_[root].type) {
      step_of_[root] = static_cast<int>(k);
    }
  }
  for (size_t k = 0; k < writes; ++k) emit(k);
  for (size_t k = writes; k < count; ++k) emit_shared_parts(roots_[k]);
  recorded_->first_write = planned_.size();
  for (size_t k = writes; k < count; ++k) emit(k);
  recorded_->steps = std::move(planned_);
}

// The inputs whose elements an expression of the node reads.
std::vector<int> Recorder::inputs_of(int node) const {
  std::vector<int> inputs;
  for (int k : parts_of(node)) {
    const int leaf = leaf_of_[k];
    if (leaf >= 0 && recorded_->leaves[leaf].of_input) {
      inputs.push_back(recorded_->leaves[leaf].source);
    }
  }
  return inputs;
}

// Adds a step for each input that the program wrote. A step must not read what an earlier one
// wrote: an input that others read is written after them. Where that is impossible, the new
// elements are stored before.
void Recorder::write_inputs() {
  leaf_of_.assign(nodes_.size(), -1);
  for (size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].node.kind == ExpressionNode::operand) {
      leaf_of_[k] = nodes_[k].node.index;
    } else {
      leaf_of_[k] = stored_leaf(static_cast<int>(k));
    }
  }
  struct Write {
    int input, node;
    std::vector<int> reads;
  };
  std::vector<Write> left;
  std::vector<int> numbers;
  for (const auto& entry : written_) numbers.push_back(entry.first);
  for (int input : numbers) {
    const int node = node_of(inputs_[input].view.get());
    leaf_of_.resize(nodes_.size(), -1);
    if (nodes_[node].node.kind == ExpressionNode::operand) leaf_of_[node] = nodes_[node].node.index;
    left.push_back({input, node, inputs_of(node)});
  }
  std::vector<Write> order;
  auto overlaps = [this](int a, int b) {
    const Tensor &first = *inputs_[a].view, &second = *inputs_[b].view;
    return a != b && first.storage == second.storage && ranges_overlap(first, second);
  };
  auto reads = [&](const Write& w, int input) {
    return std::any_of(w.reads.begin(), w.reads.end(),
                       [&](int k) { return k == input || overlaps(k, input); });
  };
  while (!left.empty()) {
    auto is_free = [&](const Write& w) {
      return std::none_of(left.begin(), left.end(), [&](const Write& other) {
        return other.input != w.input && reads(other, w.input);
      });
    };
    auto next = std::find_if(left.begin(), left.end(), is_free);
    if (next == left.end()) {
      // All of them are read by others. One that reads others is computed first, which frees these.
      next = std::find_if(left.begin(), left.end(), [&](const Write& w) {
        return std::any_of(left.begin(), left.end(), [&](const Write& other) {
          return other.input != w.input && reads(w, other.input);
        });
      });
      const RecordedLayout layout(nodes_[next->node].type, nodes_[next->node].shape);
      Device* device = device_of({inputs_[next->input].view.get()});
      next->node = node_of_leaf(recorded_->leaves[store(next->node, layout, device)]);
      next->reads.clear();
      if (leaf_of_.size() < nodes_.size()) leaf_of_.resize(nodes_.size(), -1);
      continue;
    }
    order.push_back(*next);
    left.erase(next);
  }
  for (const Write& w : order) {
    auto step = std::make_unique<ExpressionStep>();
    step->input = w.input;
    step->layout = RecordedLayout(*inputs_[w.input].view);
    add_step(std::move(step), w.node);
    ++recorded_->expressions;
    recorded_->written.push_back(w.input);
  }
}

// Finds the nodes that more than one expression, or one expression and its reductions, compute.
void Recorder::find_shared_nodes() {
  const auto count = static_cast<int>(nodes_.size());
  std::vector<int> consumer(count, kNone), cost(count, 0);
  std::vector<bool> is_root(count);
  auto use = [&](int node, int by) {
    if (node < 0) return;
    consumer[node] = consumer[node] == kNone || consumer[node] == by ? by : kMany;
  };
  for (size_t k = 0; k < roots_.size(); ++k) {
    if (roots_[k] < 0) continue;
    const auto& step = static_cast<const ExpressionStep&>(*recorded_->steps[k]);
    if (step.content < 0 && step.input < 0) {
      is_root[roots_[k]] = true;
    } else {
      use(roots_[k], count + static_cast<int>(k));
    }
  }
  for (int k = 0; k < count; ++k) {
    cost[k] = cost_of(nodes_[k].node);
    for (int input : nodes_[k].node.input) {
      // One expression computes a reduction once.
      const bool is_inline =
          input >= 0 && !is_root[input] && nodes_[input].node.kind != ExpressionNode::reduction;
      if (is_inline) cost[k] = std::min(cost[k] + cost[input], kWorthStoring);
    }
  }
  is_shared_.assign(count, false);
  for (int k = count - 1; k >= 0; --k) {
    const ExpressionNode& node = nodes_[k].node;
    if (node.kind == ExpressionNode::operand || node.kind == ExpressionNode::number) continue;
    if (!is_root[k] && consumer[k] == kNone) continue;
    is_shared_[k] = cost[k] >= kWorthStoring && (is_root[k] || consumer[k] == kMany);
    const bool is_own = is_root[k] || is_shared_[k] || node.kind == ExpressionNode::reduction;
    for (int input : node.input) use(input, is_own ? k : consumer[k]);
  }
}

// The nodes that an expression of the root computes or reads, in order. It reads the nodes of which
// leaf_of_ knows the leaf.
std::vector<int> Recorder::parts_of(int root) const {
  std::vector<int> parts, pending{root};
  while (!pending.empty()) {
    const int k = pending.back();
    pending.pop_back();
    if (std::find(parts.begin(), parts.end(), k) != parts.end()) continue;
    parts.push_back(k);
    if (leaf_of_[k] >= 0 || nodes_[k].node.kind == ExpressionNode::operand) continue;
    for (int input : nodes_[k].node.input) {
      if (input >= 0) pending.push_back(input);
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

// Stores the shared nodes below the root first.
void Recorder::emit_shared_parts(int root) {
  for (int k : parts_of(root)) {
    if (k == root || leaf_of_[k] >= 0 || !is_shared_[k]) continue;
    if (step_of_[k] >= 0) {
      emit(static_cast<size_t>(step_of_[k]));
      continue;
    }
    const RecordedLayout layout(nodes_[k].type, nodes_[k].shape);
    auto step = std::make_unique<ExpressionStep>();
    step->layout = layout;
    step->value = new_value(layout.type, nodes_[k].device);
    emit_shared_parts(k);
    build(step.get(), k);
    leaf_of_[k] = whole_value(step->value, layout);
    leaf_of_.resize(nodes_.size(), -1);
    planned_.push_back(std::move(step));
    ++recorded_->expressions;
  }
}

// Moves a step, and those that it needs, to the new steps.
void Recorder::emit(size_t index) {
  std::unique_ptr<RecordedStep> step = std::move(recorded_->steps[index]);
  if (!step) return;
  const int root = roots_[index];
  if (root >= 0) {
    auto* expression = static_cast<ExpressionStep*>(step.get());
    emit_shared_parts(root);
    build(expression, root);
    const bool stores = expression->content < 0 && expression->input < 0;
    if (stores && leaf_of_[root] < 0 && expression->layout.type == nodes_[root].type) {
      leaf_of_[root] = whole_value(expression->value, expression->layout);
      leaf_of_.resize(nodes_.size(), -1);
    }
  }
  planned_.push_back(std::move(step));
}

void Recorder::build(ExpressionStep* step, int root) {
  step->type = nodes_[root].type;
  step->device = nodes_[root].device;
  Expression& e = step->expression;
  std::unordered_map<int, int> position;
  for (int k : parts_of(root)) {
    ExpressionNode node = nodes_[k].node;
    const int leaf = node.kind == ExpressionNode::operand ? node.index : leaf_of_[k];
    if (leaf >= 0) {
      node = ExpressionNode(ExpressionNode::operand, 0);
      node.index = static_cast<int>(e.operands.size());
      e.operands.push_back("operand " + std::to_string(node.index + 1));
      step->leaves.push_back(leaf);
    } else {
      for (int& input : node.input) input = input >= 0 ? position[input] : -1;
    }
    position[k] = static_cast<int>(e.nodes.size());
    e.nodes.push_back(node);
  }
  e.root = position[root];
  const bool is_number = e.nodes[e.root].kind == ExpressionNode::number;
  if (e.operands.empty() && !is_number) refuse("computes with nothing but numbers");
  if (!is_number) prepare(step);
  if (step->content >= 0) step->leaves.push_back(step->content);
}

// Makes the calls of its parts, to see whether each is one.
void Recorder::prepare(ExpressionStep* step) {
  const Expression& e = step->expression;
  std::vector<TensorRef> values(e.nodes.size());
  bool fits = true, reduces = false;
  auto program_of = [&](int root) {
    auto program = std::make_unique<FusedProgram>(e, root, values);
    fits = fits && program->fits();
    return program;
  };
  step->numbers.resize(e.nodes.size());
  for (size_t k = 0; k < e.nodes.size(); ++k) {
    const ExpressionNode& node = e.nodes[k];
    if (node.kind == ExpressionNode::element) continue;
    values[k] = TensorRef(tensor_new(step->type));
    if (node.kind == ExpressionNode::number) {
      int64_t one = 1;
      step->numbers[k] = TensorRef(tensor_new_sized(step->type, 1, &one));
      step->numbers[k]->storage->set_current_device(step->device);
      ops::fill(step->numbers[k].get(), node.value);
    } else if (node.kind == ExpressionNode::reduction) {
      reduces = true;
      if (!values[node.input[0]]) program_of(node.input[0]);
    }
  }
  if (e.nodes[e.root].kind == ExpressionNode::element) {
    auto whole = program_of(e.root);
    if (!reduces) step->program = std::move(whole);
  }
  if (!fits) {
    refuse("has more than %d tensors or %d steps in one expression", kFusedOperands - 1,
           kFusedSteps);
  }
}

}  // namespace th

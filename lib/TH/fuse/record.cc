#include "fuse/record.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "tensor/overlap.h"

namespace th {

namespace {

constexpr size_t kMostNodes = 1000;

bool covers_storage(const Tensor& t) {
  return t.storageOffset == 0 && t.numel() == t.storage->size && !has_shared_elements(t);
}

}  // namespace

Recorder::Recorder(const std::vector<Tensor*>& inputs, const Generator* generator)
    : generator_(generator), recorded_(new Recorded) {
  for (Tensor* t : inputs) {
    tensor_retain(t);
    inputs_.push_back({TensorRef(t), TensorRef(tensor_new_view(t))});
  }
}

Recorder::~Recorder() { stop(); }

void Recorder::start() noexcept {
  if (running_) return;
  running_ = true;
  add_tracer(this);
}

void Recorder::stop() noexcept {
  if (!running_) return;
  running_ = false;
  remove_tracer(this);
}

void Recorder::give_up(const char* format, ...) noexcept {
  if (!recorded_) return;
  char text[200];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  stop();
  recorded_.reset();
  own_.clear();
  try {
    reason_ = text;
  } catch (const std::exception&) {
    // The reason stays empty.
  }
}

void Recorder::refuse(const char* format, ...) {
  char text[200];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  give_up("%s", text);
  throw Aborted();
}

int Recorder::input_of(const Tensor* t) const {
  for (size_t k = 0; k < inputs_.size(); ++k) {
    if (inputs_[k].tensor.get() == t) return static_cast<int>(k);
  }
  return -1;
}

const Recorder::Input* Recorder::input_with(const Storage* s) const {
  for (const Input& input : inputs_) {
    if (input.view->storage == s || input.tensor->storage == s) return &input;
  }
  return nullptr;
}

// ---- nodes --------------------------------------------------------------------------------------

int Recorder::add(ExpressionNode node, Shape shape, DType type) {
  for (size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].node.same_as(node) && nodes_[k].type == type) return static_cast<int>(k);
  }
  if (nodes_.size() >= kMostNodes) refuse("has more than %d operations", int{kMostNodes});
  nodes_.push_back({node, std::move(shape), type});
  return static_cast<int>(nodes_.size()) - 1;
}

bool Recorder::is_mask(int node) const {
  const ExpressionNode& n = nodes_[node].node;
  return n.kind == ExpressionNode::element && n.function->row.has(row_flag::predicate);
}

bool Recorder::same_layout(const Value& value, const Tensor& t) const {
  const RecordedLayout& layout = value.layout;
  bool same = value.offset == t.storageOffset && layout.type == t.dtype &&
              static_cast<int>(layout.size.size()) == t.nDimension;
  for (int d = 0; same && d < t.nDimension; ++d) {
    const bool repeated = layout.size[d] == 1 && t.stride[d] == 0;  // by expand
    same = repeated ||
           (layout.size[d] == t.size[d] && (layout.stride[d] == t.stride[d] || t.size[d] == 1));
  }
  return same;
}

// Returns true if the value defines all elements of t, a view of it.
bool Recorder::covers(const Value& value, const Tensor& t) const {
  int64_t count = 1;
  for (size_t d = value.layout.size.size(); d-- > 0; count *= value.layout.size[d]) {
    if (value.layout.size[d] != 1 && value.layout.stride[d] != count) return false;
  }
  const auto item = static_cast<ptrdiff_t>(item_size(t.dtype));
  const ByteRange bytes = t.bytes();
  return static_cast<ptrdiff_t>(bytes.begin) >= value.offset * item &&
         static_cast<ptrdiff_t>(bytes.end) <= (value.offset + count) * item;
}

// The node whose elements t has.
int Recorder::node_of(Tensor* t) {
  if (!t->storage) refuse("reads a tensor without elements");
  auto own = own_.find(t->storage);
  if (own == own_.end()) return node_of_leaf(recorded_->leaves[input_leaf(t)]);
  if (const std::shared_ptr<IndexCall> call = own->second.index_call) {
    own->second.value.node = node_of_indices(*call);
    own->second.index_call = nullptr;
  }
  const Value value = own->second.value;
  if (!own->second.has_value) refuse("reads a tensor that it did not write");
  if (same_layout(value, *t)) return value.node;
  if (t->numel() == 0 || !covers(value, *t)) refuse("reads a tensor of which it wrote only a part");
  RecordedLeaf leaf = recorded_->leaves[store(value.node, value.layout)];
  leaf.offset += t->storageOffset - value.offset;
  leaf.layout = RecordedLayout(*t);
  leaf.whole = false;
  return node_of_leaf(std::move(leaf));
}

// The same as a node of the given type: bytes may be stored for a mask.
int Recorder::node_of_type(Tensor* t, DType type) {
  const int node = node_of(t);
  if (nodes_[node].type == type) return node;
  return node_of_leaf(recorded_->leaves[leaf_for(t)]);
}

int Recorder::node_of_leaf(RecordedLeaf leaf) {
  auto& leaves = recorded_->leaves;
  const auto found = std::find(leaves.begin(), leaves.end(), leaf);
  ExpressionNode node(ExpressionNode::operand, 0);
  node.index = static_cast<int>(found - leaves.begin());
  Shape shape = leaf.layout.size;
  const DType type = leaf.layout.type;
  if (found == leaves.end()) leaves.push_back(std::move(leaf));
  return add(node, std::move(shape), type);
}

// The leaf that t is a view of an input. Inputs that share a storage lie at fixed distances, so any
// of them that contains t is correct.
int Recorder::input_leaf(Tensor* t) {
  const ByteRange bytes = t->bytes();
  RecordedLeaf leaf;
  bool shares = false;
  for (size_t k = 0; k < inputs_.size() && !leaf.whole; ++k) {
    const Tensor& input = *inputs_[k].view;
    if (input.storage != t->storage) continue;
    shares = true;
    const ByteRange all = input.bytes();
    if (bytes.begin < all.begin || bytes.end > all.end) continue;
    leaf.whole = same_view(*t, input);
    if (leaf.source >= 0 && !leaf.whole) continue;
    leaf.source = static_cast<int>(k);
    leaf.offset = t->storageOffset - input.storageOffset;
  }
  if (leaf.source < 0) {
    refuse(shares ? "reads memory outside of its arguments' elements"
                  : "reads a tensor that is not an argument, an upvalue or a result");
  }
  leaf.layout = RecordedLayout(*t);
  return nodes_[node_of_leaf(std::move(leaf))].node.index;
}

// ---- values -------------------------------------------------------------------------------------

void Recorder::allocated(Storage* s) noexcept {
  attempt([&] {
    if (input_with(s) || own_.count(s)) return;
    storage_retain(s);
    own_[s].storage = StorageRef(s);
  });
}

// The storage of a result: the program made it, or the operation did, for a tensor without one.
Recorder::OwnStorage& Recorder::own_storage(const Target& target) {
  Storage* s = target.tensor->storage;
  auto found = own_.find(s);
  if (found != own_.end()) return found->second;
  const bool was_own = !target.before || own_.count(target.before->storage) > 0;
  if (!was_own || input_with(s)) refuse("writes to a tensor that it did not make");
  storage_retain(s);
  OwnStorage& own = own_[s];
  own.storage = StorageRef(s);
  return own;
}

// The result of the operation has the node's elements from now on.
void Recorder::define(const Target& target, int node) {
  const Tensor& r = *target.tensor;
  if (!r.storage) return;  // no elements
  OwnStorage& own = own_storage(target);
  if (has_shared_elements(r)) refuse("writes to a tensor whose elements overlap");
  own.value = {node, r.storageOffset, RecordedLayout(r)};
  own.has_value = true;
  own.index_call = nullptr;
}

// A leaf with the elements and the layout of t.
int Recorder::leaf_for(Tensor* t) {
  const int node = node_of(t);
  const ExpressionNode& n = nodes_[node].node;
  if (n.kind == ExpressionNode::operand && recorded_->leaves[n.index].layout.matches(*t)) {
    return n.index;
  }
  auto own = own_.find(t->storage);
  if (own == own_.end()) return input_leaf(t);
  const Value value = own->second.value;
  const int whole = store(node, value.layout);
  if (value.layout.matches(*t)) return whole;
  // Expanded.
  RecordedLeaf leaf = recorded_->leaves[whole];
  leaf.layout = RecordedLayout(*t);
  leaf.whole = false;
  return nodes_[node_of_leaf(std::move(leaf))].node.index;
}

int Recorder::new_value(DType type) {
  recorded_->values.push_back(type);
  return static_cast<int>(recorded_->values.size()) - 1;
}

// A leaf, the whole of a value, that has the node's elements in this layout.
int Recorder::store(int node, const RecordedLayout& layout) {
  for (const Stored& stored : stored_) {
    if (stored.node == node && stored.layout == layout) return stored.leaf;
  }
  const ExpressionNode& n = nodes_[node].node;
  if (n.kind == ExpressionNode::operand) {
    const RecordedLeaf& leaf = recorded_->leaves[n.index];
    if (!leaf.of_input && leaf.whole && leaf.layout == layout) return n.index;
  }
  RecordedLeaf leaf;
  leaf.of_input = false;
  leaf.source = n.kind == ExpressionNode::number ? store_number(node, layout)
                                                 : store_expression(node, layout);
  leaf.layout = layout;
  leaf.whole = true;
  const int index = nodes_[node_of_leaf(std::move(leaf))].node.index;
  stored_.push_back({node, index, layout});
  return index;
}

int Recorder::store_number(int node, const RecordedLayout& layout) {
  args::fill arguments{nullptr, nodes_[node].node.value};
  const OpRow& row = row_of(Op::fill);
  auto step = std::make_unique<CallStep>(RecordedArguments(row, &arguments));
  const int value = new_value(layout.type);
  step->results.push_back({row.parameters, value, -1, layout, layout});
  recorded_->steps.push_back(std::move(step));
  ++recorded_->calls;
  return value;
}

// Adds a step that evaluates the node. Nodes that are stored already are read from there.
int Recorder::store_expression(int root, const RecordedLayout& layout) {
  auto step = std::make_unique<ExpressionStep>();
  step->type = nodes_[root].type;
  step->layout = layout;
  std::vector<bool> needed(nodes_.size());
  std::vector<int> leaf_of(nodes_.size(), -1), position(nodes_.size(), -1);
  for (const Stored& stored : stored_) {
    if (stored.layout.type == nodes_[stored.node].type) leaf_of[stored.node] = stored.leaf;
  }
  needed[root] = true;
  for (int k = root; k >= 0; --k) {
    if (!needed[k]) continue;
    if (nodes_[k].node.kind == ExpressionNode::operand) leaf_of[k] = nodes_[k].node.index;
    if (leaf_of[k] >= 0) continue;
    for (int input : nodes_[k].node.input) {
      if (input >= 0) needed[input] = true;
    }
  }
  Expression& e = step->expression;
  for (int k = 0; k <= root; ++k) {
    if (!needed[k]) continue;
    ExpressionNode node = nodes_[k].node;
    for (int& input : node.input) input = input >= 0 ? position[input] : -1;
    if (leaf_of[k] >= 0) {
      node = ExpressionNode(ExpressionNode::operand, 0);
      node.index = static_cast<int>(e.operands.size());
      e.operands.push_back("operand " + std::to_string(node.index + 1));
      step->leaves.push_back(leaf_of[k]);
    }
    position[k] = static_cast<int>(e.nodes.size());
    e.nodes.push_back(node);
  }
  e.root = position[root];
  if (e.operands.empty()) refuse("computes with nothing but numbers");
  prepare(step.get());
  const int value = step->value = new_value(layout.type);
  recorded_->steps.push_back(std::move(step));
  ++recorded_->expressions;
  return value;
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

// ---- the end ------------------------------------------------------------------------------------

std::unique_ptr<Recorded> Recorder::finish(const std::vector<Tensor*>& results) {
  attempt([&] {
    if (results.empty()) refuse("returns no new tensor");
    for (Tensor* t : results) {
      auto shares = [t](const Tensor* other) { return other != t && other->storage == t->storage; };
      if (t->storage && std::any_of(results.begin(), results.end(), shares)) {
        refuse("returns tensors that share memory");
      }
      recorded_->results.push_back(value_of_result(t));
    }
    find_last_steps();
  });
  return std::move(recorded_);
}

int Recorder::value_of_result(Tensor* t) {
  if (!t->storage || t->numel() == 0) refuse("returns a tensor without elements");
  if (!own_.count(t->storage)) refuse("returns a view, or a tensor that it did not make");
  if (!covers_storage(*t)) refuse("returns a part of a result");
  const int node = node_of(t);
  const RecordedLayout layout(*t);
  const int value = recorded_->leaves[store(node, layout)].source;
  const auto& before = recorded_->results;
  if (std::find(before.begin(), before.end(), value) == before.end()) return value;
  return store_expression(node, layout);  // a copy
}

void Recorder::find_last_steps() {
  Recorded& r = *recorded_;
  r.last_step.assign(r.values.size(), -1);
  for (size_t k = 0; k < r.steps.size(); ++k) {
    for (int leaf : r.steps[k]->leaves) {
      if (!r.leaves[leaf].of_input) r.last_step[r.leaves[leaf].source] = static_cast<int>(k);
    }
  }
  for (int value : r.results) r.last_step[value] = -1;
}

}  // namespace th

// The nodes of the recorder: element-wise operations, reductions, numbers, and leaves: tensors.

#include <algorithm>

#include "fuse/record.h"
#include "ops/operands.h"

namespace th {

namespace {

constexpr size_t kMostRecorded = 100000;
// Limits of an expression, so that it fits into one call: see FusedProgram.
constexpr int kMostParts = 24, kMostLeaves = kFusedOperands - 1;

size_t hash_of(const ExpressionNode& node, DType type) {
  size_t hash = node.kind * 31 + static_cast<size_t>(type);
  auto mix = [&hash](size_t more) { hash = hash * 1000003 ^ more; };
  mix(static_cast<size_t>(node.index));
  for (int input : node.input) mix(static_cast<size_t>(input + 1));
  for (const Scalar& number : node.numbers) mix(static_cast<size_t>(number.i));
  mix(static_cast<size_t>(node.value.i));
  mix(reinterpret_cast<uintptr_t>(node.function));
  return hash;
}

}  // namespace

int Recorder::add(ExpressionNode node, Shape shape, DType type, Device* device) {
  const size_t hash = hash_of(node, type);
  const auto range = node_of_hash_.equal_range(hash);
  for (auto k = range.first; k != range.second; ++k) {
    const Node& known = nodes_[k->second];
    const bool same = known.node.same_as(node) && known.type == type && known.device == device;
    if (same) return k->second;
  }
  if (nodes_.size() >= kMostRecorded) refuse("has more than %d operations", int{kMostRecorded});
  if (node.kind == ExpressionNode::element) make_fit(node);
  const auto number = static_cast<int>(nodes_.size());
  nodes_.push_back({node, std::move(shape), type, device});
  stored_.emplace_back();
  node_of_hash_.emplace(hash, number);
  return number;
}

int Recorder::add_number(double value, DType type) {
  ExpressionNode node(ExpressionNode::number, 0);
  node.value = value;
  return add(node, {}, type, nullptr);
}

// A leaf that has the elements of the node, in its type; -1: none.
int Recorder::stored_leaf(int node) const {
  for (const Stored& stored : stored_[node]) {
    if (stored.layout.type == nodes_[node].type) return stored.leaf;
  }
  return -1;
}

// Finds the nodes that an expression of the node computes. Returns false if they are too many.
bool Recorder::fits(const ExpressionNode& root, std::vector<int>* parts) const {
  int leaves = 0, steps = 1;
  std::vector<int> pending(std::begin(root.input), std::end(root.input));
  while (!pending.empty()) {
    const int k = pending.back();
    pending.pop_back();
    if (k < 0 || std::find(parts->begin(), parts->end(), k) != parts->end()) continue;
    parts->push_back(k);
    const ExpressionNode& node = nodes_[k].node;
    if (node.kind != ExpressionNode::element || stored_leaf(k) >= 0) {
      if (++leaves > kMostLeaves) return false;
      continue;
    }
    // A mask may be needed as a byte, too.
    steps += node.function->row.has(row_flag::predicate) ? 2 : 1;
    if (steps > kMostParts) return false;
    pending.insert(pending.end(), std::begin(node.input), std::end(node.input));
  }
  return true;
}

// Stores the largest inputs of an element-wise node until an expression of it fits into one call.
void Recorder::make_fit(const ExpressionNode& node) {
  for (;;) {
    std::vector<int> parts;
    if (fits(node, &parts)) return;
    int largest = -1;
    size_t most = 0;
    for (int k : node.input) {
      if (k < 0 || nodes_[k].node.kind != ExpressionNode::element || stored_leaf(k) >= 0) continue;
      std::vector<int> own;
      fits(nodes_[k].node, &own);
      if (own.size() < most) continue;
      largest = k;
      most = own.size();
    }
    if (largest < 0) refuse("has an expression of too many tensors");
    const Node& stored = nodes_[largest];
    store(largest, RecordedLayout(stored.type, stored.shape), stored.device);
  }
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
  const RecordedLayout& layout = value.layout;
  const int64_t count = layout.numel();
  // Its elements are distinct, so they have no gaps if they span as many elements as they are.
  int64_t span = 1;
  for (size_t d = 0; d < layout.size.size(); ++d) span += (layout.size[d] - 1) * layout.stride[d];
  if (count == 0 || span != count) return false;
  const auto item = static_cast<ptrdiff_t>(item_size(t.dtype));
  const ByteRange bytes = t.bytes();
  return static_cast<ptrdiff_t>(bytes.begin) >= value.offset * item &&
         static_cast<ptrdiff_t>(bytes.end) <= (value.offset + count) * item;
}

// The node whose elements t has.
int Recorder::node_of(Tensor* t) {
  if (!t->storage) refuse("reads a tensor without elements");
  Region* region = region_of(*t);
  if (!region) return node_of_leaf(recorded_->leaves[input_leaf(t)]);
  if (const std::shared_ptr<IndexCall> call = region->index_call) {
    region->value.node = node_of_indices(*call);
    region->index_call = nullptr;
  }
  const Value value = region->value;
  if (!region->has_value) refuse("reads a tensor that it did not write");
  if (same_layout(value, *t)) return value.node;
  if (t->numel() == 0 || !covers(value, *t)) refuse("reads a tensor of which it wrote only a part");
  RecordedLeaf leaf = recorded_->leaves[store(value.node, value.layout, device_of({t}))];
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

// The node, or the leaf that has its elements if it is computed on another device.
int Recorder::node_on(Device* device, int node) {
  const Node& n = nodes_[node];
  if (n.device == device || is_number(node) || n.node.kind == ExpressionNode::operand) return node;
  return node_of_leaf(recorded_->leaves[store(node, RecordedLayout(n.type, n.shape), n.device)]);
}

Device* Recorder::device_of_leaf(const RecordedLeaf& leaf) const {
  return leaf.of_input ? inputs_[leaf.source].device : recorded_->values[leaf.source].device;
}

int Recorder::node_of_value(int value, const RecordedLayout& layout) {
  return node_of_leaf(recorded_->leaves[whole_value(value, layout)]);
}

int Recorder::node_of_leaf(RecordedLeaf leaf) {
  auto& leaves = recorded_->leaves;
  const size_t hash = static_cast<size_t>(leaf.source) * 2 + (leaf.of_input ? 1 : 0);
  const auto range = leaf_of_hash_.equal_range(hash);
  const auto found = std::find_if(range.first, range.second,
                                  [&](const auto& k) { return leaves[k.second] == leaf; });
  ExpressionNode node(ExpressionNode::operand, 0);
  node.index = found != range.second ? found->second : static_cast<int>(leaves.size());
  Shape shape = leaf.layout.size;
  const DType type = leaf.layout.type;
  Device* device = device_of_leaf(leaf);
  if (found == range.second) {
    leaf_of_hash_.emplace(hash, node.index);
    leaves.push_back(std::move(leaf));
  }
  return add(node, std::move(shape), type, device);
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

}  // namespace th

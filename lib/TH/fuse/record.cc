#include "fuse/record.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "ops/operands.h"
#include "tensor/overlap.h"

namespace th {

namespace {

thread_local int recorders = 0;

bool covers_storage(const Tensor& t) {
  return t.storageOffset == 0 && t.numel() == t.storage->size && !has_shared_elements(t);
}

}  // namespace

Recorder::Recorder(const std::vector<Tensor*>& inputs, const Generator* generator)
    : generator_(generator), recorded_(new Recorded) {
  for (Tensor* t : inputs) {
    inputs_.push_back({shared(t), TensorRef(tensor_new_view(t)), device_of({t})});
  }
}

Recorder::~Recorder() { stop(); }

void Recorder::start() noexcept {
  if (running_) return;
  running_ = true;
  ++recorders;
  add_tracer(this);
}

void Recorder::stop() noexcept {
  if (!running_) return;
  running_ = false;
  --recorders;
  remove_tracer(this);
}

bool Recorder::is_active() noexcept { return recorders > 0; }

void Recorder::give_up(const char* format, ...) noexcept {
  if (!recorded_) return;
  va_list values;
  va_start(values, format);
  std::vsnprintf(reason_, sizeof(reason_), format, values);
  va_end(values);
  stop();
  recorded_.reset();
  own_.clear();
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

// ---- values -------------------------------------------------------------------------------------

// The elements of a storage that is not the memory of a tensor of the program, such as the sizes of
// a tensor, are the same in each replay.
void Recorder::accessed(const char* what, const Storage* s) noexcept {
  if (!s || own_region(s) || input_with(s)) give_up("%s", what);
}

void Recorder::allocated(Storage* s) noexcept {
  attempt([&] {
    if (!input_with(s)) own_[storage_identity(s)];
  });
}

Recorder::Region* Recorder::own_region(const Storage* s) {
  const auto found = s && s->identity ? own_.find(s->identity) : own_.end();
  return found == own_.end() ? nullptr : &found->second;
}

// Returns the index of the input that contains t, or -1. t is about to be written.
int Recorder::input_to_write(const Tensor& t) {
  int found = -1;
  bool has_gaps = false;
  for (size_t k = 0; k < inputs_.size(); ++k) {
    const Tensor& input = *inputs_[k].view;
    if (input.storage != t.storage) continue;
    if (same_view(t, input)) {
      found = static_cast<int>(k);
      break;
    }
    const ByteRange all = input.bytes(), bytes = t.bytes();
    if (bytes.begin < all.begin || bytes.end > all.end) continue;
    if (is_contiguous(input)) {
      found = found < 0 ? static_cast<int>(k) : found;
    } else {
      has_gaps = true;
    }
  }
  if (found < 0 && has_gaps) refuse("writes to a part of an argument with gaps");
  if (found < 0) return -1;
  // Replays find the elements through this input only.
  const Tensor& input = *inputs_[found].view;
  for (const Input& other : inputs_) {
    if (other.view->storage != input.storage || same_view(*other.view, input)) continue;
    if (ranges_overlap(*other.view, input)) {
      refuse("writes to an argument that shares elements with another one");
    }
  }
  if (has_shared_elements(input) || input.storage->memory.shares_host()) {
    refuse("writes to a tensor whose elements overlap");
  }
  return found;
}

// The memory that contains t, if the program made or wrote it.
Recorder::Region* Recorder::region_of(const Tensor& t) {
  if (Region* own = own_region(t.storage)) return own;
  if (written_.empty()) return nullptr;
  for (auto& [input, region] : written_) {
    const Tensor& whole = *inputs_[input].view;
    if (whole.storage == t.storage && ranges_overlap(whole, t)) return &region;
  }
  return nullptr;
}

// The memory of a result: the program made it, or the operation did, for a tensor without a
// storage, or it is an input.
Recorder::Region& Recorder::region_to_write(const Target& target) {
  const Tensor& t = *target.tensor;
  if (Region* known = region_of(t)) return *known;
  Storage* s = t.storage;
  if (input_with(s)) {
    const int input = input_to_write(t);
    if (input < 0) refuse("writes to a tensor that it did not make");
    Tensor* whole = inputs_[input].view.get();
    const int leaf = input_leaf(whole);
    Region& region = written_[input];
    region.value = {node_of_leaf(recorded_->leaves[leaf]), whole->storageOffset,
                    RecordedLayout(*whole)};
    region.has_value = true;
    return region;
  }
  const bool was_own = !target.before || own_region(target.before->storage);
  // An entered operation writes to results that it allocated, and to temporaries.
  if (!was_own && entered_ == 0) refuse("writes to a tensor that it did not make");
  return own_[storage_identity(s)];
}

// The result of the operation has the node's elements from now on.
void Recorder::define(const Target& target, int node) {
  const Tensor& r = *target.tensor;
  if (!r.storage) return;  // no elements
  Region& region = region_to_write(target);
  if (has_shared_elements(r)) refuse("writes to a tensor whose elements overlap");
  if (r.numel() == 0 && region.has_value) return;
  if (!region.has_value && !covers_storage(r) && r.numel() > 0) {
    // Memory that was never written contains zeros.
    region.value = {add_number(0, r.dtype), 0, RecordedLayout(r.dtype, {r.storage->size})};
    region.has_value = true;
  }
  if (region.has_value && !same_layout(region.value, r)) {
    const bool inside = covers(region.value, r);
    if (inside && r.numel() < region.value.layout.numel()) return write_part(&region, r, node);
    if (!inside && !own_region(r.storage)) refuse("writes to a part of an argument with gaps");
  }
  region.value = {node, r.storageOffset, RecordedLayout(r)};
  region.has_value = true;
  region.index_call = nullptr;
}

// A part of a region has the node's elements from now on.
void Recorder::write_part(Region* region, const Tensor& part, int node) {
  if (node < 0) refuse("writes indices to a part of a tensor");
  if (const std::shared_ptr<IndexCall> call = region->index_call) {
    region->value.node = node_of_indices(*call);
    region->index_call = nullptr;
  }
  auto step = std::make_unique<ExpressionStep>();
  step->layout = RecordedLayout(part);
  step->whole = region->value.layout;
  step->offset = part.storageOffset - region->value.offset;
  // A tensor of equal elements gets memory of its own, which the step takes.
  const int before = region->value.node;
  Device* device = device_of({&part});
  step->content = is_number(before)
                      ? whole_value(store_number(before, step->whole, device), step->whole)
                      : store(before, step->whole, device);
  const int value = step->value = new_value(step->whole.type, device);
  const RecordedLayout whole = step->whole;
  add_step(std::move(step), node);
  ++recorded_->expressions;
  region->value.node = node_of_value(value, whole);
}

// A leaf with the elements and the layout of t.
int Recorder::leaf_for(Tensor* t) {
  const int node = node_of(t);
  const ExpressionNode& n = nodes_[node].node;
  if (n.kind == ExpressionNode::operand && recorded_->leaves[n.index].layout.matches(*t)) {
    return n.index;
  }
  const Region* region = region_of(*t);
  if (!region) return input_leaf(t);
  const Value value = region->value;
  const int whole = store(node, value.layout, device_of({t}));
  if (value.layout.matches(*t)) return whole;
  // Expanded.
  RecordedLeaf leaf = recorded_->leaves[whole];
  leaf.layout = RecordedLayout(*t);
  leaf.whole = false;
  return nodes_[node_of_leaf(std::move(leaf))].node.index;
}

int Recorder::new_value(DType type, Device* device) {
  recorded_->values.push_back({type, device});
  return static_cast<int>(recorded_->values.size()) - 1;
}

// The leaf that is the whole of a value.
int Recorder::whole_value(int value, const RecordedLayout& layout) {
  RecordedLeaf leaf;
  leaf.of_input = false;
  leaf.source = value;
  leaf.layout = layout;
  leaf.whole = true;
  return nodes_[node_of_leaf(std::move(leaf))].node.index;
}

// A leaf, the whole of a value, that has the node's elements in this layout. device: of the leaf if
// the node is a number.
int Recorder::store(int node, const RecordedLayout& layout, Device* device) {
  for (const Stored& stored : stored_[node]) {
    if (!(stored.layout == layout)) continue;
    if (!is_number(node) || device_of_leaf(recorded_->leaves[stored.leaf]) == device) {
      return stored.leaf;
    }
  }
  const ExpressionNode& n = nodes_[node].node;
  if (n.kind == ExpressionNode::operand) {
    const RecordedLeaf& leaf = recorded_->leaves[n.index];
    if (!leaf.of_input && leaf.whole && leaf.layout == layout) return n.index;
  }
  const int value =
      is_number(node) ? store_number(node, layout, device) : store_expression(node, layout);
  const int leaf = whole_value(value, layout);
  stored_[node].push_back({leaf, layout});
  return leaf;
}

void Recorder::add_step(std::unique_ptr<RecordedStep> step, int root) {
  recorded_->steps.push_back(std::move(step));
  roots_.push_back(root);
}

int Recorder::store_number(int node, const RecordedLayout& layout, Device* device) {
  args::fill arguments{nullptr, nodes_[node].node.value};
  const OpRow& row = row_of(Op::fill);
  auto step = std::make_unique<CallStep>(RecordedArguments(row, &arguments), current_rules);
  const int value = new_value(layout.type, device);
  step->results.push_back({row.parameters, value, -1, layout, layout});
  add_step(std::move(step));
  ++recorded_->calls;
  return value;
}

// Adds a step that evaluates the node. The expression is made by plan().
int Recorder::store_expression(int root, const RecordedLayout& layout) {
  auto step = std::make_unique<ExpressionStep>();
  step->layout = layout;
  const int value = step->value = new_value(layout.type, nodes_[root].device);
  add_step(std::move(step), root);
  ++recorded_->expressions;
  return value;
}

// ---- the end ------------------------------------------------------------------------------------

std::unique_ptr<Recorded> Recorder::finish(const std::vector<Tensor*>& results) {
  attempt([&] {
    if (results.empty() && written_.empty()) refuse("returns no new tensor");
    for (Tensor* t : results) {
      for (const Tensor* other : results) {
        const bool shares = other != t && t->storage && other->storage == t->storage;
        if (shares && ranges_overlap(*t, *other)) refuse("returns tensors that share memory");
      }
      recorded_->results.push_back(value_of_result(t));
    }
    plan();
    find_last_steps();
  });
  return std::move(recorded_);
}

int Recorder::value_of_result(Tensor* t) {
  if (!t->storage || t->numel() == 0) refuse("returns a tensor without elements");
  if (!own_region(t->storage)) refuse("returns a view, or a tensor that it did not make");
  if (!covers_storage(*t) && !is_contiguous(*t)) refuse("returns a part of a result with gaps");
  check_device(*t);
  const int node = node_of(t);
  const RecordedLayout layout(*t);
  Device* device = device_of({t});
  const int value = recorded_->leaves[store(node, layout, device)].source;
  const auto& before = recorded_->results;
  if (std::find(before.begin(), before.end(), value) == before.end()) return value;
  // A copy.
  return is_number(node) ? store_number(node, layout, device) : store_expression(node, layout);
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

#include "fuse/record.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "fuse/fuse_program.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "tensor/overlap.h"

namespace th {

namespace {

constexpr size_t kMostNodes = 1000;

template <class Call>
void tell(const Call& call) {
  if (Watcher* mine = watcher()) static_cast<Recorder*>(mine)->call(call);
}

bool covers_storage(const Tensor& t) {
  return t.storageOffset == 0 && is_contiguous(t) && t.numel() == t.storage->size;
}

}  // namespace

void note_operand(Tensor* t, Access access, Device* device) {
  static_cast<Recorder*>(watcher())->operand(t, access, device);
}
void note_call(const ElementCall& call) { tell(call); }
void note_call(const CopyCall& call) { tell(call); }
void note_call(const FillCall& call) { tell(call); }
void note_call(const ReduceDimCall& call) { tell(call); }
void note_other_call() {
  char what[100];
  std::snprintf(what, sizeof(what), "calls '%s', which expressions do not have",
                current_op() ? current_op() : "an operation");
  notice(what);
}

bool RecordedLeaf::same_as(const RecordedLeaf& other) const {
  return input == other.input && offset == other.offset && whole == other.whole &&
         size == other.size && stride == other.stride;
}

bool RecordedLeaf::has_layout_of(const Tensor& t) const {
  return static_cast<int>(size.size()) == t.nDimension &&
         std::equal(size.begin(), size.end(), t.size) &&
         std::equal(stride.begin(), stride.end(), t.stride);
}

bool Recorded::same_as(const Recorded& other) const {
  auto same = [](const auto& a, const auto& b) { return a.same_as(b); };
  auto same_result = [&](const RecordedResult& a, const RecordedResult& b) {
    const auto &x = a.expression.nodes, &y = b.expression.nodes;
    return a.type == b.type && a.operands == b.operands && a.expression.root == b.expression.root &&
           std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  return dtype == other.dtype &&
         std::equal(leaves.begin(), leaves.end(), other.leaves.begin(), other.leaves.end(), same) &&
         std::equal(results.begin(), results.end(), other.results.begin(), other.results.end(),
                    same_result);
}

void RecordedResult::run(Tensor* r, std::vector<Tensor*>* operands) const {
  const auto count = static_cast<int>(operands->size());
  if (!program || device_of(operands->data(), count)) {
    return evaluate(expression, r, TensorList(operands->data(), count));
  }
  // Nodes of one call: its steps, and what it is of.
  Tensor* leaves[kFusedSteps + kFusedOperands];
  for (size_t k = 0; k < numbers.size(); ++k) {
    const ExpressionNode& node = expression.nodes[k];
    if (node.kind == ExpressionNode::operand) (*operands)[node.index]->check_storage();
    leaves[k] = node.kind == ExpressionNode::operand ? (*operands)[node.index] : numbers[k].get();
  }
  const auto ndim = static_cast<int>(size.size());
  resize(r, ndim, size.data());
  program->rebind(leaves);
  program->run(r, ndim, size.data());
}

void Recorded::run(Tensor* const* made_results, Tensor* const* inputs) const {
  std::vector<TensorRef> views;
  std::vector<Tensor*> seen(leaves.size());
  for (size_t k = 0; k < leaves.size(); ++k) {
    const RecordedLeaf& leaf = leaves[k];
    Tensor* input = seen[k] = inputs[leaf.input];
    if (leaf.whole) continue;
    input->check_storage();
    views.emplace_back(tensor_new(leaf.type));
    seen[k] = views.back().get();
    set_storage(seen[k], input->storage, input->storageOffset + leaf.offset,
                static_cast<int>(leaf.size.size()), leaf.size.data(), leaf.stride.data());
  }
  std::vector<TensorRef> own(results.size());
  std::vector<Tensor*> operands;
  operands.reserve(leaves.size() + results.size());
  for (size_t k = 0; k < results.size(); ++k) {
    const RecordedResult& result = results[k];
    operands.clear();
    for (int from : result.operands)
      operands.push_back(from < 0 ? own[-1 - from].get() : seen[from]);
    own[k] = result.type == dtype ? shared(made_results[k]) : empty(dtype);
    result.run(own[k].get(), &operands);
    if (result.type == dtype) continue;
    resize_as(made_results[k], *own[k]);
    ops::copy(made_results[k], own[k].get());
  }
}

Recorder::Recorder(const std::vector<Tensor*>& inputs) : recorded_(new Recorded) {
  for (Tensor* t : inputs) inputs_.push_back({shared(t), TensorRef(tensor_new_view(t))});
}

void Recorder::start() noexcept {
  if (running_) return;
  running_ = true;
  first_birth_ = next_birth();
  ++watchers;
  set_watcher(this);
}

void Recorder::stop() noexcept {
  if (!running_) return;
  running_ = false;
  set_watcher(nullptr);
  --watchers;
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
  values_.clear();
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

template <class F>
void Recorder::attempt(const F& body) noexcept {
  if (!recorded_) return;
  try {
    body();
  } catch (const Aborted&) {
  } catch (const std::exception& error) {
    give_up("cannot be recorded: %s", error.what());
  }
  reads_.clear();
  writes_.clear();
}

int Recorder::input_of(const Tensor* t) const {
  for (size_t k = 0; k < inputs_.size(); ++k) {
    if (inputs_[k].tensor.get() == t) return static_cast<int>(k);
  }
  return -1;
}

void Recorder::operand(Tensor* t, Access access, Device* device) {
  if (device) return give_up("works on %s", device->name());
  try {
    (access == Access::read ? reads_ : writes_).push_back(t);
  } catch (const std::exception& error) {
    give_up("cannot be recorded: %s", error.what());
  }
}

void Recorder::expect(int reads, int writes) const {
  if (static_cast<int>(reads_.size()) == reads && static_cast<int>(writes_.size()) == writes)
    return;
  const_cast<Recorder*>(this)->refuse("uses memory in a way that expressions do not have");
}

void Recorder::call(const ElementCall& call) {
  attempt([&] {
    const ElementFunction& function = element_function(call.op);
    expect(function.row.tensors, 1);
    set_type(call.dtype);
    ExpressionNode node(ExpressionNode::element, 0);
    node.function = &function;
    std::copy(call.params, call.params + function.row.numbers, node.numbers);
    Shape shape;
    for (int k = 0; k < function.row.tensors; ++k) {
      const int input = node.input[k] = node_of(reads_[k]);
      if (function.row.is_byte[k] && call.dtype != DType::Byte && !is_mask(input)) {
        refuse("has a ByteTensor among %sTensors that is not the result of a comparison",
               name(call.dtype));
      }
      const Shape& other = shapes_[input];
      int ndim;
      int64_t size[kMaxDims];
      if (other.empty()) continue;
      if (shape.empty()) {
        shape = other;
      } else if (broadcast_sizes(static_cast<int>(shape.size()), shape.data(),
                                 static_cast<int>(other.size()), other.data(), &ndim, size)) {
        shape.assign(size, size + ndim);
      } else {
        refuse("has operands that pair in order");
      }
    }
    ++recorded_->operations;
    define(writes_[0], add(node, shape));
  });
}

void Recorder::call(const CopyCall& call) {
  attempt([&] {
    expect(1, 1);
    const int node = node_of(reads_[0]);
    if (call.to != call.from && !(call.to == recorded_->dtype && is_mask(node))) {
      refuse("converts %ss to %ss", name(call.from), name(call.to));
    }
    define(writes_[0], node);
  });
}

void Recorder::call(const FillCall& call) {
  attempt([&] {
    expect(0, 1);
    constexpr int64_t kExact = int64_t{1} << 53;
    if (call.value.integral && (call.value.i > kExact || call.value.i < -kExact)) {
      refuse("has integers above 2^53");
    }
    set_type(call.dtype);
    ExpressionNode node(ExpressionNode::number, 0);
    node.value = call.value.to_double();
    define(writes_[0], add(node, {}));
  });
}

void Recorder::call(const ReduceDimCall& call) {
  attempt([&] {
    expect(1, call.indices ? 2 : 1);
    ExpressionNode node(ExpressionNode::reduction, 0);
    node.reduction_row = find_reduction(call.reducer, call.finish);
    if (!node.reduction_row) note_other_call();
    if (!recorded_) throw Aborted();
    set_type(call.dtype);
    const Tensor& t = *reads_[0];
    node.input[0] = node_of(reads_[0]);
    node.dim = call.plan.skipped + 1;
    // Sums depend on the layout.
    const ExpressionNode& input = nodes_[node.input[0]];
    const bool leaf = input.kind == ExpressionNode::operand;
    if (!(leaf ? recorded_->leaves[input.index].has_layout_of(t) : is_contiguous(t))) {
      refuse("reduces a tensor that is not contiguous");
    }
    Shape shape(t.size, t.size + t.nDimension);
    if (shape != shapes_[node.input[0]]) refuse("reduces a tensor that was expanded");
    shape[call.plan.skipped] = 1;
    ++recorded_->operations;
    define(writes_[0], add(node, shape));
    if (!call.indices) return;
    const Tensor& indices = *writes_[1];
    if (indices.storage->born < first_birth_) refuse("writes to a tensor that it did not make");
    values_[indices.storage->born].node = -1;
  });
}

void Recorder::set_type(DType type) {
  if (typed_ && recorded_->dtype != type) {
    refuse("has %sTensors and %sTensors in it", name(recorded_->dtype), name(type));
  }
  typed_ = true;
  recorded_->dtype = type;
}

bool Recorder::is_mask(int node) const {
  const ExpressionNode& n = nodes_[node];
  return n.kind == ExpressionNode::element && n.function->row.has(row_flag::predicate);
}

int Recorder::add(ExpressionNode node, Shape shape) {
  for (size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].same_as(node)) return static_cast<int>(k);
  }
  if (nodes_.size() >= kMostNodes) refuse("has more than %d operations", int{kMostNodes});
  nodes_.push_back(node);
  shapes_.push_back(std::move(shape));
  return static_cast<int>(nodes_.size()) - 1;
}

// The node whose elements t has.
int Recorder::node_of(Tensor* t) {
  if (!t->storage) refuse("reads a tensor without elements");
  if (t->storage->born < first_birth_) return leaf_of(t);
  auto found = values_.find(t->storage->born);
  if (found == values_.end() || found->second.node < 0) {
    refuse("reads a tensor that it made otherwise than by operations of expressions");
  }
  const Value& value = found->second;
  bool same =
      value.offset == t->storageOffset && static_cast<int>(value.size.size()) == t->nDimension;
  for (int d = 0; same && d < t->nDimension; ++d) {
    const bool repeated = value.size[d] == 1 && t->stride[d] == 0;  // by expand
    same = repeated ||
           (value.size[d] == t->size[d] && (value.stride[d] == t->stride[d] || t->size[d] == 1));
  }
  if (!same) refuse("reads a part of a result, or a result in another shape");
  return value.node;
}

// Inputs that share a storage lie at fixed distances, so any of them that contains t will do.
int Recorder::leaf_of(Tensor* t) {
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
    if (leaf.input >= 0 && !leaf.whole) continue;
    leaf.input = static_cast<int>(k);
    leaf.offset = t->storageOffset - input.storageOffset;
  }
  if (leaf.input < 0 && shares) refuse("reads memory outside of its arguments' elements");
  if (leaf.input < 0)
    refuse("reads a tensor that is neither an argument nor found in its upvalues");
  leaf.type = t->dtype;
  leaf.size.assign(t->size, t->size + t->nDimension);
  leaf.stride.assign(t->stride, t->stride + t->nDimension);
  auto& leaves = recorded_->leaves;
  size_t k = 0;
  while (k < leaves.size() && !leaves[k].same_as(leaf)) ++k;
  if (k == leaves.size()) leaves.push_back(std::move(leaf));
  ExpressionNode node(ExpressionNode::operand, 0);
  node.index = static_cast<int>(k);
  return add(node, leaves[k].size);
}

// r, made by the program, has the node's elements from now on.
void Recorder::define(Tensor* r, int node) {
  if (!r->storage) refuse("writes to a tensor without elements");
  if (r->storage->born < first_birth_) refuse("writes to a tensor that it did not make");
  if (has_shared_elements(*r)) refuse("writes to a tensor whose elements overlap");
  Value value{node, r->dtype, r->storageOffset, Shape(r->size, r->size + r->nDimension),
              Shape(r->stride, r->stride + r->nDimension)};
  if (!shapes_[node].empty() && shapes_[node] != value.size) {
    refuse("has operands that pair in order, or copies a tensor that was expanded");
  }
  if (shapes_[node].empty() && nodes_[node].kind != ExpressionNode::number) {
    refuse("computes with nothing but numbers");
  }
  values_[r->storage->born] = std::move(value);
}

std::unique_ptr<Recorded> Recorder::finish(const std::vector<Tensor*>& results) {
  attempt([&] {
    if (results.empty()) refuse("returns no new tensor");
    if (!reads_.empty() || !writes_.empty()) expect(0, 0);
    for (const RecordedLeaf& leaf : recorded_->leaves) set_type(leaf.type);
    std::vector<int> roots;
    for (Tensor* t : results) {
      auto shares = [t](const Tensor* other) { return other != t && other->storage == t->storage; };
      if (t->storage && std::any_of(results.begin(), results.end(), shares)) {
        refuse("returns tensors that share memory");
      }
      int root;
      recorded_->results.push_back(result_of(t, roots, &root));
      roots.push_back(root);
    }
  });
  return std::move(recorded_);
}

// before: the nodes of earlier results, which are there to be read.
RecordedResult Recorder::result_of(Tensor* t, const std::vector<int>& before, int* root) {
  if (!t->storage || t->numel() == 0) refuse("returns a tensor without elements");
  if (t->storage->born < first_birth_) refuse("returns a view, or a tensor that it did not make");
  if (!covers_storage(*t)) refuse("returns a part of a result");
  *root = node_of(t);
  if (shapes_[*root] != Shape(t->size, t->size + t->nDimension)) {
    refuse("returns a tensor that was filled or expanded");
  }
  std::vector<bool> needed(nodes_.size());
  std::vector<int> result(nodes_.size(), -1), place(nodes_.size(), -1);
  needed[*root] = true;
  for (size_t k = 0; k < before.size(); ++k) result[before[k]] = static_cast<int>(k);
  for (int k = *root; k >= 0; --k) {
    if (!needed[k] || result[k] >= 0) continue;
    for (int input : nodes_[k].input) {
      if (input >= 0) needed[input] = true;
    }
  }
  RecordedResult made{{}, {}, t->dtype, shapes_[*root], nullptr, {}};
  Expression& e = made.expression;
  for (int k = 0; k <= *root; ++k) {
    if (!needed[k]) continue;
    ExpressionNode node = nodes_[k];
    for (int& input : node.input) input = input >= 0 ? place[input] : -1;
    if (result[k] >= 0) node = ExpressionNode(ExpressionNode::operand, 0);
    if (node.kind == ExpressionNode::operand) {
      made.operands.push_back(result[k] >= 0 ? -1 - result[k] : node.index);
      node.index = static_cast<int>(e.operands.size());
      e.operands.push_back("operand " + std::to_string(node.index + 1));
    }
    place[k] = static_cast<int>(e.nodes.size());
    e.nodes.push_back(node);
  }
  e.root = place[*root];
  if (e.operands.empty()) refuse("computes with nothing but numbers");
  prepare(&made);
  return made;
}

// Makes the calls of its parts, to see whether each is one.
void Recorder::prepare(RecordedResult* result) const {
  const Expression& e = result->expression;
  std::vector<TensorRef> values(e.nodes.size());
  bool fits = true, reduces = false;
  auto program_of = [&](int root) {
    auto program = std::make_unique<FusedProgram>(e, root, values);
    fits = fits && program->fits();
    return program;
  };
  result->numbers.resize(e.nodes.size());
  for (size_t k = 0; k < e.nodes.size(); ++k) {
    const ExpressionNode& node = e.nodes[k];
    if (node.kind == ExpressionNode::element) continue;
    values[k] = empty(recorded_->dtype);
    if (node.kind == ExpressionNode::number) {
      int64_t one = 1;
      result->numbers[k] = TensorRef(tensor_new_sized(recorded_->dtype, 1, &one));
      Unwatched filled;
      ops::fill(result->numbers[k].get(), node.value);
    } else if (node.kind == ExpressionNode::reduction) {
      reduces = true;
      if (!values[node.input[0]]) program_of(node.input[0]);
    }
  }
  if (e.nodes[e.root].kind == ExpressionNode::element) {
    auto whole = program_of(e.root);
    if (!reduces) result->program = std::move(whole);
  }
  if (fits) return;
  const_cast<Recorder*>(this)->refuse("has more than %d tensors or %d steps in one expression",
                                      kFusedOperands - 1, kFusedSteps);
}

}  // namespace th

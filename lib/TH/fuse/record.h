#ifndef TH_FUSE_RECORD_H
#define TH_FUSE_RECORD_H

// Records the operations of a piece of a program, to run them again on other inputs. Element-wise
// operations, fills, copies and some reductions become expressions; all others are called again.
// Inputs are all tensors that the program can read without having made them: its arguments and the
// tensors that it captured. It may write to inputs: a replay does so in its last steps, so that it
// can stop before without an effect.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fuse/recorded.h"
#include "ops/tracer.h"

namespace th TH_VISIBLE {

// Records the operations of the calling thread between start() and stop().
class Recorder final : public Tracer {
 public:
  // generator: the only one that the program may draw from.
  Recorder(const std::vector<Tensor*>& inputs, const Generator* generator);
  ~Recorder();

  void start() noexcept;
  void stop() noexcept;
  // Refuses the recording. The reason continues the words "the function".
  void give_up(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

  // The index of the input that t is; -1: none.
  int input_of(const Tensor* t) const;
  // After stop(). Null if the recording was refused. results: distinct tensors, none of them an
  // input. They may be empty if the program writes to inputs.
  std::unique_ptr<Recorded> finish(const std::vector<Tensor*>& results);
  std::string_view reason() const { return reason_; }

  bool begin(const TracedCall& call) noexcept override;
  void end(const TracedCall& call, bool failed) noexcept override;
  void accessed(const char* what, const Storage* s) noexcept override;
  void allocated(Storage* s) noexcept override;
  void returned(Tensor* number) noexcept override { current_.number = number; }

  // Returns true if a recorder of the calling thread records.
  static bool is_active() noexcept;

 private:
  using Shape = std::vector<int64_t>;
  struct Aborted {};
  struct Input {
    TensorRef tensor;
    TensorRef view;  // its geometry at the start
    Device* device;  // at the start
  };
  // A node of expressions, with its shape, element type and device. Numbers have no shape and no
  // device: they broadcast. All operations of an expression are on one device. It reads elements of
  // other devices from leaves.
  struct Node {
    ExpressionNode node;
    Shape shape;
    DType type;
    Device* device;
  };
  // The elements in the memory of a tensor that the program made.
  struct Value {
    int node;
    ptrdiff_t offset;
    RecordedLayout layout;
  };
  // The call of a reduction that returns indices. It becomes a step if the indices are read.
  struct IndexCall {
    std::unique_ptr<RecordedArguments> arguments;
    const Parameter* operand;
    int node;
    Device* device;
    RecordedLayout layout;  // of the operand
    Rules rules;
    std::vector<CallStep::Result> results;
  };
  // Memory that the program wrote: a storage that it made, or an input.
  struct Region {
    bool has_value = false;
    Value value;
    std::shared_ptr<IndexCall> index_call;
  };
  // A leaf that has the elements of a node.
  struct Stored {
    int leaf;
    RecordedLayout layout;
  };

  // The operation between begin() and end().
  struct Operand {
    const Parameter* parameter;
    TensorRef tensor;  // a view, because the operation may change the geometry of a result
  };
  struct Target {
    const Parameter* parameter;
    Tensor* tensor;
    TensorRef before;  // a view; null: the tensor had no storage
    RecordedLayout layout;
  };
  struct Current {
    std::unique_ptr<RecordedArguments> arguments;
    std::vector<Scalar> numbers;
    std::vector<Operand> operands;
    std::vector<Target> targets;
    Tensor* number = nullptr;  // that a tracer made for the returned number
    bool draws = false;
  };

  template <class F>
  void attempt(const F& body) noexcept;
  [[noreturn]] void refuse(const char* format, ...) __attribute__((format(printf, 2, 3)));

  void check_device(const Tensor& t);
  bool made_view() const;
  // Operations, in record_rows.cc. They return false if expressions do not have the operation.
  bool record_element(const OpRow& row);
  bool record_fill(const OpRow& row);
  bool record_copy();
  bool record_reduction(const OpRow& row, void* arguments);
  void record_call(const OpRow& row);
  int node_of_indices(const IndexCall& call);

  // Nodes.
  int add(ExpressionNode node, Shape shape, DType type, Device* device);
  int add_number(double value, DType type);
  bool is_number(int node) const { return nodes_[node].node.kind == ExpressionNode::number; }
  bool is_mask(int node) const;
  int node_of(Tensor* t);
  int node_of_type(Tensor* t, DType type);
  int node_on(Device* device, int node);
  int node_of_leaf(RecordedLeaf leaf);
  int node_of_value(int value, const RecordedLayout& layout);
  Device* device_of_leaf(const RecordedLeaf& leaf) const;
  int input_leaf(Tensor* t);
  bool covers(const Value& value, const Tensor& t) const;
  bool same_layout(const Value& value, const Tensor& t) const;

  int stored_leaf(int node) const;
  bool fits(const ExpressionNode& node, std::vector<int>* parts) const;
  void make_fit(const ExpressionNode& node);

  // Values and storages.
  const Input* input_with(const Storage* s) const;
  Region* own_region(const Storage* s);
  int input_to_write(const Tensor& t);
  Region* region_of(const Tensor& t);
  Region& region_to_write(const Target& target);
  void define(const Target& target, int node);
  void write_part(Region* region, const Tensor& part, int node);
  int leaf_for(Tensor* t);
  int whole_value(int value, const RecordedLayout& layout);
  int store(int node, const RecordedLayout& layout, Device* device);
  int new_value(DType type, Device* device);
  void add_step(std::unique_ptr<RecordedStep> step, int root = -1);
  int store_number(int node, const RecordedLayout& layout, Device* device);
  int store_expression(int node, const RecordedLayout& layout);
  int value_of_result(Tensor* t);
  void find_last_steps();

  // The plan of the steps, in record_plan.cc.
  void plan();
  void write_inputs();
  std::vector<int> inputs_of(int node) const;
  void find_shared_nodes();
  void emit(size_t step);
  void emit_shared_parts(int root);
  std::vector<int> parts_of(int root) const;
  void build(ExpressionStep* step, int root);
  void prepare(ExpressionStep* step);

  std::vector<Input> inputs_;
  const Generator* generator_;
  std::unique_ptr<Recorded> recorded_;
  std::vector<Node> nodes_;
  std::unordered_multimap<size_t, int> node_of_hash_, leaf_of_hash_;
  std::vector<std::vector<Stored>> stored_;  // of each node
  std::vector<int> roots_;                   // of each step: the node of an expression, or -1
  // Storages that the program made, by identity. They are not retained, because the program may
  // copy what others refer to.
  std::unordered_map<uint64_t, Region> own_;
  std::map<int, Region> written_;  // inputs, by number
  // In plan(): nodes that several expressions use; the steps that store nodes; the leaves that have
  // nodes' elements at this time; the new steps.
  std::vector<bool> is_shared_;
  std::vector<int> step_of_, leaf_of_;
  std::vector<std::unique_ptr<RecordedStep>> planned_;
  Current current_;
  int entered_ = 0;  // operations that run and whose inner calls are recorded instead
  bool running_ = false;
  char reason_[200] = "";  // give_up allocates nothing: memory can be short
};

template <class F>
void Recorder::attempt(const F& body) noexcept {
  if (!recorded_) return;
  try {
    body();
  } catch (const Aborted&) {
  } catch (const std::exception& error) {
    give_up("cannot be recorded: %s", error.what());
  }
}

}  // namespace TH_VISIBLE

#endif

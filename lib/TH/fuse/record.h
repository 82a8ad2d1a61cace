#ifndef TH_FUSE_RECORD_H
#define TH_FUSE_RECORD_H

// Records the operations of a piece of a program, to run them again on other inputs. Element-wise
// operations, fills, copies and some reductions become expressions; all others are called again.
// Inputs are all tensors that the program can read without having made them: its arguments and the
// tensors that it captured.

#include <memory>
#include <string>
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
  // input.
  std::unique_ptr<Recorded> finish(const std::vector<Tensor*>& results);
  const std::string& reason() const { return reason_; }

  bool begin(const TracedCall& call) noexcept override;
  void end(const TracedCall& call, bool failed) noexcept override;
  void accessed(const char* what) noexcept override { give_up("%s", what); }
  void allocated(Storage* s) noexcept override;

 private:
  using Shape = std::vector<int64_t>;
  struct Aborted {};
  struct Input {
    TensorRef tensor;
    TensorRef view;  // its geometry at the start
  };
  // A node of expressions, with its shape and element type. Numbers have no shape: they broadcast.
  struct Node {
    ExpressionNode node;
    Shape shape;
    DType type;
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
    RecordedLayout layout;  // of the operand
    std::vector<CallStep::Result> results;
  };
  struct OwnStorage {
    StorageRef storage;  // keeps the address from being used again
    bool has_value = false;
    Value value;
    std::shared_ptr<IndexCall> index_call;
  };
  // A node that is stored as a value.
  struct Stored {
    int node, leaf;
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
    bool draws = false;
  };

  template <class F>
  void attempt(const F& body) noexcept;
  [[noreturn]] void refuse(const char* format, ...) __attribute__((format(printf, 2, 3)));

  bool made_view() const;
  // Operations, in record_rows.cc. They return false if expressions do not have the operation.
  bool record_element(const OpRow& row);
  bool record_fill(const OpRow& row);
  bool record_copy();
  bool record_reduction(const OpRow& row, void* arguments);
  void record_call(const OpRow& row);
  int node_of_indices(const IndexCall& call);

  // Nodes.
  int add(ExpressionNode node, Shape shape, DType type);
  bool is_mask(int node) const;
  int node_of(Tensor* t);
  int node_of_type(Tensor* t, DType type);
  int node_of_leaf(RecordedLeaf leaf);
  int input_leaf(Tensor* t);
  bool covers(const Value& value, const Tensor& t) const;
  bool same_layout(const Value& value, const Tensor& t) const;

  // Values and storages.
  const Input* input_with(const Storage* s) const;
  OwnStorage& own_storage(const Target& target);
  void define(const Target& target, int node);
  int leaf_for(Tensor* t);
  int store(int node, const RecordedLayout& layout);
  int new_value(DType type);
  int store_number(int node, const RecordedLayout& layout);
  int store_expression(int node, const RecordedLayout& layout);
  void prepare(ExpressionStep* step);
  int value_of_result(Tensor* t);
  void find_last_steps();

  std::vector<Input> inputs_;
  const Generator* generator_;
  std::unique_ptr<Recorded> recorded_;
  std::vector<Node> nodes_;
  std::vector<Stored> stored_;
  std::unordered_map<const Storage*, OwnStorage> own_;
  Current current_;
  bool running_ = false;
  std::string reason_;
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

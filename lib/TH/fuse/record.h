#ifndef TH_FUSE_RECORD_H
#define TH_FUSE_RECORD_H

// Records the operations of a piece of a program as expressions of its inputs, and runs them again
// on other inputs, one pass for each result. Inputs are all tensors that the program can read
// without having made them: its arguments and the tensors that it captured.

#include <memory>
#include <unordered_map>
#include <vector>

#include "backend/calls.h"
#include "fuse/expression.h"
#include "fuse/fuse_program.h"
#include "memory/synced_memory.h"

namespace th TH_VISIBLE {

// A tensor that is read: a view of an input, described relative to it. It holds no memory.
struct RecordedLeaf {
  int input = -1;
  DType type = DType::Byte;
  ptrdiff_t offset = 0;  // in elements, from the input's first element
  std::vector<int64_t> size, stride;
  bool whole = false;  // the view is the input itself
  bool same_as(const RecordedLeaf& other) const;
  bool has_layout_of(const Tensor& t) const;
};

struct RecordedResult {
  Expression expression;
  std::vector<int> operands;  // indices of leaves; -1, -2, ...: earlier results
  DType type;
  std::vector<int64_t> size;
  // Without reductions: the one call that it is, and the numbers among its nodes.
  std::unique_ptr<FusedProgram> program;
  std::vector<TensorRef> numbers;

  void run(Tensor* r, std::vector<Tensor*>* operands) const;
};

// A recording: each result is a new tensor.
struct Recorded {
  DType dtype = DType::Byte;
  int operations = 0;
  std::vector<RecordedLeaf> leaves;
  std::vector<RecordedResult> results;

  bool same_as(const Recorded& other) const;
  // Inputs have the types, sizes and strides of the recorded ones, and share storages with each
  // other at the same distances. Not reentrant.
  void run(Tensor* const* results, Tensor* const* inputs) const;
};

// Records the operations of the calling thread between start() and stop().
class Recorder final : public Watcher {
 public:
  explicit Recorder(const std::vector<Tensor*>& inputs);
  ~Recorder() { stop(); }

  void start() noexcept;
  void stop() noexcept;
  // Refuses the recording. The reason continues the words "the function".
  void give_up(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
  void noticed(const char* what) noexcept override { give_up("%s", what); }

  // The index of the input that t is; -1: none.
  int input_of(const Tensor* t) const;
  // After stop(). Null if the recording was refused. results: distinct tensors, none of them an
  // input.
  std::unique_ptr<Recorded> finish(const std::vector<Tensor*>& results);
  const std::string& reason() const { return reason_; }

  void operand(Tensor* t, Access access, Device* device);
  void call(const ElementCall& call);
  void call(const CopyCall& call);
  void call(const FillCall& call);
  void call(const ReduceDimCall& call);

 private:
  using Shape = std::vector<int64_t>;
  struct Aborted {};
  struct Input {
    TensorRef tensor;
    TensorRef view;  // its geometry at the start
  };
  // The contents of the memory of a tensor with these sizes and strides.
  struct Value {
    int node;  // -1: not the value of an expression
    DType type;
    ptrdiff_t offset;
    Shape size, stride;
  };

  template <class F>
  void attempt(const F& body) noexcept;
  [[noreturn]] void refuse(const char* format, ...) __attribute__((format(printf, 2, 3)));
  void expect(int reads, int writes) const;
  int node_of(Tensor* t);
  int leaf_of(Tensor* t);
  int add(ExpressionNode node, Shape shape);
  bool is_mask(int node) const;
  void set_type(DType type);
  void define(Tensor* r, int node);
  void check_shape(int node, const Tensor& r) const;
  RecordedResult result_of(Tensor* t, const std::vector<int>& before, int* root);
  void prepare(RecordedResult* result) const;

  std::vector<Input> inputs_;
  std::vector<Tensor*> reads_, writes_;  // of the call that is being built
  std::unique_ptr<Recorded> recorded_;
  std::vector<ExpressionNode> nodes_;
  std::vector<Shape> shapes_;
  std::unordered_map<uint64_t, Value> values_;  // by the storage's birth
  uint64_t first_birth_ = 0;
  bool typed_ = false, running_ = false;
  std::string reason_;
};

}  // namespace TH_VISIBLE

#endif

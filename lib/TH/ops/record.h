#ifndef TH_OPS_RECORD_H
#define TH_OPS_RECORD_H

// Operations of a piece of program, recorded at the choke point as expressions of its arguments and
// of what it finds elsewhere, and done again with other arguments, each result in one pass.

#include <memory>
#include <unordered_map>
#include <vector>

#include "backend/calls.h"
#include "memory/synced_memory.h"
#include "ops/expression.h"
#include "ops/fuse_program.h"

namespace th TH_VISIBLE {

// A tensor that is read: a view of an argument's elements or, where argument is -1, of memory that
// the program has from elsewhere, which is kept.
struct RecordedLeaf {
  int argument = -1;
  TensorRef tensor;      // from elsewhere; it may become a view of other memory
  TensorRef view;        // as it was
  ptrdiff_t offset = 0;  // in the argument's storage, from the argument's first element
  bool whole = false;    // the argument itself
  bool same_as(const RecordedLeaf& other) const;
};

struct RecordedResult {
  Expression expression;
  std::vector<int> operands;  // leaves; -1, -2, ...: results before this one
  DType type;
  std::vector<int64_t> size;
  // Without reductions: the one call that it is, and the numbers among its nodes.
  std::unique_ptr<FusedProgram> program;
  std::vector<TensorRef> numbers;

  void run(Tensor* r, std::vector<Tensor*>* operands) const;
};

// What may be done again: results, each a new tensor.
struct Recorded {
  DType dtype = DType::Byte;
  int operations = 0;
  std::vector<RecordedLeaf> leaves;
  std::vector<RecordedResult> results;

  bool same_as(const Recorded& other) const;
  // Whether what it has from elsewhere is where it was.
  bool is_current() const;
  // arguments: of the types, sizes, strides and places in common storages that they had.
  void run(Tensor* const* results, Tensor* const* arguments) const;
};

// Records what the calling thread does between start() and finish() or stop().
class Recorder final : public Watcher {
 public:
  explicit Recorder(const std::vector<Tensor*>& arguments);
  ~Recorder() { stop(); }

  void start() noexcept;
  void stop() noexcept;
  // The operations cannot be done again, for a reason that is said like "f <reads elements>".
  void give_up(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));
  void noticed(const char* what) noexcept override { give_up("%s", what); }

  // The argument that t is; -1: none.
  int argument_of(const Tensor* t) const;
  // Null where it gave up. results: not null, nor arguments.
  std::unique_ptr<Recorded> finish(const std::vector<Tensor*>& results);
  const std::string& reason() const { return reason_; }

  void operand(Tensor* t, Access access, Device* device);
  void call(const ElementCall& call);
  void call(const CopyCall& call);
  void call(const FillCall& call);
  void call(const ReduceDimCall& call);

 private:
  using Shape = std::vector<int64_t>;
  struct GivenUp {};
  // What is in the memory that a tensor of these sizes and strides has.
  struct Value {
    int node;  // -1: what expressions do not have
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

  std::vector<TensorRef> arguments_;
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

#ifndef TH_FUSE_RECORDED_H
#define TH_FUSE_RECORDED_H

// A recorded program: steps that compute values from inputs and from values of earlier steps. A
// step evaluates an expression in one pass, or calls one operation of THOps.def.

#include <memory>
#include <string>
#include <vector>

#include "fuse/expression.h"
#include "fuse/fuse_program.h"
#include "memory/device.h"
#include "ops/rows.h"
#include "ops/rules.h"
#include "random/generator.h"

namespace th TH_VISIBLE {

struct RecordedLayout {
  DType type = DType::Byte;
  std::vector<int64_t> size, stride;
  RecordedLayout() = default;
  explicit RecordedLayout(const Tensor& t);
  RecordedLayout(DType of, std::vector<int64_t> sizes);  // contiguous
  int64_t numel() const;
  bool matches(const Tensor& t) const;
  bool operator==(const RecordedLayout& other) const {
    return type == other.type && size == other.size && stride == other.stride;
  }
};

// A tensor that a step reads: an input, a value, or a view of one of them.
struct RecordedLeaf {
  bool of_input = true;
  int source = -1;       // the index of the input or of the value
  ptrdiff_t offset = 0;  // in elements, from the source's first element
  RecordedLayout layout;
  bool whole = false;  // the view is the source itself
  bool operator==(const RecordedLeaf& other) const {
    return of_input == other.of_input && source == other.source && offset == other.offset &&
           whole == other.whole && layout == other.layout;
  }
};

// A tensor that a step makes. device: where its elements are; null: the CPU.
struct RecordedValue {
  DType type;
  Device* device;
  bool operator==(const RecordedValue& other) const {
    return type == other.type && device == other.device;
  }
};

class Replay;

class RecordedStep {
 public:
  virtual ~RecordedStep() = default;
  virtual bool same_as(const RecordedStep& other) const = 0;
  // Returns false if a result has another shape than when it was recorded.
  virtual bool run(Replay* replay) const = 0;

  std::vector<int> leaves;  // that the step reads
};

class ExpressionStep final : public RecordedStep {
 public:
  bool same_as(const RecordedStep& other) const override;
  bool run(Replay* replay) const override;

  DType type = DType::Byte;  // in which it computes
  Device* device = nullptr;  // on which it computes; null: the CPU
  Expression expression;     // operand k is leaf k
  RecordedLayout layout;     // of the elements that it writes
  int value = -1;
  int input = -1;  // the input that the step writes; -1: it makes the value
  // If the step writes a part of the value: the leaf with the other elements, the layout of the
  // whole value, and the offset of the part in it.
  int content = -1;
  RecordedLayout whole;
  ptrdiff_t offset = 0;
  // Without reductions: the one call that it is, and the numbers among its nodes.
  std::unique_ptr<FusedProgram> program;
  std::vector<TensorRef> numbers;

 private:
  void evaluate_to(Tensor* r, const std::vector<TensorRef>& operands) const;
};

// The arguments of a row without its tensors and generators.
class RecordedArguments {
 public:
  RecordedArguments(const OpRow& row, void* arguments);
  bool same_as(const RecordedArguments& other) const;
  // Fills a struct of arguments, which refers to this object. Tensors are null.
  void fill(void* arguments) const;
  const OpRow& row() const { return *row_; }

 private:
  const OpRow* row_;
  std::vector<Scalar> numbers_;
  std::vector<int64_t> integers_;
  std::vector<std::string> texts_;
  std::vector<std::vector<int64_t>> lists_;
};

class CallStep final : public RecordedStep {
 public:
  struct Operand {
    const Parameter* parameter;
    int leaf;
    bool operator==(const Operand& other) const {
      return parameter == other.parameter && leaf == other.leaf;
    }
  };
  struct Result {
    const Parameter* parameter;
    int value;
    int content;  // the leaf that holds the old elements; -1: they are not read
    RecordedLayout before, after;
    bool operator==(const Result& other) const {
      return parameter == other.parameter && value == other.value && content == other.content &&
             before == other.before && after == other.after;
    }
  };

  CallStep(RecordedArguments arguments, Rules rules)
      : arguments_(std::move(arguments)), rules_(rules) {}
  bool same_as(const RecordedStep& other) const override;
  bool run(Replay* replay) const override;

  std::vector<Operand> operands;  // elements of lists one by one
  std::vector<Result> results;
  int number = -1;  // the value that holds the returned number; -1: it is not used

 private:
  RecordedArguments arguments_;
  Rules rules_;
};

struct Recorded {
  int operations = 0;
  int expressions = 0, calls = 0;  // numbers of steps
  bool draws = false;              // random numbers
  std::vector<RecordedLeaf> leaves;
  std::vector<RecordedValue> values;
  std::vector<std::unique_ptr<RecordedStep>> steps;
  std::vector<int> last_step;  // of each value: the last step that reads it; -1: none
  std::vector<int> results;    // the values that the program returns
  std::vector<int> written;    // the inputs that it writes
  size_t first_write = 0;      // the first step that writes an input; all later ones do, too

  DType result_type(size_t k) const { return values[results[k]].type; }
  bool same_as(const Recorded& other) const;
  // results: new tensors. Inputs have the types, sizes and strides of the recorded ones, and share
  // storages with each other at the same distances. Returns false if the program must run itself:
  // an operation failed, or a shape differs because it depends on elements. Random numbers are then
  // drawn again. Throws if memory is short while inputs are written. Not reentrant.
  bool run(Tensor* const* results, Tensor* const* inputs, Generator* generator) const;
};

}  // namespace TH_VISIBLE

#endif

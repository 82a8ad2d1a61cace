#ifndef TENSOR_GENERIC_FORMS_H
#define TENSOR_GENERIC_FORMS_H

// The signatures of operations as patterns that a call is matched against. The notation has a slot
// for each parameter, in their order:
//   T tensor of the op's type
//   L, I, B, C, F, D tensor of type Long, Int, Byte, Char, Float, Double
//   M mask: ByteTensor or T   W T, or LongTensor if T is an integer type   A tensor of any type
//   {T}, {L} table of tensors
//   x element   d number   l integer   i dimension   n index   b boolean   g generator
//   o(UL) option: a string that begins with one of the letters   t string
//   s sizes, p dimensions: numbers, a LongStorage or a table, last   v integers, r dimensions: one
//   LongStorage or table   e an integer, a LongStorage or a table
//   *T result   +T always a new tensor, not an argument   <x=1> always this value, not an argument
//   [T] optional   [x=1] optional, with a default value
//   [T=null] nil, or left out if no tensor follows   <*T> hidden: a new tensor that is not returned
//   [b=true] left out only if no optional number follows, which might be meant as the flag
// In a form with e, slots with a default value may be omitted only at the end, and nil in their
// place stands for the default value. With a result argument, [T=null] is then required.
//
// An option may also be a list of words, as in o(mean_sum). Then the string is one of them, or its
// first letter. For an argument with a default value, nil may be passed.

#include <cstdint>
#include <string>
#include <vector>

namespace bind {

// The kinds of arguments, without element types. Codes of a call are packed, four bits each.
enum ArgCode : uint64_t {
  kTensor = 1,
  kNumber = 2,
  kBoolean = 3,
  kString = 4,
  kTable = 5,
  kLongStorage = 6,
  kGenerator = 7,
  kNil = 8,
  kOther = 9
};
constexpr int kMaxArgs = 12;

struct Row;  // rows.h

struct Slot {
  char kind;                       // its letter
  bool tensor = false;             // is a single tensor
  std::string letter;              // element type of a {T}
  std::vector<std::string> words;  // allowed values of an o: words, or letters
  bool result = false;
  bool optional = false;
  bool fresh = false;      // +T: always a new tensor, not an argument
  bool fixed = false;      // <x=1>: always this value, not an argument
  bool has_value = false;  // [x=1]: has a default value
  double value = 0;        // the default value; for an o the letter's character code

  bool may_be_nil() const { return tensor && has_value; }
  bool has_default() const { return optional && has_value; }
  // Returns true if the string is a value of this option.
  bool accepts(const char* text) const;
};

struct Form {
  std::vector<Slot> slots;
  // The argument list as shown in error messages. T is printed as `type`.
  std::string text(const char* type) const;
};

Form parse_form(const char* begin, const char* end);

// The argument from which a call takes the value of a parameter, with the part of the Slot that a
// call needs.
struct ParameterSource {
  char kind;
  bool tensor, result;
  bool may_be_nil, hidden;
  int8_t arg;  // 0-based argument position; -1 if omitted
};
// Tensors of the element type of the call. The results of sums, 'W', may have a wider one.
inline bool is_of_own_type(const ParameterSource& source) {
  return source.kind == 'T' || source.kind == 'W';
}

// One combination of present and omitted optional slots: the packed codes of the arguments, and
// everything about such calls that can be computed in advance.
struct Pattern {
  uint64_t codes = 0;  // first argument in the lowest bits
  int args = 0;        // number of arguments, excluding the variable-length list of sizes
  bool sizes = false;
  bool in_order = false;        // slots accept nil, or more than one kind of argument
  bool allocates = false;       // the call creates Lua objects (results or lists of tensors)
  bool one_type = false;        // no argument needs a check but tensors of type T
  bool one_new_result = false;  // returns one new tensor, whose type an argument determines
  int8_t type_arg = -1;         // argument that determines T: an input, else a result; -1: none
  int8_t table_arg = -1;        // table whose first tensor determines T before type_arg
  const Form* form = nullptr;
  const Row* row = nullptr;
  int slots = 0;
  ParameterSource sources[kMaxArgs];

  bool matches(uint64_t call, int count) const {
    if (sizes) return matches_with_sizes(call, count);
    return count == args && (call == codes || (in_order && matches_in_order(call)));
  }
  // As matches, and nil stands for a default value.
  bool matches_with_nil(uint64_t call, int count) const {
    return !sizes && count == args && matches_in_order(call);
  }
  const ParameterSource* begin() const { return sources; }
  const ParameterSource* end() const { return sources + slots; }

 private:
  bool matches_with_sizes(uint64_t call, int count) const;
  bool matches_in_order(uint64_t call) const;
};

// Adds all patterns of a form. Patterns that omit later optional slots come first.
void add_patterns(const Form* form, const Row* row, std::vector<Pattern>* patterns);

}  // namespace bind

#endif

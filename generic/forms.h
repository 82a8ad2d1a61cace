#ifndef TENSOR_GENERIC_FORMS_H
#define TENSOR_GENERIC_FORMS_H

// The argument forms of THOps.def ("[*T] T x") as patterns that a call is matched against.

#include <cstdint>
#include <string>
#include <vector>

namespace bind {

// What an argument looks like before its element type is considered; four bits each.
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

struct Slot {
  char kind;            // a letter of THOps.def
  bool tensor = false;  // one tensor
  std::string letters;  // those that o stands for; the type of a table of tensors
  bool result = false;
  bool optional = false;
  bool fresh = false;      // +T
  bool fixed = false;      // <x=1>
  bool has_value = false;  // [x=1]
  double value = 0;        // of an o its letter
};

struct Form {
  std::vector<Slot> slots;
  // The argument list as an error message shows it, T standing for the class named type.
  std::string text(const char* type) const;
};

Form parse_form(const char* begin, const char* end);

// What a call looks at of a slot.
struct Place {
  char kind;
  bool tensor, result;
  int8_t arg;  // counted from 0; -1: left out
};

// One way to leave out optional slots: the codes of the arguments that remain, and all that is
// known of calls before they are made.
struct Pattern {
  uint64_t codes = 0;  // first argument in the lowest bits
  int args = 0;        // without sizes, of which there may be any number
  bool sizes = false;
  bool allocates = false;     // Lua has to, for results and tables
  bool result_given = false;  // some result is an argument
  int8_t type_arg = -1;       // whose element type T is: an operand's, else a result's; -1: none
  int8_t table_arg = -1;      // whose first tensor has it before that
  const Form* form = nullptr;
  int row = 0;         // what is to be called
  uint32_t types = 0;  // a bit for each element type it is defined for
  int slots = 0;
  Place places[kMaxArgs];

  bool matches(uint64_t call, int count) const {
    return sizes ? matches_with_sizes(call, count) : count == args && call == codes;
  }
  const Place* begin() const { return places; }
  const Place* end() const { return places + slots; }

 private:
  bool matches_with_sizes(uint64_t call, int count) const;
};

// Adds the patterns of a form, those that leave out later slots first.
void add_patterns(const Form* form, int row, std::vector<Pattern>* patterns);

}  // namespace bind

#endif

#ifndef TENSOR_GENERIC_SIGNATURE_H
#define TENSOR_GENERIC_SIGNATURE_H

// The calls of a compiled function that share a recording.

#include <memory>
#include <string>
#include <vector>

#include "dependencies.h"
#include "fuse/record.h"

namespace bind {

// A value that a function returned: a result, an input, the number in a result of one element, or a
// constant.
struct Returned {
  enum Kind { result, input, element, nothing, boolean, number, text } kind;
  int index = 0;  // of a result or an input; a boolean; 1 if the number is an integer
  int64_t bits = 0;
  std::string string = {};
  bool operator==(const Returned& other) const {
    return kind == other.kind && index == other.index && bits == other.bits &&
           string == other.string;
  }
};

// Identifies calls that look the same to the function, except for the elements of tensors and their
// positions in memory.
struct Signature {
  std::vector<int64_t> values;    // settings and arguments
  std::vector<int64_t> geometry;  // of the inputs: tensors among arguments and dependencies
  size_t arguments = 0;           // length of the part of the geometry that describes arguments
  Dependencies dependencies;
  int rows = 0;  // index of the list of dependencies in the environment of the userdata
  std::string shown, reason;
  std::string changed;  // a value that differs from an earlier signature with the same arguments
  std::unique_ptr<th::Recorded> recorded;
  std::vector<Returned> returned;
  int recordings = 0;
  int replays = 0;
};

// The inputs of the last call. The buffers are reused.
struct CallInputs {
  std::vector<int64_t> values, geometry;
  TensorsOnStack inputs;
  size_t arguments = 0;    // number of arguments among the inputs
  bool comparable = true;  // no argument is a table, a function or a foreign object
};

// Appends settings that change the results of operations.
void append_settings(const State* state, int arguments, std::vector<int64_t>* values);
// Reads the settings, the function at stack index 2 and its arguments, and the tensors among them.
void read_arguments(lua_State* L, State* state, CallInputs* c, int first, int last);
// Describes the arguments, as in "(Double[2 x 3], 4)".
std::string shown_call(lua_State* L, State* state, int first, int last);

// Pushes the list of dependencies of a signature. The userdata is at stack index 1.
int push_rows(lua_State* L, const Signature& s);
// Compares a call, whose arguments were read, with a signature. If they match, the tensors among
// the dependencies are on the stack, and all inputs are known. Otherwise the stack is unchanged.
bool matches(lua_State* L, State* state, const Signature& s, CallInputs* c);

// Reads the returned values, from a stack index on. Returns false if they cannot be replayed.
bool read_returned(lua_State* L, State* state, th::Recorder* recorder, int first,
                   std::vector<Returned>* returned, std::vector<Tensor*>* results);
// Pushes true and a table for everything that the function returns. The table contains the
// constants. Storing the rest allocates nothing.
void push_table_of_returned(lua_State* L, const std::vector<Returned>& returned);

}  // namespace bind

#endif

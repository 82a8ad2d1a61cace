#ifndef TENSOR_GENERIC_ROWS_H
#define TENSOR_GENERIC_ROWS_H

// The rows of THOps.def as the bindings see them.

#include "bindings.h"
#include "invoke.h"

namespace bind {

struct Row {
  const char* name;
  const char* lua;
  const char* types;
  const char* typenames;  // the element types in words
  bool (*defined)(DType type);
  const char* parameters;
  const char* function;
  const char* method;
  uint32_t flags;
  const char* doc;
  void (*run)(Call& call);
  bool gives_number;
  bool gives_boolean;
};

extern const Row rows[];
extern const int row_count;

}  // namespace bind

#endif

// Operations that return views. They share the storage of the source, so nothing is allocated. The
// functions of tensor/views.h change the result only if they succeed.

#include "tensor/views.h"

#include "ops/call.h"

namespace th {

#define TH_OP(name_, lua, types, returned, parameters, ...)                        \
  void shapes(args::name_&, Shapes&) {}                                            \
  void calls(args::name_& a) {                                                     \
    views::name_(TH_PARAMETERS(TH_OF_ARGUMENTS_, TH_COMMA, TH_UNWRAP parameters)); \
  }
#define TH_OF_ARGUMENTS_(kind, type, core, name, ...) a.name
#include "THOps/views.def"

}  // namespace th

// The printed form of tensors and storages, for lua/core/print.lua.

#include "io/print.h"

#include "bindings.h"
#include "native.h"

namespace bind {

namespace {

// _printed(object, class name, threshold, edgeitems, linewidth, precision, and for the options
// integers, nonfinite, vectors, slices whether they are as in Torch7): returns a string.
int printed(lua_State* L) {
  State* state = state_of(L);
  const char* name = luaL_checkstring(L, 2);
  const double threshold = luaL_checknumber(L, 3);  // may be infinite
  THPrintOptions options;
  options.threshold = threshold < 0x1p53 ? static_cast<int64_t>(threshold) : INT64_MAX;
  options.edgeItems = check_integer(L, 4);
  options.lineWidth = check_integer(L, 5);
  options.precision = static_cast<int>(check_integer(L, 6));
  options.torch7Integers = lua_toboolean(L, 7);
  options.torch7NonFinite = lua_toboolean(L, 8);
  options.torch7Vectors = lua_toboolean(L, 9);
  options.torch7Slices = lua_toboolean(L, 10);
  th::trace_access(kElementAccess);
  auto** box = Native<std::string>::push(L);
  const Object object = object_at(L, state, 1);
  if (object.is_storage()) {
    Storage* storage = check_storage(L, state, 1);
    protect(L, "tostring",
            [&] { *box = new std::string(th::printed_storage(storage, name, options)); });
  } else {
    Tensor* t = check_tensor(L, state, 1);
    protect(L, "tostring", [&] { *box = new std::string(th::printed(*t, name, options)); });
  }
  lua_pushlstring(L, (*box)->data(), (*box)->size());
  return 1;
}

const Method functions[] = {{"_printed", guarded<printed>}};

}  // namespace

void register_print_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind

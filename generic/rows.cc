#include "rows.h"

#include <vector>

#include "grad/rule.h"

namespace bind {

namespace {

using th::Parameter;
using th::ParameterKind;

// The letter of forms.h for a parameter.
std::string letter_of(const Parameter& p) {
  switch (p.kind) {
    case ParameterKind::list:
      return std::string("{") + p.type[0] + "}";
    case ParameterKind::element:
      return "x";
    case ParameterKind::number:
    case ParameterKind::accumulator:
    case ParameterKind::float64:
      return "d";
    case ParameterKind::int64:
    case ParameterKind::int32:
      return "l";
    case ParameterKind::dim:
      return "i";
    case ParameterKind::index:
      return "n";
    case ParameterKind::flag:
      return "b";
    case ParameterKind::option:
      return std::string("o(") + p.values + ")";
    case ParameterKind::text:
      return "t";
    case ParameterKind::sizes:
      return "s";
    case ParameterKind::dims:
      return "p";
    case ParameterKind::int_list:
      return "v";
    case ParameterKind::dim_list:
      return "r";
    case ParameterKind::each:
      return "e";
    case ParameterKind::generator:
      return "g";
    default:
      return std::string(1, p.type[0]);
  }
}

std::string slot_of(const Parameter& p) {
  const std::string letter = letter_of(p), value = p.by_default;
  switch (p.kind) {
    case ParameterKind::out:
      if (p.is_hidden()) return "<*" + letter + ">";
      return value == "fresh" ? "+" + letter : "[*" + letter + "]";
    case ParameterKind::inout:
      return p.may_be_null() ? "[" + letter + "=null]" : "*" + letter;
    case ParameterKind::view:
      return "+" + letter;
    case ParameterKind::generator:
      return "[" + letter + "]";
    default:
      return value == "required" ? letter : "[" + letter + "=" + value + "]";
  }
}

std::string joined(const std::vector<std::string>& slots) {
  std::string text;
  for (const std::string& slot : slots) text += (text.empty() ? "" : " ") + slot;
  return text;
}

// The signature of the method, from that of the function.
std::string method_of(std::vector<std::string> slots, uint32_t flags) {
  using namespace lua_flag;
  if (flags & no_method) return "-";
  if (flags & flag_by_default) {
    for (std::string& slot : slots) {
      if (slot.compare(0, 3, "[b=") == 0) slot = "<" + slot.substr(1, slot.size() - 2) + ">";
    }
    return joined(slots);
  }
  if (!(flags & (in_place | into_self | accumulates))) return "=";
  slots[0] = slots[0].substr(1, slots[0].size() - 2);  // the result is required
  if (flags & into_self) return joined(slots);
  auto operand = slots.begin();
  while (*operand != "T") ++operand;
  // t:pow(2) is the second power of t, so r:pow(2, t) needs its operand.
  if (*(operand - 1) != "x") *operand = "[T]";
  if (flags & in_place) return joined(slots);
  std::vector<std::string> both = slots;
  slots[1] = "<x=1>";
  for (std::string& slot : both) {
    if (slot == "[x=1]") slot = "x";
  }
  return joined(slots) + " | " + joined(both);
}

struct LuaColumns {
  const char* name;
  uint32_t flags;
};

const std::vector<Row>& rows() {
  using namespace lua_flag;
#define TH_COLUMNS_lua(name, flags) \
  { name, flags }
#define TH_COLUMNS_c_only \
  { "", no_method }
#define TH_OP(name, lua, ...) TH_COLUMNS_##lua,
  static constexpr LuaColumns columns[] = {
#include "THOps.def"
  };
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    for (int k = 0; k < kRows; ++k) {
      const th::OpRow& op = th::row_of(static_cast<th::Op>(k));
      const LuaColumns& lua = columns[k];
      if (!*lua.name) {
        made.push_back({&op, "", lua.flags, "-", "-"});
        continue;
      }
      std::vector<std::string> slots;
      for (const Parameter& p : op) slots.push_back(slot_of(p));
      made.push_back({&op, lua.name, lua.flags, joined(slots), method_of(slots, lua.flags)});
    }
    return made;
  }();
  return all;
}

// The words of the column `derivative`; "formulas" for grad(...), "function" for rule(...).
const char* derivative_of(th::Op op) {
  using th::grad::Derivative;
  switch (th::grad::rule_of(op).derivative) {
    case Derivative::formulas:
      return "formulas";
    case Derivative::function:
      return "function";
    case Derivative::constant:
      return "constant";
    case Derivative::composed:
      return "composed";
    case Derivative::shares:
      return "shares";
    case Derivative::unsupported:
      break;
  }
  return "unsupported";
}

void set_field(lua_State* L, const char* key, const char* value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

}  // namespace

const Row& lua_row(th::Op op) { return rows()[static_cast<int>(op)]; }

int op_table(lua_State* L) {
  lua_createtable(L, kRows, 0);
  for (int k = 0; k < kRows; ++k) {
    const Row& row = row_at(k);
    lua_createtable(L, 0, 10);
    set_field(L, "name", row.op->name);
    set_field(L, "lua", row.lua);
    set_field(L, "family", row.op->family);
    set_field(L, "types", row.op->types_name);
    set_field(L, "typenames", row.op->types);
    set_field(L, "derivative", derivative_of(row.op->op));
    using namespace th::row_flag;
    lua_pushboolean(L, (row.op->flags & (vector_math | varies)) != 0);
    lua_setfield(L, -2, "varies");
    set_field(L, "function", row.function.c_str());
    set_field(L, "method", row.method.c_str());
    std::string doc = row.op->doc;  // the documentation of reductions may end with a blank
    doc.erase(doc.find_last_not_of(' ') + 1);
    set_field(L, "doc", doc.c_str());
    lua_createtable(L, row.op->count, 0);
    int i = 0;
    for (const Parameter& p : *row.op) {
      lua_createtable(L, 0, 3);
      set_field(L, "name", p.name);
      lua_pushboolean(L, p.kind == ParameterKind::inout);
      lua_setfield(L, -2, "inout");
      lua_pushboolean(L, p.is_tensor() || p.kind == ParameterKind::list);
      lua_setfield(L, -2, "tensor");
      lua_rawseti(L, -2, ++i);
    }
    lua_setfield(L, -2, "parameters");
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

}  // namespace bind

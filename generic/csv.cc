// C functions of the CSV reader and writer in lua/extras/formats/csv.lua.

#include "io/csv.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "bindings.h"
#include "files.h"
#include "native.h"

namespace bind {

template <>
const char* Native<th::CsvReader>::key() {
  return "tensor.CsvReader";
}

namespace {

using th::CsvKind;
using th::CsvReader;
using th::CsvStyle;

char character_at(lua_State* L, int index) {
  size_t size = 0;
  const char* text = luaL_checklstring(L, index, &size);
  return size ? *text : 0;
}

void push_texts(lua_State* L, const std::vector<std::string>& texts) {
  lua_newtable(L);
  for (size_t k = 0; k < texts.size(); ++k) {
    lua_pushlstring(L, texts[k].data(), texts[k].size());
    lua_rawseti(L, -2, static_cast<int>(k + 1));
  }
}

// Sets *to to the character at an index, and returns true, unless it is nil.
bool read_character(lua_State* L, int index, char* to) {
  if (lua_isnoneornil(L, index)) return false;
  *to = character_at(L, index);
  return true;
}

// reader(file, separator, quote, comment, decimal, missing, skipped lines, invalid, thousands).
// file: its name, or its bytes as a storage. missing: the strings read as missing values, each
// followed by a newline. invalid: see CsvInvalid. Those that are nil have their defaults, or are
// found in the file. Returns a reader.
int reader(lua_State* L) {
  const char* filename = lua_type(L, 1) == LUA_TSTRING ? check_text(L, 1, "load") : nullptr;
  CsvStyle style;
  style.separator = 0;
  style.find_separator = !read_character(L, 2, &style.separator);
  read_character(L, 3, &style.quote);
  read_character(L, 4, &style.comment);
  style.find_decimal = !read_character(L, 5, &style.decimal);
  const char* missing = lua_isnoneornil(L, 6) ? nullptr : check_text(L, 6, "load");
  int64_t skipped = lua_isnoneornil(L, 7) ? 0 : check_integer(L, 7);
  read_character(L, 9, &style.thousands);
  char invalid = 'e';
  read_character(L, 8, &invalid);
  style.invalid = static_cast<th::CsvInvalid>(invalid);
  auto** box = Native<CsvReader>::push(L);
  Storage* bytes = filename ? nullptr : check_storage(L, state_of(L), 1);
  protect(L, "load", [&] {
    if (!missing) style.missing = th::kCsvMissing;
    for (const char* end; missing && (end = std::strchr(missing, '\n')); missing = end + 1) {
      style.missing.emplace_back(missing, end);
    }
    *box = filename ? th::open_csv(filename, std::move(style), skipped).release()
                    : new CsvReader(bytes, std::move(style), skipped);
  });
  return 1;
}

// head(reader, 'yes' | 'no' | 'auto'): returns the number of columns, and a table of their names if
// there is a header.
int head(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  char which = character_at(L, 2);
  protect(L, "load", [&] {
    csv.read_head(which == 'y'   ? CsvReader::Head::yes
                  : which == 'n' ? CsvReader::Head::no
                                 : CsvReader::Head::found_out);
  });
  push_integer(L, csv.columns());
  if (csv.names().empty()) return 1;
  push_texts(L, csv.names());
  return 2;
}

// size(reader): returns the number of bytes.
int size(lua_State* L) {
  push_integer(L, Native<CsvReader>::check(L, 1).size());
  return 1;
}

// begin(reader, kinds, together, max rows). kinds: one letter per column (see CsvKind). together:
// the columns are stored as the rows of one storage.
int begin(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  size_t count = 0;
  const char* letters = luaL_checklstring(L, 2, &count);
  bool together = lua_toboolean(L, 3);
  int64_t rows = lua_isnoneornil(L, 4) ? INT64_MAX : check_integer(L, 4);
  protect(L, "load", [&] {
    std::vector<CsvKind> kinds;
    for (size_t k = 0; k < count; ++k) kinds.push_back(static_cast<CsvKind>(letters[k]));
    csv.begin(kinds, together, rows);
  });
  return 0;
}

// run(reader, bytes): reads about that many bytes. Returns true at the end of the data, and the
// byte position.
int run(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  int64_t bytes = check_integer(L, 2);
  bool done = false;
  protect(L, "load", [&] { done = csv.run(bytes); });
  lua_pushboolean(L, done);
  push_integer(L, csv.position());
  return 2;
}

DType type_named(const char* name) {
  for (int k = 0; k < th::kDTypes; ++k) {
    if (std::strcmp(th::kDTypeInfos[k].name, name) == 0) return static_cast<DType>(k);
  }
  th::fail("unknown element type %s", name);
}

// column(reader, column [, element type]): returns the number of rows, and a storage of numbers or
// a table of strings. The type, such as "Float", is that of the numbers; by default Long or Double.
int column(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  int64_t k = check_index(L, 2, "a column");
  if (k < 0 || static_cast<size_t>(k) >= csv.columns())
    return argument_error(L, 2, "invalid column number");
  auto which = static_cast<size_t>(k);
  const char* wanted = luaL_optstring(L, 3, nullptr);
  push_integer(L, csv.rows());
  if (csv.kind(which) != CsvKind::text) {
    Storage* storage = nullptr;
    protect(L, "load", [&] {
      storage =
          (wanted ? th::csv_numbers(csv, which, type_named(wanted)) : csv.numbers(which)).release();
    });
    push_storage(L, state_of(L), storage);
    return 2;
  }
  lua_createtable(L, static_cast<int>(csv.rows()), 0);
  for (int64_t row = 0; row < csv.rows(); ++row) {
    const std::string& text = csv.text(which, row);
    lua_pushlstring(L, text.data(), text.size());
    lua_rawseti(L, -2, static_cast<int>(row + 1));
  }
  return 2;
}

// dates(reader, column): returns the number of rows, and a DoubleStorage of the dates of a column
// of text.
int dates(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  int64_t k = check_index(L, 2, "a column");
  if (k < 0 || static_cast<size_t>(k) >= csv.columns() ||
      csv.kind(static_cast<size_t>(k)) != CsvKind::text) {
    return argument_error(L, 2, "a column of text is expected");
  }
  push_integer(L, csv.rows());
  Storage* storage = nullptr;
  protect(L, "load", [&] { storage = csv.dates(static_cast<size_t>(k)).release(); });
  push_storage(L, state_of(L), storage);
  return 2;
}

// rows(storage, first, count, columns, separator): formats rows as text; returns a CharStorage.
int rows(lua_State* L) {
  collect_under_pressure(L, state_of(L));
  Storage* storage = check_storage(L, state_of(L), 1);
  int64_t first = check_index(L, 2, "a row"), count = check_integer(L, 3);
  int64_t columns = check_integer(L, 4);
  char separator = character_at(L, 5);
  Storage* text = nullptr;
  protect(L, "save", [&] {
    Pinned pinned(storage);
    text = th::csv_rows(storage, first, count, columns, separator).release();
  });
  push_storage(L, state_of(L), text);
  return 1;
}

// number(storage, index): formats one element; returns a string.
int number(lua_State* L) {
  Storage* storage = check_storage(L, state_of(L), 1);
  int64_t index = check_index(L, 2, "an element");
  if (index < 0 || index >= storage->size) return argument_error(L, 2, "invalid element index");
  char digits[th::kCsvDigits];
  size_t size = 0;
  protect(L, "save", [&] { size = th::csv_number(storage, index, digits); });
  lua_pushlstring(L, digits, size);
  return 1;
}

// field(text, separator): returns the text as a field, in quotes if necessary.
int field(lua_State* L) {
  size_t size = 0;
  const char* text = luaL_checklstring(L, 1, &size);
  char separator = character_at(L, 2);
  if (th::is_plain_csv(text, size, separator)) return return_self(L);
  auto** box = Native<std::string>::push(L);
  protect(L, "save",
          [&] { *box = new std::string(th::csv_field(std::string(text, size), separator)); });
  lua_pushlstring(L, (*box)->data(), (*box)->size());
  return 1;
}

// separator(filename [, separator]): returns the separator of a file that is written.
int separator(lua_State* L) {
  const char* filename = check_text(L, 1, "save");
  char chosen = 0;
  read_character(L, 2, &chosen);
  protect(L, "save", [&] { chosen = th::csv_separator(filename, chosen); });
  lua_pushlstring(L, &chosen, 1);
  return 1;
}

// is_missing(value): whether a value is a string that load reads as missing by default.
int is_missing(lua_State* L) {
  size_t length = 0;
  const char* text = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &length) : nullptr;
  const auto same = [&](const std::string& m) {
    return m.size() == length && std::memcmp(m.data(), text, length) == 0;
  };
  lua_pushboolean(L, text && std::any_of(th::kCsvMissing.begin(), th::kCsvMissing.end(), same));
  return 1;
}

const Method functions[] = {{"reader", guarded<reader>}, {"head", guarded<head>},
                            {"size", guarded<size>},     {"begin", guarded<begin>},
                            {"run", guarded<run>},       {"column", guarded<column>},
                            {"rows", guarded<rows>},     {"number", guarded<number>},
                            {"field", guarded<field>},   {"separator", guarded<separator>},
                            {"dates", guarded<dates>},   {"is_missing", guarded<is_missing>}};

}  // namespace

void register_csv_functions(lua_State* L, int module) {
  set_function_table(L, functions, module, "_csv");
}

}  // namespace bind

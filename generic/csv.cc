// C functions of the CSV reader and writer in lua/extras/formats/csv.lua.

#include "io/csv.h"

#include <cstring>

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

// _csvreader(bytes, separator, quote, comment, decimal, missing, skipped lines, invalid). missing:
// the strings read as missing values, each followed by a newline. invalid: see CsvInvalid.
int reader(lua_State* L) {
  Storage* bytes = check_storage(L, state_of(L), 1);
  CsvStyle style;
  style.separator = character_at(L, 2);
  style.quote = character_at(L, 3);
  style.comment = character_at(L, 4);
  style.decimal = character_at(L, 5);
  const char* missing = check_text(L, 6, "load");
  int64_t skipped = check_integer(L, 7);
  const char invalid = lua_isnoneornil(L, 8) ? 'e' : character_at(L, 8);
  style.invalid = invalid == 'n'   ? th::CsvInvalid::nan
                  : invalid == 't' ? th::CsvInvalid::text
                                   : th::CsvInvalid::error;
  auto** box = Native<CsvReader>::push(L);
  protect(L, "load", [&] {
    for (const char* end; (end = std::strchr(missing, '\n')); missing = end + 1) {
      style.missing.emplace_back(missing, end);
    }
    *box = new CsvReader(bytes, style, skipped);
  });
  return 1;
}

// _csvhead(reader, 'yes' | 'no' | 'auto'): returns the number of columns, and a table of their
// names if there is a header.
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
  lua_newtable(L);
  for (size_t k = 0; k < csv.names().size(); ++k) {
    lua_pushlstring(L, csv.names()[k].data(), csv.names()[k].size());
    lua_rawseti(L, -2, static_cast<int>(k + 1));
  }
  return 2;
}

// _csvbegin(reader, kinds, together, max rows). kinds: one letter per column (see CsvKind).
// together: the columns are stored as the rows of one storage.
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

// _csvrun(reader, bytes): reads about that many bytes. Returns true at the end of the data, and the
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

// _csvcolumn(reader, column): returns the number of rows, and a storage of numbers or a table of
// strings.
int column(lua_State* L) {
  CsvReader& csv = Native<CsvReader>::check(L, 1);
  int64_t k = check_index(L, 2, "a column");
  if (k < 0 || static_cast<size_t>(k) >= csv.columns())
    return argument_error(L, 2, "invalid column number");
  auto which = static_cast<size_t>(k);
  push_integer(L, csv.rows());
  if (csv.kind(which) != CsvKind::text) {
    Storage* storage = nullptr;
    protect(L, "load", [&] { storage = csv.numbers(which).release(); });
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

// _csvrows(storage, first, count, columns, separator): formats rows as text; returns a CharStorage.
int rows(lua_State* L) {
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

// _csvnumber(storage, index): formats one element; returns a string.
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

const Method functions[] = {
    {"_csvreader", guarded<reader>}, {"_csvhead", guarded<head>},     {"_csvbegin", guarded<begin>},
    {"_csvrun", guarded<run>},       {"_csvcolumn", guarded<column>}, {"_csvrows", guarded<rows>},
    {"_csvnumber", guarded<number>},
};

}  // namespace

void register_csv_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind

#ifndef TH_GENERIC_FILE

// C functions of tables as text.

#include "TH.h"

#include <memory>

#include "generic/bridge.h"
#include "io/csv.h"
#include "io/file_format.h"

// A table that has been read. Columns of numbers are moved out of the reader, so that they can be
// read several times.
struct THCsvTable {
  std::unique_ptr<th::CsvReader> reader;
  std::vector<th::TensorRef> numbers;  // null: text
};

namespace th {
namespace {

THCsvTable& csv_table(const THCsvTable* self, int argument = 1) {
  if (!self) fail_argument(argument, "a table is expected, got NULL");
  return *const_cast<THCsvTable*>(self);
}
size_t csv_column(const THCsvTable& table, int64_t column, int argument) {
  const size_t count = table.numbers.size();
  if (column < 0 || static_cast<uint64_t>(column) >= count) {
    fail_argument(argument, "column %lld is out of range: the table has %zu", as_long(column),
                  count);
  }
  return static_cast<size_t>(column);
}
const std::string* csv_name(const THCsvTable& table, size_t column) {
  const std::vector<std::string>& names = table.reader->names();
  return column < names.size() ? &names[column] : nullptr;
}

CsvStyle csv_style(const THCsvOptions& options) {
  CsvStyle style;
  style.separator = options.separator;
  style.find_separator = !options.separator;
  style.find_decimal = !options.decimal;
  if (options.decimal) style.decimal = options.decimal;
  style.quote = options.quote;
  style.comment = options.comment;
  style.thousands = options.thousands;
  style.missing = kCsvMissing;
  if (options.missing) {
    style.missing.assign(options.missing, options.missing + options.missingCount);
  }
  if (!options.invalid || !std::strchr("ent", options.invalid)) {
    fail("the option invalid must be 'e', 'n' or 't', got '%c'", options.invalid);
  }
  style.invalid = static_cast<CsvInvalid>(options.invalid);
  if (options.skip < 0) fail("the option skip must not be negative");
  return style;
}

std::unique_ptr<CsvReader> read_csv(const char* filename, const THCsvOptions* given, CsvKind kind,
                                    bool together) {
  if (!filename) fail_argument(together ? 2 : 1, "a file name is expected, got NULL");
  THCsvOptions options;
  THCsvOptions_init(&options);
  if (given) options = *given;
  auto reader = open_csv(filename, csv_style(options), options.skip);
  with_file_name(filename, [&] {
    reader->read_head(options.header > 0    ? CsvReader::Head::yes
                      : options.header == 0 ? CsvReader::Head::no
                                            : CsvReader::Head::found_out);
    const std::vector<CsvKind> kinds(reader->columns(), kind);
    reader->begin(kinds, together, options.rows < 0 ? INT64_MAX : options.rows);
    while (!reader->run(INT64_MAX)) {
    }
  });
  return reader;
}

// Makes t a vector, or a matrix, of numbers.
void set_csv_numbers(Tensor* t, Storage* numbers, int ndim, const int64_t* size) {
  TensorRef made(tensor_new(t->dtype));
  set_storage(made.get(), numbers, 0, ndim, size, nullptr);
  views::set(t, made.get());
  expose_to_c(t);
}

THCsvTable* new_csv_table(const char* filename, const THCsvOptions* options) {
  auto table = std::make_unique<THCsvTable>();
  table->reader = read_csv(filename, options, CsvKind::any, false);
  CsvReader& reader = *table->reader;
  const int64_t rows = reader.rows();
  table->numbers.resize(reader.columns());
  for (size_t k = 0; k < reader.columns(); ++k) {
    if (reader.kind(k) == CsvKind::text) continue;
    StorageRef numbers = reader.numbers(k);
    table->numbers[k] = vector_of(numbers.get(), 0, rows);
  }
  return table.release();
}

void read_csv_column(Tensor* t, const THCsvTable& table, int64_t column) {
  const size_t k = csv_column(table, column, 3);
  const TensorRef& numbers = table.numbers[k];
  if (!numbers) fail_argument(3, "column %zu is text", k);
  StorageRef converted = csv_converted(*table.reader, k, numbers->storage, t->dtype);
  set_csv_numbers(t, converted.get(), 1, numbers->size);
}

void read_csv_dates(Tensor* t, const THCsvTable& table, int64_t column) {
  const size_t k = csv_column(table, column, 3);
  if (table.numbers[k]) fail_argument(3, "column %zu has numbers", k);
  const int64_t rows = table.reader->rows();
  StorageRef seconds = table.reader->dates(k);
  StorageRef converted = csv_converted(*table.reader, k, seconds.get(), t->dtype);
  set_csv_numbers(t, converted.get(), 1, &rows);
}

void load_csv(Tensor* t, const char* filename, const THCsvOptions* options) {
  const CsvKind kind = is_integral(t->dtype) ? CsvKind::integer : CsvKind::real;
  auto reader = read_csv(filename, options, kind, true);
  const int64_t size[] = {reader->rows(), static_cast<int64_t>(reader->columns())};
  StorageRef numbers = with_file_name(filename, [&] { return csv_numbers(*reader, 0, t->dtype); });
  set_csv_numbers(t, numbers.get(), 2, size);
}

void save_csv_of(Tensor* t, const char* filename, const char* const* names, int64_t count) {
  if (!t) fail_argument(1, "a tensor is expected, got NULL");
  if (!filename) fail_argument(2, "a file name is expected, got NULL");
  if (names ? count < 0 : count != 0) {
    fail_argument(4, "%lld names are passed as %s", as_long(count), names ? "a list" : "NULL");
  }
  std::vector<std::string> list;
  for (int64_t k = 0; k < count; ++k) {
    if (!names[k]) fail_argument(3, "name %lld is NULL", as_long(k));
    list.emplace_back(names[k]);
  }
  save_csv(filename, t, names ? &list : nullptr);
}

}  // namespace
}  // namespace th

extern "C" {

void THCsvOptions_init(THCsvOptions* self) {
  *self = {0, 0, '"', 0, -1, 0, -1, 'e', nullptr, 0, 0};
}
THCsvTable* THCsvTable_new(const char* filename, const THCsvOptions* options) {
  return th::guard([&] { return th::new_csv_table(filename, options); });
}
void THCsvTable_free(THCsvTable* self) {
  th::guard([&] { delete self; });
}
int64_t THCsvTable_rows(const THCsvTable* self) {
  return th::guard([&] { return th::csv_table(self).reader->rows(); });
}
int64_t THCsvTable_columns(const THCsvTable* self) {
  return th::guard([&] { return static_cast<int64_t>(th::csv_table(self).numbers.size()); });
}
const char* THCsvTable_name(const THCsvTable* self, int64_t column) {
  return th::guard([&] {
    THCsvTable& table = th::csv_table(self);
    const std::string* name = th::csv_name(table, th::csv_column(table, column, 2));
    return name ? name->c_str() : "";
  });
}
int64_t THCsvTable_find(const THCsvTable* self, const char* name) {
  return th::guard([&]() -> int64_t {
    const std::vector<std::string>& names = th::csv_table(self).reader->names();
    if (!name) th::fail_argument(2, "a name is expected, got NULL");
    auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : found - names.begin();
  });
}
int THCsvTable_isText(const THCsvTable* self, int64_t column) {
  return th::guard([&] {
    THCsvTable& table = th::csv_table(self);
    return table.numbers[th::csv_column(table, column, 2)] ? 0 : 1;
  });
}
const char* THCsvTable_text(THCsvTable* self, int64_t column, int64_t row) {
  return th::guard([&] {
    THCsvTable& table = th::csv_table(self);
    const size_t k = th::csv_column(table, column, 2);
    if (table.numbers[k]) th::fail_argument(2, "column %zu has numbers", k);
    if (row < 0 || row >= table.reader->rows()) {
      th::fail_argument(3, "row %lld is out of range: the table has %lld", th::as_long(row),
                        th::as_long(table.reader->rows()));
    }
    return table.reader->text(k, row).c_str();
  });
}
}

#define TH_GENERIC_FILE "generic/THCsv.cc"
#include "THGenerateEveryType.h"

#else

extern "C" {

void THTensor_(readColumn)(THTensor* self, THCsvTable* table, int64_t column) {
  th::guard([&] {
    if (!self) th::fail_argument(1, "a tensor is expected, got NULL");
    th::read_csv_column(th::erase_tensor(self), th::csv_table(table, 2), column);
  });
}
void THTensor_(readDates)(THTensor* self, THCsvTable* table, int64_t column) {
  th::guard([&] {
    if (!self) th::fail_argument(1, "a tensor is expected, got NULL");
    th::read_csv_dates(th::erase_tensor(self), th::csv_table(table, 2), column);
  });
}
void THTensor_(loadCsv)(THTensor* self, const char* filename, const THCsvOptions* options) {
  th::guard([&] {
    if (!self) th::fail_argument(1, "a tensor is expected, got NULL");
    th::load_csv(th::erase_tensor(self), filename, options);
  });
}
void THTensor_(saveCsv)(THTensor* self, const char* filename, const char* const* names,
                        int64_t count) {
  th::guard([&] { th::save_csv_of(th::erase_tensor(self), filename, names, count); });
}
}

#endif

#ifndef TH_IO_CSV_H
#define TH_IO_CSV_H

// Tables as text: records in lines, their fields between separators.

#include <cstdint>
#include <string>
#include <vector>

#include "memory/visibility.h"
#include "tensor/storage.h"

namespace th TH_VISIBLE {

struct CsvStyle {
  char separator = ',', quote = '"', comment = 0, decimal = '.';  // 0: there is none
  std::vector<std::string> missing;                               // what stands for no number
};

// What the fields of a column become. Of `any`: integers, or, where one is none, doubles, or, where
// one is no number, text.
enum class CsvKind : char { any = 'a', integer = 'l', real = 'd', text = 't', none = '-' };

class CsvReader {
 public:
  CsvReader(Storage* bytes, CsvStyle style, int64_t skipped_lines);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  enum class Head { no, yes, found_out };
  // Finds the number of columns; of a head, which is left behind, their names.
  void read_head(Head head);
  size_t columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }

  // One kind for each column; together: they become rows of one storage, of one kind.
  void begin(const std::vector<CsvKind>& kinds, bool together, int64_t most_rows);
  // Goes on for about that many bytes; whether all is read.
  bool run(int64_t bytes);
  int64_t position() const { return at_ - begin_; }

  int64_t rows() const { return rows_; }
  CsvKind kind(size_t column) const { return fields_.at(column).kind; }
  // Of numbers; of all columns where they are together.
  StorageRef numbers(size_t column);
  // Valid until the next call.
  const std::string& text(size_t column, int64_t row);

 private:
  // The elements of a column, or of all. Of a text: where its field begins and ends.
  struct Column {
    CsvKind kind = CsvKind::none;
    bool fixed = true;  // what is of no such kind is an error
    StorageRef storage;
    int64_t count = 0;
    char* data = nullptr;
    void start(DType type, int64_t expected);
    void reserve();
    template <class T>
    void add(T value) {
      if (count == storage->size) reserve();
      reinterpret_cast<T*>(data)[count++] = value;
    }
    void make_real();
  };

  const char* read_record();
  const char* read_field(Column& column, Column& target, const char* p);
  const char* read_slowly(Column& column, Column& target, const char* p);
  const char* end_of_field(const char* p);
  const char* end_of_line(const char* p) const;
  bool skip_to_record();
  bool ends_field(const char* p) const {
    return p == end_ || *p == style_.separator || *p == '\n' || *p == '\r';
  }
  // Sets field_ to what the field says, without quotes.
  void unquote(const char* p, const char* end);
  void trim();  // field_
  bool is_missing() const;
  bool parse_real(double* value);
  bool parse_integer(int64_t* value) const;
  [[noreturn]] void fail_at(const char* p, const char* what);

  CsvStyle style_;
  bool plain_ = true;  // a number is what from_chars says
  StorageRef bytes_;
  const char *begin_, *at_, *end_, *first_record_ = nullptr;
  int64_t line_ = 1, first_line_ = 1;
  size_t columns_ = 0, column_ = 0;
  std::vector<std::string> names_;
  std::vector<Column> fields_;
  Column all_;
  bool together_ = false, again_ = false;
  int64_t rows_ = 0, most_rows_ = INT64_MAX;
  std::string field_;
};

// No number takes more characters.
constexpr size_t kCsvDigits = 32;
// The elements from first on as text that reads as the same numbers, as short as it may be, in rows
// of that many columns; and one alone, how many characters it takes.
StorageRef csv_rows(Storage* storage, int64_t first, int64_t count, int64_t columns,
                    char separator);
size_t csv_number(Storage* storage, int64_t index, char* text);

}  // namespace TH_VISIBLE

#endif

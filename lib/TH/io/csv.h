#ifndef TH_IO_CSV_H
#define TH_IO_CSV_H

// Tables as text: one record per line, with fields between separators.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/visibility.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// The treatment of text in a column of numbers, or below numbers in a column of any type.
enum class CsvInvalid : char {
  error = 'e',
  nan = 'n',
  text = 't'  // the column becomes text; an error if its type is set
};

struct CsvStyle {
  // A blank stands for runs of blanks and tabs. Those at the beginning and end of a line do not
  // separate fields.
  char separator = ',', quote = '"', comment = 0, decimal = '.';  // 0: none
  char thousands = 0;                                             // between groups of three digits
  CsvInvalid invalid = CsvInvalid::error;
  std::vector<std::string> missing;  // texts that mean NaN
  // Look for another separator, and with it for the decimal point: ';', with ',' as the decimal
  // point if numbers have it, as spreadsheets write in many languages, or a tab.
  bool find_separator = false, find_decimal = false;
};
// Error: characters that exclude each other.
void check_csv_style(const CsvStyle& style);
// Errors: the text begins like a compressed file or UTF-16, or one of its first bytes is NUL and
// not in quotes.
void check_csv_text(const char* text, size_t size, char quote);
// Sets the separator and the decimal point as above. bytes: a table from its first record on.
// Returns false if the first lines have neither, or have commas that may be the separators.
bool find_csv_separator(const char* bytes, size_t size, CsvStyle* style);
// Returns true if a field in quotes beside a comma is a number with a decimal comma.
bool has_quoted_decimals(const char* bytes, size_t size, const CsvStyle& style);
// Removes the separators between groups of three digits at the beginning of a number. Returns true
// if it has some.
bool remove_thousands(std::string* text, char thousands);
// Returns true if a text is a number with thousands separators or a decimal comma.
bool has_other_number_style(const std::string& text);
// The texts that mean NaN by default.
extern const std::vector<std::string> kCsvMissing;

// The type of a column. `any` tries integers, then doubles, then text.
enum class CsvKind : char { any = 'a', integer = 'l', real = 'd', text = 't', none = '-' };

class CsvReader {
 public:
  CsvReader(Storage* bytes, CsvStyle style, int64_t skipped_lines);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  enum class Head { no, yes, found_out };
  // Finds the separator if the style requests it, and the number of columns. If there is a header,
  // reads the names and skips it.
  void read_head(Head head);
  size_t columns() const { return columns_; }
  const std::vector<std::string>& names() const { return names_; }

  // Starts reading. kinds: one for each column. together: all columns have one kind and become the
  // rows of one storage.
  void begin(const std::vector<CsvKind>& kinds, bool together, int64_t most_rows);
  // Reads about `bytes` bytes. Returns true if the end is reached.
  bool run(int64_t bytes);
  int64_t position() const { return at_ - begin_; }
  int64_t size() const { return end_ - begin_; }

  int64_t rows() const { return rows_; }
  CsvKind kind(size_t column) const { return fields_.at(column).kind; }
  // Returns the numbers of a column, or of all columns if they are together.
  StorageRef numbers(size_t column);
  // The reference is valid until the next call.
  const std::string& text(size_t column, int64_t row);
  // Returns a column of text that contains dates as seconds from 1970-01-01 00:00 UTC. Missing
  // values are NaN. Other text is an error, or NaN if the style requests it.
  StorageRef dates(size_t column);
  // An error about the number at an index of numbers(column).
  [[noreturn]] void fail_out_of_range(size_t column, int64_t index, DType type);

 private:
  // The elements of one or all columns. For text: begin and end of each field.
  struct Column {
    CsvKind kind = CsvKind::none;
    bool fixed = true;        // other contents are an error
    bool found_text = false;  // text only because its first field is not a number
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
    bool has_number() const;
  };

  void start();
  const char* read_first_record(Head head);  // returns where it begins
  const char* read_record();
  bool is_first_field_bad(const Column& column);
  bool find_bad_first_fields();
  const char* read_field(Column& column, Column& target, const char* p);
  const char* read_slowly(Column& column, Column& target, const char* p);
  const char* end_of_field(const char* p);
  const char* end_of_line(const char* p) const;
  const char* skip_blanks(const char* p) const;
  const char* skip_run(const char* p) const;
  bool skip_to_record();
  bool is_separator(char c) const { return c == style_.separator || c == other_separator_; }
  bool ends_field(const char* p) const {
    return p == end_ || ends_field_[static_cast<unsigned char>(*p)];
  }
  // Moves from the end of a field to the next one. Returns false if the record has no more.
  bool skip_separator(const char** p) const {
    if (*p == end_ || !is_separator(**p)) return false;
    if (!separates_by_runs()) return ++*p, true;
    *p = skip_run(*p);
    return !ends_field(*p);
  }
  bool separates_by_runs() const { return style_.separator == ' '; }
  // Sets field_ to the contents of the field, without quotes.
  void unquote(const char* p, const char* end);
  void trim();  // field_
  bool is_missing() const;
  bool parse_real(double* value);
  // A real number keeps its sign: "-0" is an integer only if accepts_minus_zero is true.
  bool parse_integer(int64_t* value, bool accepts_minus_zero);
  // An error of the field from p to end.
  [[noreturn]] void fail_at(const char* p, const char* end, const char* what);
  // The same for a field that was read before.
  [[noreturn]] void fail_at_earlier(const char* p, size_t column, const char* what);

  CsvStyle style_;
  char comment_ = '\n';         // begins a comment; a line feed if nothing does
  char other_separator_ = ',';  // a tab if runs of blanks separate fields
  bool ends_field_[256] = {};   // for each character
  int64_t skipped_lines_;
  bool plain_ = true;  // numbers have the syntax of from_chars
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

// Opens a file. If the style has no separator and requests to find it, it begins with that of the
// extension. Messages of errors begin with the name. Errors: a file that cannot be read, or is
// empty.
std::unique_ptr<CsvReader> open_csv(const char* filename, CsvStyle style, int64_t skipped_lines);
// Returns numbers that a reader returned for a column in an element type, as a new storage. Error:
// integers out of its range.
StorageRef csv_converted(CsvReader& reader, size_t column, Storage* numbers, DType type);
// Returns the numbers of a column, or of all columns if they are together, in an element type.
StorageRef csv_numbers(CsvReader& reader, size_t column, DType type);

// Returns true if a text is a field as it is. Returns a text as a field, in quotes if necessary.
bool is_plain_csv(const char* text, size_t size, char separator);
std::string csv_field(const std::string& text, char separator);
// Returns the separator of a file that is written: `chosen`, or if it is 0, that of the extension.
// Error: a character that cannot separate fields.
char csv_separator(const char* filename, char chosen);
// Writes a table, with a line of names if they are not null. t: a matrix, or a vector as one
// column. Errors: other shapes; another number of names.
void save_csv(const char* filename, Tensor* t, const std::vector<std::string>* names);

// Maximum length of a number.
constexpr size_t kCsvDigits = 32;
// csv_rows: formats `count` elements, starting with `first`, in rows of `columns`. Each number is
// the shortest text that reads back as the same value. csv_number: formats one element and returns
// its length.
StorageRef csv_rows(Storage* storage, int64_t first, int64_t count, int64_t columns,
                    char separator);
size_t csv_number(Storage* storage, int64_t index, char* text);

}  // namespace TH_VISIBLE

#endif

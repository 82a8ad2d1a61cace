// Finds the separator and the decimal point of a table, and checks the characters of a style.

#include <algorithm>
#include <string>

#include "base/error.h"
#include "io/ascii.h"
#include "io/csv.h"
#include "io/file_format.h"

namespace th {

const std::vector<std::string> kCsvMissing = {"",    "NA",   "N/A",  "NaN",
                                              "nan", "NULL", "null", "None"};

namespace {

constexpr size_t kHead = 4096;  // bytes in which a separator or NUL is searched

// c: a character of the style, or 0. excluded: the characters that it must differ from.
void check_character(const char* name, char c, const std::string& excluded) {
  const bool is_part =
      is_ascii_digit(c) || is_ascii_letter(c) || (is_ascii_space(c) && c != ' ' && c != '\t');
  if (c && (is_part || excluded.find(c) != std::string::npos)) {
    fail("%s cannot be \"%c\"", name, c);
  }
}

// Returns the end of a run of digits.
size_t skip_digits(const std::string& text, size_t at) {
  while (at < text.size() && is_ascii_digit(text[at])) ++at;
  return at;
}

size_t skip_sign(const std::string& text, size_t at) {
  return at + (text[at] == '+' || text[at] == '-');
}

// Returns true if a text is a number with this decimal point: digits on both sides of it, and
// nothing else but a sign and an exponent.
bool is_decimal(const std::string& text, char point) {
  size_t first = skip_sign(text, 0), end = skip_digits(text, first);
  if (end == first || text[end] != point) return false;
  first = end + 1;
  end = skip_digits(text, first);
  if (end > first && (text[end] == 'e' || text[end] == 'E')) {
    first = skip_sign(text, end + 1);
    end = skip_digits(text, first);
  }
  return end > first && end == text.size();
}

// Returns true if a field between semicolons is a number with this decimal point.
bool has_decimals(const std::string& lines, char point, char thousands) {
  for (size_t at = 0, end; at < lines.size(); at = end + 1) {
    end = std::min(lines.find_first_of(";\r\n", at), lines.size());
    std::string field = lines.substr(at, end - at);
    field.erase(field.find_last_not_of(" \t\"") + 1);
    field.erase(0, field.find_first_not_of(" \t\""));
    if (thousands) remove_thousands(&field, thousands);
    if (is_decimal(field, point)) return true;
  }
  return false;
}

// The number of separators in each line of `text`, without those in quotes and comments. Lines
// without fields do not count.
std::vector<size_t> count_in_lines(const std::string& text, const CsvStyle& style, char separator) {
  std::vector<size_t> counts(1);
  bool quoted = false, commented = false, is_empty = true;
  for (char c : text) {
    if (!quoted && (c == '\n' || c == '\r')) {
      counts.back() = is_empty ? 0 : counts.back();
      if (!is_empty) counts.push_back(0);
      commented = false;
      is_empty = true;
    }
    commented = commented || (style.comment && c == style.comment && !quoted);
    if (commented) continue;
    if (c == style.quote) quoted = !quoted;
    is_empty = is_empty && is_ascii_space(c) && c != separator;
    if (!quoted && c == separator) ++counts.back();
  }
  counts.pop_back();
  return counts;
}

// Returns true if each of the first lines has as many of these separators, and at least one.
bool is_in_each_line(const std::string& text, const CsvStyle& style, char separator) {
  const std::vector<size_t> counts = count_in_lines(text, style, separator);
  return !counts.empty() && counts[0] > 0 &&
         std::all_of(counts.begin(), counts.end(), [&](size_t n) { return n == counts[0]; });
}

}  // namespace

void check_csv_style(const CsvStyle& style) {
  const std::string separator(1, style.separator), quote(1, style.quote);
  check_character("separator", style.separator, "\"+-.");
  check_character("quote", style.quote, separator);
  check_character("comment", style.comment, separator + quote + style.decimal + "+-.");
  // Numbers with decimal commas are in quotes if commas separate fields.
  check_character("decimal", style.decimal, (style.decimal == ',' ? "" : separator) + quote);
  check_character("thousands", style.thousands, quote + style.comment + style.decimal + "+-");
}

bool has_quoted_decimals(const char* bytes, size_t size, const CsvStyle& style) {
  const std::string lines(bytes, std::min(kHead, size));
  const auto is_comma = [&](size_t at) { return at < lines.size() && lines[at] == ','; };
  if (!style.quote) return false;
  for (size_t at = 0; (at = lines.find(style.quote, at)) != std::string::npos; ++at) {
    const size_t end = lines.find(style.quote, at + 1);
    if (end == std::string::npos || !(is_comma(end + 1) || (at > 0 && is_comma(at - 1)))) continue;
    std::string field = lines.substr(at + 1, end - at - 1);
    if (style.thousands) remove_thousands(&field, style.thousands);
    if (is_decimal(field, ',')) return true;
  }
  return false;
}

void check_csv_text(const char* text, size_t size, char quote) {
  const std::string head(text, std::min(kHead, size));
  for (const char* mark : {"\xff\xfe", "\xfe\xff"}) {
    if (head.compare(0, 2, mark) == 0) fail("the text is UTF-16; UTF-8 is expected");
  }
  constexpr const char* kCompressed[][2] = {{"\x1f\x8b", "gzip"},
                                            {"PK\3\4", "ZIP"},
                                            {"BZh91AY&SY", "bzip2"},
                                            {"\3757zXZ", "xz"},
                                            {"\x28\xb5\x2f\xfd", "zstd"}};
  for (const auto& [mark, format] : kCompressed) {
    if (head.rfind(mark, 0) == 0) {
      fail("the file is compressed in the format %s, and text is expected", format);
    }
  }
  // Text in quotes may contain NUL.
  bool is_quoted = false;
  for (size_t at = 0; at < head.size(); ++at) {
    if (quote && head[at] == quote) is_quoted = !is_quoted;
    if (head[at] == '\0' && !is_quoted) {
      fail("byte %zu is NUL: the file is not text, or is UTF-16; UTF-8 is expected", at + 1);
    }
  }
}

bool remove_thousands(std::string* text, char thousands) {
  constexpr size_t kGroup = 3;
  const size_t first = skip_sign(*text, 0);
  size_t end = skip_digits(*text, first), begin;
  if (end == first || end - first > kGroup || (*text)[end] != thousands) return false;
  while (end < text->size() && (*text)[end] == thousands) {
    begin = end + 1;
    end = skip_digits(*text, begin);
    if (end - begin != kGroup) return false;
  }
  const auto from = text->begin();
  text->erase(std::remove(from, from + static_cast<ptrdiff_t>(end), thousands),
              from + static_cast<ptrdiff_t>(end));
  return true;
}

bool has_other_number_style(const std::string& text) {
  for (const char* marks : {",.", ".,"}) {
    std::string number = text;
    const bool is_grouped = remove_thousands(&number, marks[0]);
    if (is_decimal(number, marks[1])) return true;
    if (is_grouped && skip_digits(number, skip_sign(number, 0)) == number.size()) return true;
  }
  return false;
}

bool find_csv_separator(const char* bytes, size_t size, CsvStyle* style) {
  std::string lines(bytes, std::min(kHead, size));
  const size_t last_line = lines.find_last_of("\r\n");
  if (size > kHead && last_line != std::string::npos) lines.resize(last_line);
  lines += '\n';
  std::string ends = "\r\n";
  if (style->comment) ends += style->comment;
  const std::string line = lines.substr(0, lines.find_first_of(ends));
  if (line.find(style->separator) != std::string::npos && style->separator != ',') return false;
  // If the first line has commas, too, a tab in each line separates, and semicolons do unless the
  // commas may: all lines have as many, and they are not decimal points.
  const bool has_commas = line.find(',') != std::string::npos;
  const bool by_commas = has_commas && is_in_each_line(lines, *style, ',');
  const auto separates = [&](char c) {
    if (c == style->quote || c == style->comment || line.find(c) == std::string::npos) return false;
    if (!has_commas || style->separator != ',') return true;
    const bool commas_may = c == ';' && by_commas && !has_decimals(lines, ',', style->thousands);
    return is_in_each_line(lines, *style, c) && !commas_may;
  };
  if (separates(';')) {
    const char thousands = style->thousands;
    const bool comma = thousands != ',' && has_decimals(lines, ',', thousands) &&
                       !has_decimals(lines, '.', thousands);
    style->separator = ';';
    if (style->find_decimal && thousands != '.') style->decimal = comma ? ',' : '.';
    return true;
  }
  if (!separates('\t')) return false;
  style->separator = '\t';
  return true;
}

char csv_separator(const char* filename, char chosen) {
  check_character("separator", chosen, "\"+-.");
  return chosen ? chosen : extension_of(filename) == "tsv" ? '\t' : ',';
}

}  // namespace th

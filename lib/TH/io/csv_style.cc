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

constexpr size_t kHead = 4096;  // bytes in which a separator is searched

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

// Returns true if numbers have this decimal point: digits on both sides of it and, if `enclosed` is
// set, nothing else in the field.
bool has_decimals(const std::string& text, char point, bool enclosed) {
  auto ends_field = [](char c) { return is_ascii_space(c) || c == ';' || c == '"'; };
  for (size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != point || !is_ascii_digit(text[at - 1]) || !is_ascii_digit(text[at + 1]))
      continue;
    if (!enclosed) return true;
    size_t begin = at, end = skip_digits(text, at + 1);
    while (begin > 0 && is_ascii_digit(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == '-') --begin;
    if (begin > 0 && ends_field(text[begin - 1]) && end < text.size() && ends_field(text[end])) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check_csv_style(const CsvStyle& style) {
  const std::string separator(1, style.separator), quote(1, style.quote);
  check_character("separator", style.separator, "\"+-.");
  check_character("quote", style.quote, separator);
  check_character("comment", style.comment, separator + quote + style.decimal + "+-.");
  check_character("decimal", style.decimal, separator + quote);
}

bool find_csv_separator(const char* bytes, size_t size, int64_t skipped_lines, CsvStyle* style) {
  std::string head(bytes, std::min(kHead, size));
  head += '\n';
  size_t at = 0;
  for (int64_t k = 0; k < skipped_lines && at < head.size(); ++k) {
    at = std::min(head.find_first_of("\r\n", at), head.size());
    if (at < head.size() && head[at] == '\r') ++at;
    if (at < head.size() && head[at] == '\n') ++at;
  }
  head.erase(0, at);
  size_t begin = head.find_first_not_of("\r\n");
  while (style->comment && begin != std::string::npos && head[begin] == style->comment) {
    begin = head.find_first_not_of("\r\n", head.find_first_of("\r\n", begin));
  }
  if (begin == std::string::npos) return false;
  std::string ends = "\r\n";
  if (style->comment) ends += style->comment;
  const std::string line = head.substr(begin, head.find_first_of(ends, begin) - begin);
  const auto separates = [&](char c) {
    return c != style->quote && c != style->comment && line.find(c) != std::string::npos;
  };
  if (separates(';')) {
    const bool comma = has_decimals(head, ',', true) && !has_decimals(head, '.', false);
    style->separator = ';';
    if (style->find_decimal) style->decimal = comma ? ',' : '.';
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

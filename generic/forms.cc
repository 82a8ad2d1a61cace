#include "forms.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace bind {

namespace {

uint64_t code_of(char kind) {
  switch (kind) {
    case 'x':
    case 'd':
    case 'l':
    case 'i':
    case 'n':
    case 'e':
      return kNumber;
    case 'b':
      return kBoolean;
    case 'o':
    case 't':
      return kString;
    case 'g':
      return kGenerator;
    case '{':
    case 'r':
    case 'v':
      return kTable;
    default:
      return kTensor;
  }
}

std::string slot_text(const Slot& slot, const char* type) {
  std::string text;
  switch (slot.kind) {
    case 'T':
    case 'W':
      text = type;
      break;
    case 'L':
      text = "LongTensor";
      break;
    case 'I':
      text = "IntTensor";
      break;
    case 'B':
      text = "ByteTensor";
      break;
    case 'C':
      text = "CharTensor";
      break;
    case 'M':
      text = std::string("ByteTensor or ") + type;
      break;
    case 'F':
      text = "FloatTensor";
      break;
    case 'D':
      text = "DoubleTensor";
      break;
    case 'A':
      text = "Tensor";
      break;
    case 'x':
    case 'd':
      text = "number";
      break;
    case 'l':
      text = "integer";
      break;
    case 'i':
      text = "dimension";
      break;
    case 'n':
      text = "index";
      break;
    case 'b':
      text = "boolean";
      break;
    case 'o':
      for (const std::string& word : slot.words) {
        text += (text.empty() ? "'" : " or '") + word + "'";
      }
      break;
    case 't':
      text = "string";
      break;
    case 'g':
      text = "Generator";
      break;
    case '{':
      text = "{" + (slot.letter == "L" ? "LongTensor" : std::string(type)) + "...}";
      break;
    case 's':
      text = "(LongStorage | size1 [size2...])";
      break;
    case 'p':
      text = "(LongStorage | dim1 [dim2...])";
      break;
    case 'r':
      text = "{dim1 [dim2...]}";
      break;
    case 'v':
    case 'e':
      text = "integer | {integer1 [integer2...]}";
      break;
  }
  if (slot.result) text = "*" + text + "*";
  return slot.optional ? "[" + text + "]" : text;
}

void note_sources(Pattern* pattern) {
  bool of_operand = false;
  pattern->one_type = true;
  for (int k = pattern->slots; k-- > 0;) {
    const ParameterSource& source = pattern->sources[k];
    bool given = source.arg >= 0;
    bool of_type = source.kind == '{' && pattern->form->slots[k].letter == "T";
    if (of_type) pattern->table_arg = source.arg;
    if (source.kind == '{' || (source.result && !given)) pattern->allocates = true;
    const bool other_type =
        source.tensor ? !is_of_own_type(source) : source.kind == 'o' || source.kind == '{';
    if (given && other_type) pattern->one_type = false;
    if (source.kind != 'T' || !given || source.may_be_nil || of_operand) continue;
    pattern->type_arg = source.arg;
    of_operand = !source.result;
  }
}

// The values of an option: "UL" has letters, "mean_sum" words.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  if (std::isupper(static_cast<unsigned char>(text[0]))) {
    for (char letter : text) words.emplace_back(1, letter);
    return words;
  }
  std::istringstream parts(text);
  for (std::string word; std::getline(parts, word, '_');) words.push_back(word);
  return words;
}

// Returns false if a slot that may be nil is left out, but a later tensor is not: such a call
// passes nil. Also returns false if a flag is left out, but a later number is not: that might be
// meant as the flag. left_out: one bit for each optional slot, the last one lowest.
bool may_leave_out(const Form& form, int left_out, int optional) {
  bool missing_tensor = false, missing_flag = false;
  for (const Slot& slot : form.slots) {
    if (!slot.optional) continue;
    const bool absent = left_out >> --optional & 1;
    if (missing_tensor && !absent && slot.tensor) return false;
    if (missing_flag && !absent && code_of(slot.kind) == kNumber) return false;
    missing_tensor = missing_tensor || (absent && slot.may_be_nil());
    missing_flag = missing_flag || (absent && slot.kind == 'b');
  }
  return true;
}

}  // namespace

bool Slot::accepts(const char* text) const {
  for (const std::string& word : words) {
    if (*text == word[0] && (word.size() == 1 || !text[1] || text == word)) return true;
  }
  return false;
}

std::string Form::text(const char* type) const {
  std::string all;
  for (const Slot& slot : slots) {
    if (slot.fresh || slot.fixed) continue;
    if (!all.empty()) all += " ";
    all += slot_text(slot, type);
  }
  return all.empty() ? "none" : all;
}

Form parse_form(const char* p, const char* end) {
  Form form;
  while (p < end) {
    if (*p == ' ') {
      ++p;
      continue;
    }
    Slot slot{};
    if (*p == '[') slot.optional = true, ++p;
    if (*p == '<') slot.fixed = true, ++p;
    if (*p == '*') slot.result = true, ++p;
    if (*p == '+') slot.result = slot.fresh = true, ++p;
    slot.kind = *p++;
    slot.tensor = std::strchr("TLIBCMWAFD", slot.kind) != nullptr;
    if (slot.kind == '{' || slot.kind == 'o') {
      const char* close = std::strchr(p, slot.kind == 'o' ? ')' : '}');
      if (slot.kind == 'o') {
        slot.words = words_of(std::string(p + 1, close));
      } else {
        slot.letter.assign(p, close);
      }
      p = close + 1;
    }
    if (*p == '=') {
      slot.has_value = true;
      ++p;
      slot.value = slot.kind == 'o'              ? static_cast<unsigned char>(*p)
                   : !std::strncmp(p, "true", 4) ? 1
                                                 : std::strtod(p, nullptr);
      while (*p != ']' && *p != '>') ++p;
    }
    if (slot.optional || slot.fixed) ++p;
    form.slots.push_back(slot);
  }
  return form;
}

bool Pattern::matches_with_sizes(uint64_t call, int count) const {
  if (count <= args) return false;
  uint64_t mask = (uint64_t{1} << (4 * args)) - 1;
  if ((call & mask) != codes) return false;
  uint64_t rest = call >> (4 * args);
  if (count == args + 1 && (rest == kLongStorage || rest == kTable)) return true;
  for (int i = args; i < count; ++i) {
    if (i < 16 && (rest & 15) != kNumber) return false;
    rest >>= 4;
  }
  return true;
}

bool Pattern::matches_in_order(uint64_t call) const {
  for (int k = 0; k < slots; ++k) {
    if (sources[k].arg < 0) continue;
    const int shift = 4 * sources[k].arg;
    const uint64_t code = call >> shift & 15;
    const bool is_list = code == kTable || code == kLongStorage;
    if (code == (codes >> shift & 15) || (sources[k].kind == 'e' && is_list)) continue;
    // A flag that is nil may be meant as the dimension of another form.
    const bool is_flag = sources[k].kind == 'b' && !in_order;
    if (code != kNil || is_flag || !form->slots[k].has_default()) return false;
  }
  return true;
}

void add_patterns(const Form* form, const Row* row, std::vector<Pattern>* patterns) {
  int optional = 0;
  bool in_order = false;
  for (const Slot& slot : form->slots) {
    optional += slot.optional;
    in_order = in_order || slot.kind == 'e';
  }
  for (int left_out = 0; left_out < 1 << optional; ++left_out) {
    if (!in_order && !may_leave_out(*form, left_out, optional)) continue;
    Pattern pattern;
    pattern.form = form;
    pattern.row = row;
    pattern.in_order = in_order;
    // The first optional slot is the highest bit, so counting up omits the last slots first.
    int bit = optional;
    // XORed with a code, change a table into a LongStorage, or a tensor into nil.
    uint64_t changes[kMaxArgs];
    int change_count = 0;
    bool is_complete = true, has_gap = false;  // of slots with default values
    bool has_result = false;
    for (const Slot& slot : form->slots) {
      bool absent = slot.fresh || slot.fixed || (slot.optional && (left_out >> --bit & 1));
      ParameterSource& source = pattern.sources[pattern.slots++];
      source = {slot.kind, slot.tensor, slot.result, slot.may_be_nil(), slot.fixed && slot.result,
                -1};
      has_result = has_result || (slot.result && slot.optional && !absent);
      if (slot.has_default()) {
        // Otherwise the first operand might be taken for a result.
        const bool is_required = slot.tensor && has_result;
        has_gap = has_gap || (absent ? is_required : !is_complete);
        is_complete = is_complete && !absent;
      }
      if (slot.kind == 's' || slot.kind == 'p') {
        source.arg = static_cast<int8_t>(pattern.args);
        pattern.sizes = true;
      } else if (!absent) {
        source.arg = static_cast<int8_t>(pattern.args);
        if (slot.kind == 'r' || slot.kind == 'v') {
          changes[change_count++] = (uint64_t{kTable} ^ kLongStorage) << (4 * pattern.args);
        } else if (slot.may_be_nil() && !in_order) {
          changes[change_count++] = (uint64_t{kTensor} ^ kNil) << (4 * pattern.args);
        }
        pattern.codes |= code_of(slot.kind) << (4 * pattern.args++);
      }
    }
    if (in_order && has_gap) continue;
    note_sources(&pattern);
    const uint64_t codes = pattern.codes;
    for (int changed = 0; changed < 1 << change_count; ++changed) {
      pattern.codes = codes;
      for (int k = 0; k < change_count; ++k) {
        if (changed >> k & 1) pattern.codes ^= changes[k];
      }
      patterns->push_back(pattern);
    }
  }
}

}  // namespace bind

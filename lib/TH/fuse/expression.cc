#include "fuse/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/numeric_locale.h"
#include "ops/compose.h"

namespace th {

namespace {

using Node = ExpressionNode;

constexpr int kMostNested = 200;
constexpr int kMostNodes = 1000;

// An operator: the operation for two tensors, for tensor op number, and for number op tensor.
struct Operator {
  const char* text;
  int level;
  Op tensors, number_right, number_left;
};
constexpr Operator kOperators[] = {
    {"<=", 0, Op::leTensor, Op::leValue, Op::geValue},
    {">=", 0, Op::geTensor, Op::geValue, Op::leValue},
    {"==", 0, Op::eqTensor, Op::eqValue, Op::eqValue},
    {"~=", 0, Op::neTensor, Op::neValue, Op::neValue},
    {"<", 0, Op::ltTensor, Op::ltValue, Op::gtValue},
    {">", 0, Op::gtTensor, Op::gtValue, Op::ltValue},
    {"+", 1, Op::cadd, Op::add, Op::add},
    {"-", 1, Op::csub, Op::sub, Op::neg},  // number - t = -t + number
    {"*", 2, Op::cmul, Op::mul, Op::mul},
    {"/", 2, Op::cdiv, Op::div, Op::tdiv},
    {"%", 2, Op::cremainder, Op::remainder, Op::tremainder},
    {"^", 3, Op::cpow, Op::pow, Op::tpow},
};
constexpr int kUnaryLevel = 3;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the number at the start of a text. An integer that a double would round stays an integer.
Scalar read_number(const char* text, char** end) {
  NumericLocale numbers;
  const double value = std::strtod(text, end);
  int64_t integer = 0;
  if (value < 0x1p53) return value;
  const auto read = std::from_chars(text, *end, integer);
  if (read.ec != std::errc() || read.ptr != *end) return value;
  return integer;
}

Scalar negative(const Scalar& number) {
  return number.integral ? Scalar(-number.i) : Scalar(-number.d);
}

class Parser {
 public:
  explicit Parser(Expression* e) : e_(e), text_(e->text()) {}

  void parse() {
    e_->root = binary(0);
    if (at_ < text_.size()) e_->fail_at(at_, "an operator is expected");
    if (e_->nodes[e_->root].kind == Node::number) {
      e_->fail_at(0, "the expression has no operand but numbers");
    }
  }

 private:
  Node& node(int k) { return e_->nodes[k]; }
  bool is_number(int k) { return node(k).kind == Node::number; }

  void skip() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) e_->fail_at(at_, "'%c' is expected", c);
  }

  int add(const Node& made) {
    for (size_t k = 0; k < e_->nodes.size(); ++k) {
      if (e_->nodes[k].same_as(made)) return static_cast<int>(k);
    }
    if (e_->nodes.size() >= kMostNodes) e_->fail_at(made.at, "the expression is too long");
    e_->nodes.push_back(made);
    return static_cast<int>(e_->nodes.size()) - 1;
  }
  int number(size_t at, Scalar value) {
    Node made(Node::number, at);
    made.value = value;
    return add(made);
  }
  // arguments: in the order of the row's pattern. A number may be an argument of kind tensor, too.
  int element(size_t at, const ElementFunction& function, const std::vector<int>& arguments) {
    Node made(Node::element, at);
    made.function = &function;
    size_t argument = 0;
    int tensors = 0, numbers = 0;
    bool factor_left_out = arguments.size() < function.pattern.size();
    for (char kind : function.pattern) {
      if (kind != 'N') {
        made.input[tensors++] = arguments[argument++];
      } else if (factor_left_out) {
        made.numbers[numbers++] = 1;
      } else {
        made.numbers[numbers++] = node(arguments[argument++]).value;
      }
    }
    return add(made);
  }

  const Operator* operator_at(int level) {
    skip();
    for (const Operator& op : kOperators) {
      if (op.level == level && !text_.compare(at_, std::strlen(op.text), op.text)) return &op;
    }
    return nullptr;
  }

  int apply(size_t at, const Operator& op, int a, int b) {
    if (is_number(a) && is_number(b)) {
      return number(at, fold(at, op, node(a).value.to_double(), node(b).value.to_double()));
    }
    if (is_number(b)) {
      // t^2 is t * t, as in ops::pow, where it is exact.
      if (op.number_right == Op::pow && node(b).value.to_double() == 2) {
        return apply(at, kOperators[8], a, a);
      }
      return element(at, element_function(op.number_right), {a, b});
    }
    if (!is_number(a)) return element(at, element_function(op.tensors), {a, b});
    if (op.number_left == Op::neg) {
      b = element(at, element_function(Op::neg), {b});
      return element(at, element_function(Op::add), {b, a});
    }
    const ElementFunction& function = element_function(op.number_left);
    return function.pattern[0] == 'N' ? element(at, function, {a, b})
                                      : element(at, function, {b, a});
  }

  double fold(size_t at, const Operator& op, double a, double b) {
    switch (op.text[0]) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      case '^':
        return std::pow(a, b);
      case '%':
        return a - std::floor(a / b) * b;
    }
    e_->fail_at(at, "two numbers are compared");
  }

  int binary(int level) {
    if (level == kUnaryLevel) return unary();
    int a = binary(level + 1);
    while (const Operator* op = operator_at(level)) {
      size_t at = at_;
      at_ += std::strlen(op->text);
      a = apply(at, *op, a, binary(level + 1));
    }
    return a;
  }

  int unary() {
    skip();
    if (++nested_ > kMostNested) e_->fail_at(at_, "the expression is nested too deeply");
    size_t at = at_;
    int result;
    if (take('-')) {
      int t = unary();
      result = is_number(t) ? number(at, negative(node(t).value))
                            : element(at, element_function(Op::neg), {t});
    } else {
      result = primary();
      if (const Operator* op = operator_at(kUnaryLevel)) {
        at = at_++;
        result = apply(at, *op, result, unary());
      }
    }
    --nested_;
    return result;
  }

  int primary() {
    skip();
    const size_t at = at_;
    if (at_ >= text_.size()) e_->fail_at(at, "an operand is expected");
    if (take('(')) {
      int inner = binary(0);
      expect(')');
      return inner;
    }
    const char* begin = text_.c_str() + at_;
    if (is_digit(*begin) || (*begin == '.' && is_digit(begin[1]))) {
      char* end;
      const Scalar value = read_number(begin, &end);
      at_ += static_cast<size_t>(end - begin);
      if (is_letter(*end)) e_->fail_at(at_, "an operator is expected");
      return number(at, value);
    }
    if (!is_letter(*begin)) e_->fail_at(at, "an operand is expected");
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    std::string name = text_.substr(at, at_ - at);
    return take('(') ? call(at, name) : operand(at, name);
  }

  int operand(size_t at, const std::string& name) {
    Node made(Node::operand, at);
    auto& names = e_->operands;
    while (made.index < static_cast<int>(names.size()) && names[made.index] != name) ++made.index;
    if (made.index == static_cast<int>(names.size())) names.push_back(name);
    return add(made);
  }

  int call(size_t at, const std::string& name) {
    std::vector<int> arguments;
    std::string kinds;
    std::vector<size_t> places;
    if (!take(')')) {
      do {
        skip();
        places.push_back(at_);
        arguments.push_back(binary(0));
        kinds += is_number(arguments.back()) ? 'N' : 'T';
      } while (take(','));
      expect(')');
    }
    if (const KernelReduction* found = find_reduction(name.c_str())) {
      return reduction(at, *found, arguments, places);
    }
    bool known;
    const ElementFunction* function = find_element_function(name, kinds, &known);
    if (!known) e_->fail_at(at, "there is no element-wise function '%s'", name.c_str());
    if (kinds.find('T') == std::string::npos) {
      e_->fail_at(at, "'%s' of numbers only", name.c_str());
    }
    if (!function) {
      std::string got;
      for (char kind : kinds) {
        got += got.empty() ? "" : ", ";
        got += kind == 'N' ? "number" : "tensor";
      }
      e_->fail_at(at, "'%s' does not take (%s)", name.c_str(), got.c_str());
    }
    return element(at, *function, arguments);
  }

  int reduction(size_t at, const KernelReduction& row, const std::vector<int>& arguments,
                const std::vector<size_t>& places) {
    const char* name = row.name;
    if (arguments.empty() || arguments.size() > 2 || is_number(arguments[0])) {
      e_->fail_at(at, "'%s' takes what is reduced and, perhaps, a dimension", name);
    }
    Node made(Node::reduction, at);
    made.reduction_row = &row;
    made.input[0] = arguments[0];
    if (arguments.size() == 2) {
      double dim = is_number(arguments[1]) ? node(arguments[1]).value.to_double() : 0;
      if (dim == 0 || dim != std::floor(dim) || std::fabs(dim) > kMaxDims) {
        e_->fail_at(
            places[1], "'%s' takes a dimension here%s", name,
            row.op == Op::min || row.op == Op::max ? "; cmin and cmax compare two tensors" : "");
      }
      made.dim = static_cast<int>(dim);
    }
    return add(made);
  }

  Expression* e_;
  const std::string& text_;
  size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

bool ExpressionNode::same_as(const ExpressionNode& other) const {
  auto same_number = [](const Scalar& a, const Scalar& b) {
    return a.integral == b.integral && a.i == b.i;
  };
  return kind == other.kind && index == other.index && reduction_row == other.reduction_row &&
         function == other.function && dim == other.dim && same_number(value, other.value) &&
         std::equal(input, input + 3, other.input) &&
         std::equal(numbers, numbers + 2, other.numbers, same_number);
}

Expression::Expression(const char* text) : text_(text ? text : "") { Parser(this).parse(); }

void Expression::fail_at(size_t at, const char* format, ...) const {
  char message[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  // Show at most a line of the text.
  constexpr size_t kShown = 70;
  size_t first = at > kShown / 2 ? at - kShown / 2 : 0;
  std::string shown = text_.substr(first, kShown);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  fail("%s\n  %s\n  %*s", message, shown.c_str(), static_cast<int>(at - first) + 1, "^");
}

}  // namespace th

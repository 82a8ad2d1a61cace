// The printed form of tensors and storages. It is Torch7's, but for the options; large tensors are
// summarized as in NumPy.

#include "io/print.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/numeric_locale.h"
#include "io/number_format.h"
#include "ops/ops.h"
#include "tensor/convert.h"
#include "tensor/views.h"

namespace th {

namespace {

constexpr char kGap[] = " ...";
constexpr int64_t kLong = 20;  // a vector with more elements is printed in rows

// The printed indices of a dimension.
struct Shown {
  std::vector<int64_t> indices;  // from 0
  int64_t gap = 0;               // the number of indices before omitted ones; 0: none are omitted

  int64_t count() const { return static_cast<int64_t>(indices.size()); }
};

Shown shown_of(int64_t size, bool summarized, int64_t edge) {
  Shown shown;
  const bool cut = summarized && size > 2 * edge;
  shown.gap = cut ? edge : 0;
  const int64_t count = cut ? 2 * edge : size;
  for (int64_t k = 0; k < count; ++k) {
    shown.indices.push_back(cut && k >= edge ? size - 2 * edge + k : k);
  }
  return shown;
}

PrintedNumber number_of(DType type, const char* element) {
  PrintedNumber number = {};
  dispatch(type, [&](auto zero) {
    std::memcpy(&zero, element, sizeof(zero));
    number.value = convert<double>(zero);
    number.exact = convert<int64_t>(zero);
  });
  return number;
}

// Calls f(offset) for the offset, in elements, of each combination of indices, in row-major order.
template <class F>
void for_each_shown(const std::vector<Shown>& dims, const int64_t* stride, const F& f) {
  std::vector<int64_t> at(dims.size(), 0);
  for (;;) {
    int64_t offset = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      offset += dims[d].indices[static_cast<size_t>(at[d])] * stride[d];
    }
    f(offset);
    size_t d = dims.size();
    while (d > 0 && ++at[d - 1] == dims[d - 1].count()) at[--d] = 0;
    if (d == 0) return;
  }
}

// Returns the printed part of a tensor whose elements are on a device, as a contiguous tensor.
TensorRef part_on_device(const Tensor& t, const std::vector<Shown>& dims) {
  TensorRef part(tensor_new_view(&t));
  for (int d = 0; d < t.nDimension; ++d) {
    const int64_t edge = dims[static_cast<size_t>(d)].gap;
    if (edge == 0) continue;
    TensorRef head(tensor_new(t.dtype)), tail(tensor_new(t.dtype)), both(tensor_new(t.dtype));
    views::narrow(head.get(), part.get(), d, 0, edge);
    views::narrow(tail.get(), part.get(), d, t.size[d] - edge, edge);
    ops::cat(both.get(), head.get(), tail.get(), d);
    part = std::move(both);
  }
  return contiguous(part.get());
}

std::vector<PrintedNumber> numbers_of(const Tensor& t, const std::vector<Shown>& dims) {
  std::vector<PrintedNumber> numbers;
  const auto item = static_cast<int64_t>(item_size(t.dtype));
  if (!is_on_device(t.storage)) {
    const char* data = t.data(Access::read);
    for_each_shown(dims, t.stride, [&](int64_t offset) {
      numbers.push_back(number_of(t.dtype, data + offset * item));
    });
    return numbers;
  }
  TensorRef part = part_on_device(t, dims);
  std::vector<char> bytes(static_cast<size_t>(part->numel() * item));
  part->check_storage();
  part->storage->memory.read_bytes(static_cast<size_t>(part->storageOffset * item), bytes.size(),
                                   bytes.data());
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(item)) {
    numbers.push_back(number_of(t.dtype, &bytes[at]));
  }
  return numbers;
}

// The digits of the largest index that is printed at the beginning of lines.
int digits_of(int64_t number) { return static_cast<int>(std::to_string(number).size()); }

class Printer {
 public:
  Printer(const Tensor& t, const THPrintOptions& options) : options_(options), ndim_(t.nDimension) {
    const bool summarized = t.numel() > options.threshold;
    for (int d = 0; d < ndim_; ++d) {
      dims_.push_back(shown_of(t.size[d], summarized, options.edgeItems));
    }
    numbers_ = numbers_of(t, dims_);
    NumberSummary summary(options, t.dtype == DType::Long && !options.torch7Integers);
    for (const PrintedNumber& number : numbers_) summary.add(number.value);
    format_ = summary.format();
  }

  std::string text() {
    if (ndim_ == 1) {
      vector();
    } else if (ndim_ == 2) {
      matrix(0, "");
    } else {
      slices();
    }
    return std::move(out_);
  }

 private:
  // Appends the scale, if there is one.
  void scale(const char* indent) {
    char text[40];
    if (format_.scale == 1) return;
    std::snprintf(text, sizeof(text), "%s%g *\n", indent, format_.scale);
    out_ += text;
  }

  std::string cell(size_t k) const { return format_.text(numbers_[k]); }

  // Returns the number of cells that fit into a line beside `used` columns.
  int64_t cells_beside(int64_t used, int64_t width) const {
    return std::max<int64_t>((options_.lineWidth - used) / (width + 1), 1);
  }

  // Appends one number per line, or rows.
  void vector() {
    const Shown& dim = dims_[0];
    scale("");
    if (format_.width && dim.count() > kLong && !dim.gap && !options_.torch7Vectors) {
      rows();
      return;
    }
    for (int64_t k = 0; k < dim.count(); ++k) {
      out_ += cell(static_cast<size_t>(k)) + "\n";
      if (k + 1 == dim.gap) out_ += std::string(kGap) + "\n";
    }
  }

  // Appends lines that begin with the index of their first number.
  void rows() {
    const int64_t count = dims_[0].count();
    const int digits = digits_of(count);
    int64_t perline = cells_beside(digits + 1, format_.width);
    // A multiple of 5, so that the indices at the beginning of the lines are easy to read.
    if (perline >= 5) perline -= perline % 5;
    for (int64_t first = 0; first < count; first += perline) {
      const std::string index = std::to_string(first + 1);
      out_ += std::string(static_cast<size_t>(digits) - index.size(), ' ') + index + ":";
      for (int64_t k = first; k < std::min(first + perline, count); ++k) {
        out_ += " " + cell(static_cast<size_t>(k));
      }
      out_ += "\n";
    }
  }

  // Appends the matrix of the numbers from `begin` on, split into groups of columns if a line is
  // too short. As in Torch7, cells without a width are in one line.
  void matrix(size_t begin, const std::string& indent) {
    const Shown& rows = dims_[dims_.size() - 2];
    const Shown& columns = dims_.back();
    const int64_t count = columns.count();
    // The mark of omitted columns is in the line, too.
    const size_t used = indent.size() + (columns.gap ? std::strlen(kGap) + 1 : 0);
    const int64_t perline =
        format_.width ? cells_beside(static_cast<int64_t>(used), format_.width) : count;
    const std::string row_indent = format_.scale == 1 ? indent : indent + " ";
    for (int64_t first = 0; first < count; first += perline) {
      const int64_t end = std::min(first + perline, count);
      // As in Torch7, only the first line of the matrix is indented, be it a heading or a scale
      // factor.
      std::string heading = first == 0 ? indent : "";
      if (perline < count) {
        out_ += (first == 0 ? "" : "\n") + heading + "Columns " + index_of(columns, first) +
                " to " + index_of(columns, end - 1) + "\n";
        heading = indent;
      }
      scale(heading.c_str());
      for (int64_t row = 0; row < rows.count(); ++row) {
        out_ += row_indent;
        for (int64_t column = first; column < end; ++column) {
          if (column > first) out_ += " ";
          out_ += cell(begin + static_cast<size_t>(row * count + column));
          if (column + 1 == columns.gap) out_ += std::string(" ") + kGap;
        }
        out_ += "\n";
        if (row + 1 == rows.gap) out_ += row_indent + kGap + "\n";
      }
    }
  }

  static std::string index_of(const Shown& shown, int64_t k) {
    return std::to_string(shown.indices[static_cast<size_t>(k)] + 1);
  }

  // Appends the matrices of the last two dimensions.
  void slices() {
    const int outer = ndim_ - 2;
    // The dimensions from the one that varies fastest on.
    std::vector<size_t> order;
    for (int d = 0; d < outer; ++d) {
      order.push_back(static_cast<size_t>(options_.torch7Slices ? d : outer - 1 - d));
    }
    const auto size =
        static_cast<size_t>(dims_[static_cast<size_t>(outer)].count() * dims_.back().count());
    std::vector<int64_t> at(static_cast<size_t>(outer), 0);
    for (;;) {
      size_t slice = 0;
      out_ += "(";
      for (size_t d = 0; d < at.size(); ++d) {
        slice = slice * dims_[d].indices.size() + static_cast<size_t>(at[d]);
        out_ += index_of(dims_[d], at[d]) + ",";
      }
      out_ += ".,.) = \n";
      matrix(slice * size, " ");
      size_t k = 0;
      while (k < order.size() && at[order[k]] + 1 == dims_[order[k]].count()) at[order[k++]] = 0;
      if (k == order.size()) return;
      const size_t d = order[k];
      out_ += ++at[d] == dims_[d].gap ? "\n...\n\n" : "\n";
    }
  }

  const THPrintOptions& options_;
  int ndim_;
  std::vector<Shown> dims_;
  std::vector<PrintedNumber> numbers_;
  NumberFormat format_;
  std::string out_;
};

void check_option(const char* name, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    fail("the option %s must be from %lld to %lld, got %lld", name, as_long(least), as_long(most),
         as_long(value));
  }
}

void check_options(const THPrintOptions& options) {
  constexpr int64_t kMost = int64_t{1} << 31;
  check_option("threshold", options.threshold, 0, INT64_MAX);
  check_option("edgeItems", options.edgeItems, 1, kMost);
  check_option("precision", options.precision, 0, 17);
  check_option("lineWidth", options.lineWidth, 1, kMost);
}

// view: of the caller's own, so that finalizers of Lua, which may run if memory is short, do not
// change it. They do not resize its storage either.
std::string text_of_elements(const Tensor& view, const THPrintOptions& options) {
  struct Pinned {
    Storage* storage;
    explicit Pinned(Storage* s) : storage(s) { pin(s); }
    ~Pinned() { unpin(storage); }
  } pinned(view.storage);
  NumericLocale numbers;
  return Printer(view, options).text();
}

}  // namespace

std::string tensor_class_name(DType type) { return std::string("torch.") + name(type) + "Tensor"; }

std::string printed(const Tensor& t, const std::string& name, const THPrintOptions& options) {
  check_options(options);
  t.check_storage();  // making a view would extend the storage
  if (t.nDimension == 0) return "[" + name + " with no dimension]\n";
  std::string text;
  if (t.numel() > 0) text = text_of_elements(*TensorRef(tensor_new_view(&t)), options);
  text += "[" + name + " of size ";
  for (int d = 0; d < t.nDimension; ++d) text += (d ? "x" : "") + std::to_string(t.size[d]);
  return text + "]\n";
}

std::string printed_storage(Storage* storage, const std::string& name,
                            const THPrintOptions& options) {
  check_options(options);
  std::string text;
  if (storage->size > 0) text = text_of_elements(*vector_of(storage, 0, storage->size), options);
  return text + "[" + name + " of size " + std::to_string(storage->size) + "]\n";
}

}  // namespace th

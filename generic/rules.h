#ifndef TENSOR_GENERIC_RULES_H
#define TENSOR_GENERIC_RULES_H

// The rules that differ between require 'tensor' and require 'torch'. A Lua state begins with those
// of require 'tensor'. Each rule has a switch: tensor.setRule(name, mode).

#include <cstdint>

namespace bind {

// X(name, behaviour after require 'tensor', behaviour after require 'torch'). The table in
// doc/differences.md is made from this list.
#define TENSOR_RULES(X)                                                                          \
  X(arguments,                                                                                   \
    "Arguments without effect, as in `t:size(1, 2)`, entries of a range that are neither "       \
    "numbers nor strings of digits, names in a list, as in `cat{t, u, dim = 1}`, a number as "   \
    "the address of memory, and the functions `bernoulli(t)` of one tensor and `normal(t, 2)` "  \
    "of a tensor and a number are errors. `clamp(t, lower, 5)` has two bounds. "                 \
    "`t:split({1, 3}, 1)` returns slices of these sizes.",                                       \
    "They are accepted; `bernoulli(t)` and `normal(t, 2)` fill `t`. `clamp(r, t, 5)` has a "     \
    "result and a lower bound. The table of `t:split({1, 3}, 1)` is overwritten by slices of "   \
    "size 1.")                                                                                   \
  X(arithmetic,                                                                                  \
    "`remainder` is exact. `clamp(t, 2, 0)` is 0. `eye(3, 0)` has no columns. `linspace(1, 2, "  \
    "1)` is 1, and `logspace(1, 2, 1)` is 10. In comparisons, `isin` and `searchsorted`, a "     \
    "number beside Half or BFloat16 elements is rounded to their type: "                         \
    "`HalfTensor{0.1}:eq(0.1)` is 1. Integers with negative exponents, `uniform(3, -1)`, "       \
    "`uniform(0, math.huge)` and `cauchy(0, 0)` are errors, and so are numbers in `range`, "     \
    "`arange`, `random`, `randint` and `fuse` that an integer type cannot represent, and in "    \
    "`random` and `randint` those above 2^11 for Half and 2^8 for BFloat16. "                    \
    "`multinomialAlias` draws each category with its probability, and the probabilities need "   \
    "not sum to 1.",                                                                             \
    "`remainder(a, b)` is `a - b * floor(a / b)`. `clamp(t, 2, 0)` is 2 for elements below 2, "  \
    "and 0 for others. `eye(3, 0)` has 3 columns. `linspace(1, 2, 1)` and `logspace(1, 2, 1)` "  \
    "are errors. `HalfTensor{0.1}:eq(0.1)` is 0. `multinomialAlias` draws the category before "  \
    "each alias; its numbers are wrong if the probabilities do not sum to 1. The others have "   \
    "results; fractions are truncated.")                                                         \
  X(broadcast,                                                                                   \
    "Shapes pair by NumPy's rules first. In `t[mask]`, a mask of fewer dimensions than "         \
    "`t` is one of its first dimensions. `t[mask] = src` needs a `src` that broadcasts, or has " \
    "as many elements as are selected.",                                                         \
    "Tensors with the same number of elements pair in order. `t[mask] = src` takes the first "   \
    "elements of `src`.")                                                                        \
  X(division, "`/` of integer tensors gives fractions, in the default type.",                    \
    "It truncates the quotients.")                                                               \
  X(fields,                                                                                      \
    "Reading an unknown field of a tensor or of the module is an error, and so are `t[nil]` "    \
    "and `t[true]`.",                                                                            \
    "They are nil.")                                                                             \
  X(files,                                                                                       \
    "`load` reads no functions, unless an option allows it. `save` without an object is an "     \
    "error, and so is the extension of a format that cannot be written, as in `a.pt`.",          \
    "It reads them. `save` writes nil, and Torch7's format under these names.")                  \
  X(indices, "`randperm` and `randint` return LongTensors.",                                     \
    "They return tensors of the default type.")                                                  \
  X(medians,                                                                                     \
    "`median`, `nanmedian`, `mode` and `kthvalue` without a dimension return the number for "    \
    "all elements.",                                                                             \
    "They return values and indices along the last dimension.")                                  \
  X(numbers,                                                                                     \
    "A fraction as a size, an index or a seed, a number that an integer type cannot "            \
    "represent, also in a file, and a string as a size, an index, a seed or a number of an "     \
    "operation are errors. Tables of numbers and ranges may contain strings.",                   \
    "Fractions are truncated. A string may contain a number.")                                   \
  X(printing,                                                                                    \
    "NaN and infinity are aligned, integers have all digits, vectors of more than 20 elements "  \
    "are printed in rows, slices in reading order, and sizes as `[2 x 3]`.",                     \
    "The printed forms are Torch7's.")                                                           \
  X(products, "`*` between a ByteTensor and a tensor is an error: use `cmul` or `cbitand`.",     \
    "It is the product of linear algebra, in bytes.")                                            \
  X(sizes, "LongStorages are equal if their elements are: `t:size() == u:size()`.",              \
    "They are equal if they are the same object.")                                               \
  X(sums,                                                                                        \
    "`sum`, `prod`, `nansum`, `nanprod`, `cumsum`, `cumprod`, `nancumsum`, `nancumprod`, "       \
    "`einsum` and `vecdot` of integers along dimensions, and `trace` of several matrices, "      \
    "return LongTensors.",                                                                       \
    "They return the type of the operand, in which results may overflow.")                       \
  X(tables, "A table of elements with nil between numbers is an error.",                         \
    "The operator `#` determines its length.")                                                   \
  X(types,                                                                                       \
    "Operands of different element types are converted to their common type, and "               \
    "IntTensors and ShortTensors of indices to LongTensors.",                                    \
    "They are an error.")

enum class Rule : uint8_t {
#define TENSOR_RULE(name, ...) name,
  TENSOR_RULES(TENSOR_RULE)
#undef TENSOR_RULE
};

}  // namespace bind

#endif

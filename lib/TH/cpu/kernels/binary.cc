#include "cpu/kernels/element_loop.h"

namespace th {
namespace TH_ISA {

using namespace row_flag;

// Rows of numbers and rows of tensors share their loops, so they are in one file.
#define TH_UNARY(...)
#define TH_SCALED(...)
#define TH_TERNARY(...)
#define TH_COMPARE(...)
constexpr ElementKernel rows[] = {
#include "THOps.def"
};
extern const ElementKernels binary_kernels;
const ElementKernels binary_kernels = {rows, sizeof(rows) / sizeof(rows[0])};

}  // namespace TH_ISA
}  // namespace th

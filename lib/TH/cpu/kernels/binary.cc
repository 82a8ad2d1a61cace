#include "cpu/kernels/element_loop.h"

namespace th {
namespace TH_ISA {

using namespace row_flag;

// Operations with a number and operations with two tensors share loops, so they are compiled
// together.
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

#include "cpu/kernels/element_loop.h"

namespace th {
namespace TH_ISA {

using namespace row_flag;

#define TH_UNARY(...)
#define TH_SCALAR(...)
#define TH_BINARY(...)
#define TH_SCALED(...)
#define TH_TERNARY(...)
#define TH_GENERAL(...)
constexpr ElementKernel rows[] = {
#include "THOps.def"
};
extern const ElementKernels compare_kernels;
const ElementKernels compare_kernels = {rows, sizeof(rows) / sizeof(rows[0])};

}  // namespace TH_ISA
}  // namespace th

#include "cpu/kernels/element_loop.h"

namespace th {
namespace TH_ISA {

using namespace row_flag;

constexpr ElementKernel rows[] = {
#include "THOps/compare.def"
};
extern const ElementKernels compare_kernels;
const ElementKernels compare_kernels = {rows, sizeof(rows) / sizeof(rows[0])};

}  // namespace TH_ISA
}  // namespace th

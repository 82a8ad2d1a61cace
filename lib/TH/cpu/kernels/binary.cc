#include "cpu/kernels/element_loop.h"

namespace th {
namespace TH_ISA {

using namespace row_flag;

constexpr ElementKernel rows[] = {
#include "THOps/binary.def"
};
extern const ElementKernels binary_kernels;
const ElementKernels binary_kernels = {rows, sizeof(rows) / sizeof(rows[0])};

}  // namespace TH_ISA
}  // namespace th

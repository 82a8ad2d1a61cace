#include "cpu/bfloat16_product.h"

#include "cpu/isa.h"

#ifdef TH_HAVE_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace th {

#ifdef TH_HAVE_AVX512BF16
namespace avx512bf16 {
extern const BFloat16Products bfloat16_products;
}
#endif
#ifdef TH_HAVE_AMX
namespace amx {
extern const BFloat16Products bfloat16_products;
}
#endif

namespace {

#ifdef TH_HAVE_AMX
// Requests the tile registers from Linux, for all threads of the process. This makes the frames of
// signals larger, so it is not done before the first product.
bool has_permission() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}
#endif

BFloat16Products choose() {
#ifdef TH_HAVE_AMX
  if (isa() == Isa::amx && has_permission()) return amx::bfloat16_products;
#endif
#ifdef TH_HAVE_AVX512BF16
  if (isa() >= Isa::avx512bf16) return avx512bf16::bfloat16_products;
#endif
  return {};
}

const BFloat16Products& products() {
  static const BFloat16Products chosen = choose();
  return chosen;
}

}  // namespace

BFloat16Product bfloat16_product(DType dtype) {
  return dtype == DType::Half ? products().half : products().bfloat16;
}
BFloat16Product bfloat16_product_to_float() { return products().to_float; }

}  // namespace th

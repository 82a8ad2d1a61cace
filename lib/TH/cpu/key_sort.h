#ifndef TH_CPU_KEY_SORT_H
#define TH_CPU_KEY_SORT_H

// Highway's sort, which selects the instruction set at run time.

#include <cstdint>

#include "hwy/base.h"

namespace th {

void sort_keys(uint32_t* keys, int64_t n);
void sort_keys(uint64_t* keys, int64_t n);
void sort_keys(hwy::uint128_t* keys, int64_t n);

}  // namespace th

#endif

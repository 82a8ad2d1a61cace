#ifndef TH_CPU_SORT_LONG_H
#define TH_CPU_SORT_LONG_H

#include "backend/sort_call.h"

namespace th {

// Sorts rows whose indices do not fit into Pack64, of elements of at most 4 bytes. Such rows are
// too rare to compile the code for each instruction set.
void sort_long_rows(const SortCall& call);

}  // namespace th

#endif

#ifndef TH_BASE_CORES_H
#define TH_BASE_CORES_H

#include <sched.h>
#include <unistd.h>

namespace th {

// Returns the number of cores on which the calling thread may run. A container may allow fewer than
// the machine has.
inline int available_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0
             ? CPU_COUNT(&cores)
             : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace th

#endif

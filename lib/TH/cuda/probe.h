#ifndef TH_CUDA_PROBE_H
#define TH_CUDA_PROBE_H

namespace th {

// Returns true if the plugin has kernels for the current device, or PTX that can be compiled for
// it.
bool has_kernels_for_current_device();

}  // namespace th

#endif

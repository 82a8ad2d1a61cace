#ifndef TH_CUDA_PROBE_H
#define TH_CUDA_PROBE_H

namespace th {

// Whether the plugin was built for the device that is current, or can be compiled for it.
bool has_kernels_for_current_device();

}  // namespace th

#endif

#ifndef TH_TENSOR_HOST_DEVICE_H
#define TH_TENSOR_HOST_DEVICE_H

// Marks functions that are compiled for the host and, by nvcc, also for devices.
#ifdef __CUDACC__
#define TH_HD __host__ __device__ __forceinline__
#else
#define TH_HD inline
#endif

#endif

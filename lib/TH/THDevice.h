#ifndef TH_DEVICE_INC
#define TH_DEVICE_INC

/* The devices that memory moves to and operations run on. A device is named "gpu:1", "soft:2";
   without a number the first of its kind is meant; "cpu" is the host. The names that functions
   return live as long as the process. */

#include "THGeneral.h"

/* How many there are besides the CPU, and their names: index counts from 0. */
TH_API int THDeviceCount(void);
TH_API const char* THDeviceName(int index);

typedef struct THDeviceProperties {
  char model[256];
  int64_t totalMemory; /* in bytes */
  int major, minor;    /* compute capability of a CUDA device */
  int multiprocessors;
} THDeviceProperties;
TH_API void THGetDeviceProperties(const char* device, THDeviceProperties* properties);

/* In bytes. */
typedef struct THDeviceUsage {
  int64_t total;  /* what the device has */
  int64_t free;   /* what nobody uses */
  int64_t used;   /* by storages, and by operations meanwhile */
  int64_t cached; /* kept for later storages */
} THDeviceUsage;
TH_API void THGetDeviceUsage(const char* device, THDeviceUsage* usage);

/* Where the storages of new tensors are at home, for the calling thread; "cpu" at first. */
TH_API void THSetDefaultDevice(const char* device);
TH_API const char* THGetDefaultDevice(void);

/* Waits until the device, or, where NULL, each, has done what was queued. Checks of values that
   operations left to the device are raised here, at the latest. */
TH_API void THSynchronize(const char* device);
/* Gives cached memory of the device, or, where NULL, of each, back to the system. */
TH_API void THEmptyCache(const char* device);

typedef struct THCopyCount {
  int64_t copies, bytes;
} THCopyCount;
/* What was counted in the whole process since the start or THResetDeviceStats. */
typedef struct THDeviceCounters {
  THCopyCount toDevice, toHost, betweenDevices;
  int64_t fallbacks; /* operations on memory at home on a device that ran on the CPU */
} THDeviceCounters;
TH_API void THDeviceStats(THDeviceCounters* counters);
TH_API void THResetDeviceStats(void);
/* The fallbacks of one operation, by its name: "svd". */
TH_API int64_t THDeviceFallbacks(const char* operation);

/* 1: every operation is waited for, so that the one that fails is named; 0: not. At first as
   TENSOR_DEVICE_DEBUG in the environment says. */
TH_API void THSetDeviceDebug(int debug);
/* 1: each operation's first fallback is told of on stderr. */
TH_API void THWarnOfFallbacks(int warn);

#endif

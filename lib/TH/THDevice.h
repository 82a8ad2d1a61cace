#ifndef TH_DEVICE_INC
#define TH_DEVICE_INC

/* The devices that memory moves to and operations run on. Device names are "gpu:1", "soft:2"; a
   name without a number means the first device of that kind. "cpu" is the host. Returned names are
   valid as long as the process. An unknown name is an error. */

#include "THGeneral.h"

/* The number of devices besides the CPU, and their names. index counts from 0. */
TH_API int THDeviceCount(void);
TH_API const char* THDeviceName(int index);

typedef struct THDeviceProperties {
  char model[256];
  int64_t totalMemory; /* in bytes */
  int major, minor;    /* compute capability of a CUDA device */
  int multiprocessors;
} THDeviceProperties;
TH_API void THGetDeviceProperties(const char* device, THDeviceProperties* properties);

/* Memory of a device, in bytes. */
typedef struct THDeviceUsage {
  int64_t total;  /* capacity of the device */
  int64_t free;   /* not allocated by any process */
  int64_t used;   /* by storages and temporaries of operations */
  int64_t cached; /* freed, kept for reuse */
} THDeviceUsage;
TH_API void THGetDeviceUsage(const char* device, THDeviceUsage* usage);

/* The device of the storages of tensors that the calling thread creates. Initially "cpu". */
TH_API void THSetDefaultDevice(const char* device);
TH_API const char* THGetDefaultDevice(void);

/* Waits until the device has finished all queued work; NULL waits for all devices. Errors found by
   asynchronous checks of values are raised here at the latest. */
TH_API void THSynchronize(const char* device);
/* Returns the handle of the stream in which all work on the device runs, a cudaStream_t on a GPU.
   Work that another library queues there is ordered with that of TH. NULL if the device has no such
   handle, as the software device. */
TH_API void* THDeviceStream(const char* device);
/* Returns cached memory of the device to the system; NULL means all devices. */
TH_API void THEmptyCache(const char* device);

typedef struct THCopyCount {
  int64_t copies, bytes;
} THCopyCount;
/* Counts for the whole process, since its start or the last THResetDeviceStats. */
typedef struct THDeviceCounters {
  THCopyCount toDevice, toHost, betweenDevices;
  int64_t fallbacks; /* operations on device storages that ran on the CPU */
  int64_t launches;  /* kernel calls that ran on devices */
} THDeviceCounters;
TH_API void THDeviceStats(THDeviceCounters* counters);
TH_API void THResetDeviceStats(void);
/* Returns the number of fallbacks of one operation, given by name, such as "svd". */
TH_API int64_t THDeviceFallbacks(const char* operation);

/* If debug is 1, each operation is synchronized, so that an error names the operation that failed.
   The environment variable TENSOR_DEVICE_DEBUG sets the initial value. */
TH_API void THSetDeviceDebug(int debug);
/* If warn is 1, the first fallback of each operation is reported on stderr. */
TH_API void THWarnOfFallbacks(int warn);

#endif

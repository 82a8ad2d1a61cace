#ifndef TH_CUDA_DYNAMIC_LIBRARY_H
#define TH_CUDA_DYNAMIC_LIBRARY_H

#include <map>
#include <mutex>

#include "cuda/device.h"

namespace th {

// A library of the toolkit that is loaded on first use, so that the plugin works without it. It is
// never unloaded.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const char* file);
  // Returns null if the library or the function is missing.
  void* find(const char* function);
  // Returns false if the library, or a function that was searched for, is missing.
  bool is_complete() const { return !*problem_; }
  // Throws kDeviceUnsupported unless it is complete.
  void require() const;

 private:
  void* handle_;
  char problem_[256] = "";
};

// Members of a table of functions that have the names of the functions, and their values. The table
// has a member `library`.
#define TH_DYNAMIC_MEMBER(name) decltype(&::name) name;
#define TH_DYNAMIC_FIND(name) name = reinterpret_cast<decltype(name)>(library.find(#name));

// The file of a version of a library, which may be a macro.
#define TH_QUOTED(text) #text
#define TH_LIBRARY_FILE(name, version) "lib" name ".so." TH_QUOTED(version)

// One state of a library for each device. It is used by one thread at a time, and never destroyed,
// because the driver may be unloaded before.
template <class State>
class StateOfDevice {
 public:
  // Calls f(State&). A new state is made by State(device).
  template <class F>
  void use(CudaDevice& device, const F& f) {
    std::lock_guard<std::mutex> lock(mutex_);
    f(states_.try_emplace(&device, device).first->second);
  }

 private:
  std::mutex mutex_;
  std::map<CudaDevice*, State> states_;
};

}  // namespace th

#endif

#include "cuda/dynamic_library.h"

#include <dlfcn.h>

#include <cstdio>

namespace th {

DynamicLibrary::DynamicLibrary(const char* file) : handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const char* text = dlerror();
  std::snprintf(problem_, sizeof(problem_), "%s", text ? text : file);
}

void* DynamicLibrary::find(const char* function) {
  void* found = handle_ ? dlsym(handle_, function) : nullptr;
  if (!found && is_complete()) std::snprintf(problem_, sizeof(problem_), "%s is missing", function);
  return found;
}

void DynamicLibrary::require() const {
  if (!is_complete()) fail_unsupported(problem_);
}

}  // namespace th

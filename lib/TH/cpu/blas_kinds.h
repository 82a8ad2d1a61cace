#ifndef TH_CPU_BLAS_KINDS_H
#define TH_CPU_BLAS_KINDS_H

// Code specific to OpenBLAS, BLIS, MKL and oneDNN.

#include <string>

#include "cpu/blas_library.h"

namespace th::blas {

// Sets an environment variable, and restores it at the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  // Returns false if memory has run out.
  bool is_set() const { return is_set_; }

 private:
  const char* name_;
  bool had_value_, is_needed_, is_set_;
  std::string before_;
};

// Prepares a library that has just been loaded from file: sets it to one thread and selects the
// kernels for this CPU. Returns why the library is unusable, or an empty string.
std::string prepare(Library* library, const char* file);

// Returns the BLAS routine (such as sgemm_) or its replacement; null: none.
Routine find_blas_routine(void* handle, const char* name);

}  // namespace th::blas

#endif

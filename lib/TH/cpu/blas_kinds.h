#ifndef TH_CPU_BLAS_KINDS_H
#define TH_CPU_BLAS_KINDS_H

// What is particular to OpenBLAS, BLIS, MKL and oneDNN.

#include <string>

#include "cpu/blas_library.h"

namespace th::blas {

// A variable of the environment, unless it is set already, for as long as one of these is in scope.
class SetVariable {
 public:
  SetVariable(const char* name, const char* value);
  ~SetVariable();
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;
  bool is_set_here() const { return name_; }

 private:
  const char* name_;
};

// Makes a library that has just been loaded, from that file, fit for use: on one thread, with the
// kernels for this CPU. Returns why it is of no use, or nothing.
std::string prepare(Library* library, const char* file);

// sgemm_ and others, or what stands in for it.
Routine find_blas_routine(void* handle, const char* name);

}  // namespace th::blas

#endif

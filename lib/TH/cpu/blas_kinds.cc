#include "cpu/blas_kinds.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace th::blas {

namespace {

template <class Function>
bool find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  return *function;
}

// ---- OpenBLAS

enum class Level { any, avx2, avx512 };

Level level_of_cpu() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::any;
  bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
  return wide ? Level::avx512 : Level::avx2;
#else
  return Level::any;
#endif
}

// Returns the kernels to request instead of `core`, which are for an older CPU; null: core is fine.
// OpenBLAS selects old kernels for CPUs that are newer than its release.
const char* better_core(const char* core) {
  auto is_one_of = [&](const char* names) {
    const char* at = std::strstr(names, core);
    size_t length = std::strlen(core);
    return length > 0 && at && (at == names || at[-1] == ' ') &&
           (at[length] == ' ' || at[length] == '\0');
  };
  bool avx2 = is_one_of("Haswell Zen Excavator Steamroller Piledriver");
  bool old = is_one_of(
      "Generic Katmai Coppermine Northwood Prescott Banias Core2 Penryn Dunnington Nehalem "
      "Sandybridge Atom Nano Athlon Opteron Opteron_SSE3 Barcelona Bobcat Bulldozer");
  switch (level_of_cpu()) {
    case Level::avx512:
      return avx2 || old ? "SkylakeX" : nullptr;
    case Level::avx2:
      return old ? "Haswell" : nullptr;
    case Level::any:
      break;
  }
  return nullptr;
}

std::string prepare_openblas(Library* library, const char* file) {
  const char* (*config)(), *(*core)() = nullptr;
  find(library->handle, "openblas_get_config", &config);
  if (std::strstr(config(), "USE64BITINT")) return "its integers have 64 bits";
  if (!find(library->handle, "openblas_set_num_threads", &library->set_threads) ||
      !find(library->handle, "openblas_get_num_threads", &library->get_threads)) {
    return "an OpenBLAS without openblas_set_num_threads";
  }
  if (find(library->handle, "openblas_get_corename", &core)) {
    const char* better = better_core(core());
    constexpr const char* kName = "OPENBLAS_CORETYPE";
    if (better && !std::getenv(kName)) {
      ScopedVariable variable(kName, better);
      if (variable.is_set()) {
        dlclose(library->handle);
        library->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!library->handle) return dlerror();
        return prepare_openblas(library, file);
      }
    }
  }
  find(library->handle, "blas_memory_alloc", &library->make_buffer);
  find(library->handle, "blas_memory_free", &library->free_buffer);
  if (!library->free_buffer) library->make_buffer = nullptr;
  library->set_threads(1);
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  std::string text = config();
  size_t end = text.find(' ', text.find(' ') + 1);
  library->name = text.substr(0, end);
  if (core) library->name += std::string(", kernels for ") + core();
  return "";
}

// ---- BLIS

std::string prepare_blis(Library* library) {
  void (*start)();
  void (*set_threads)(int64_t);
  int64_t (*bits)();
  if (find(library->handle, "bli_info_get_blas_int_type_size", &bits) && bits() == 64) {
    return "its integers have 64 bits";
  }
  if (find(library->handle, "bli_init", &start)) start();
  if (find(library->handle, "bli_thread_set_num_threads", &set_threads)) set_threads(1);
  library->name = "BLIS";
  const char* (*version)(), *(*name)(int);
  int (*own)();
  if (find(library->handle, "bli_info_get_version_str", &version)) {
    library->name += std::string(" ") + version();
  }
  if (find(library->handle, "bli_arch_query_id", &own) &&
      find(library->handle, "bli_arch_string", &name)) {
    library->name += std::string(", kernels for ") + name(own());
  }
  return "";
}

// ---- MKL

std::string prepare_mkl(Library* library) {
  int (*set)(int);
  // 32-bit integers, single-threaded.
  if (find(library->handle, "MKL_Set_Interface_Layer", &set)) set(0);
  if (find(library->handle, "MKL_Set_Threading_Layer", &set)) set(1);
  library->name = "MKL";
  void (*version)(char*, int);
  char text[200] = "";
  if (find(library->handle, "MKL_Get_Version_String", &version)) version(text, sizeof(text) - 1);
  std::string name = text;
  // "... Math Kernel Library Version 2025.1-Product Build ..."
  size_t begin = name.find("Version ");
  if (begin != std::string::npos) {
    begin += std::strlen("Version ");
    library->name += " " + name.substr(begin, name.find_first_of("- ", begin) - begin);
  }
  return "";
}

// ---- oneDNN

struct OneDnnVersion {
  int major, minor, patch;
};
using OneDnnProduct = int (*)(char, char, int64_t, int64_t, int64_t, float, const float*, int64_t,
                              const float*, int64_t, float, float*, int64_t);
OneDnnProduct onednn_product;

// oneDNN's matrices are row-major, so compute the transposed product.
void onednn_sgemm(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                  const float* alpha, const float* a, const int* lda, const float* b,
                  const int* ldb, const float* beta, float* c, const int* ldc) {
  onednn_product(*transb, *transa, *n, *m, *k, *alpha, b, *ldb, a, *lda, *beta, c, *ldc);
}

std::string prepare_onednn(Library* library) {
  const OneDnnVersion* (*version)();
  library->name = "oneDNN";
  if (find(library->handle, "dnnl_version", &version)) {
    const OneDnnVersion& own = *version();
    library->name += " " + std::to_string(own.major) + "." + std::to_string(own.minor) + "." +
                     std::to_string(own.patch);
  }
  return "";
}

}  // namespace

ScopedVariable::ScopedVariable(const char* name, const char* value) : name_(name) {
  const char* before = std::getenv(name);
  had_value_ = before != nullptr;
  if (had_value_) before_ = before;
  // Another thread that reads the environment during a change can crash.
  is_needed_ = !before || before_ != value;
  is_set_ = !is_needed_ || setenv(name, value, 1) == 0;
}
ScopedVariable::~ScopedVariable() {
  if (!is_needed_ || !is_set_) return;
  if (had_value_) {
    setenv(name_, before_.c_str(), 1);
  } else {
    unsetenv(name_);
  }
}

std::string prepare(Library* library, const char* file) {
  auto has = [&](const char* name) { return dlsym(library->handle, name) != nullptr; };
  std::string problem;
  if (has("openblas_get_config")) {
    problem = prepare_openblas(library, file);
  } else if (has("bli_info_get_version_str")) {
    problem = prepare_blis(library);
  } else if (has("MKL_Set_Threading_Layer")) {
    problem = prepare_mkl(library);
  } else if (has("dnnl_sgemm")) {
    problem = prepare_onednn(library);
  } else {
    library->name = "BLAS";
  }
  Dl_info info;
  library->path = file;
  for (const char* name : {"sgemm_", "dnnl_sgemm", "sgesv_"}) {
    void* symbol = library->handle && problem.empty() ? dlsym(library->handle, name) : nullptr;
    if (!symbol) continue;
    if (dladdr(symbol, &info) && info.dli_fname) library->path = info.dli_fname;
    return "";
  }
  return problem.empty() ? "no BLAS: it has no sgemm_" : problem;
}

Routine find_blas_routine(void* handle, const char* name) {
  if (!std::strcmp(name, "sgemm_") && find(handle, "dnnl_sgemm", &onednn_product)) {
    return reinterpret_cast<Routine>(onednn_sgemm);
  }
  return reinterpret_cast<Routine>(dlsym(handle, name));
}

}  // namespace th::blas

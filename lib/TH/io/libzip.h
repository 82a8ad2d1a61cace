#ifndef TH_IO_LIBZIP_H
#define TH_IO_LIBZIP_H

// The functions of libzip that are used, without the prefix zip_. The library is loaded with the
// first archive: binary packages work with the libzip of several distributions, and programs that
// use no archive do not load it and the libraries that it needs.

#include <dlfcn.h>
#include <zip.h>

#include "base/error.h"

namespace th {

#define TH_ZIP_FUNCTIONS(F)                \
  F(close)                                 \
  F(discard)                               \
  F(error_fini)                            \
  F(error_init)                            \
  F(error_init_with_code)                  \
  F(error_set)                             \
  F(error_strerror)                        \
  F(error_to_data)                         \
  F(fclose)                                \
  F(fdopen)                                \
  F(file_add)                              \
  F(file_strerror)                         \
  F(fopen_index)                           \
  F(fread)                                 \
  F(get_num_entries)                       \
  F(open_from_source)                      \
  F(register_cancel_callback_with_state)   \
  F(register_progress_callback_with_state) \
  F(set_file_compression)                  \
  F(source_buffer_fragment)                \
  F(source_free)                           \
  F(source_function_create)                \
  F(stat_index)                            \
  F(strerror)

struct Libzip {
#define TH_ZIP_FIELD(name) decltype(&zip_##name) name = nullptr;
  TH_ZIP_FUNCTIONS(TH_ZIP_FIELD)
#undef TH_ZIP_FIELD

  // Returns false if the library lacks a function.
  bool bind(void* library) {
    bool complete = true;
#define TH_ZIP_BIND(name)                                                       \
  name = reinterpret_cast<decltype(&zip_##name)>(dlsym(library, "zip_" #name)); \
  complete = complete && name;
    TH_ZIP_FUNCTIONS(TH_ZIP_BIND)
#undef TH_ZIP_BIND
    return complete;
  }
};

// The functions have the same prototypes in the versions of these names.
inline Libzip load_libzip() {
  for (const char* file : {"libzip.so.5", "libzip.so.4"}) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    Libzip functions;
    if (library && functions.bind(library)) return functions;
    if (library) dlclose(library);
  }
  fail("libzip is not installed: neither libzip.so.5 nor libzip.so.4 can be loaded");
}

// Throws if the library cannot be loaded; the next call tries again.
inline const Libzip& libzip() {
  static const Libzip loaded = load_libzip();
  return loaded;
}

}  // namespace th

#endif

#include "cpu/blas_library.h"

#include <dlfcn.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "base/error.h"
#include "cpu/blas_candidates.h"
#include "cpu/blas_kinds.h"

namespace th::blas {

namespace {

std::mutex loading;
std::atomic<Library*> blas{nullptr}, lapack{nullptr};
BlasRoutines blas_table;
LapackRoutines lapack_table;
Library libraries[kMostLibraries];
std::atomic<int> libraries_loaded{0};
std::string blas_text;

// The files that were tried and the reasons for rejecting them, for one message.
class Attempts {
 public:
  void add(const char* file, const std::string& problem) {
    if (problem != problem_) close();
    if (!text_.empty()) text_ += ", ";
    text_ += file;
    problem_ = problem;
  }
  [[noreturn]] void fail_for(const char* what) {
    close();
    const char* choice_text = std::getenv("TENSOR_BLAS");
    bool named = choice_text && *choice_text;
    fail("no %s library could be loaded%s%s: tried %s", what, named ? " for TENSOR_BLAS=" : "",
         named ? choice_text : "", text_.c_str());
  }

 private:
  // Names with the same problem are listed together before it.
  void close() {
    if (!problem_.empty()) text_ += " (" + problem_ + ")";
    problem_.clear();
  }
  std::string text_, problem_;
};

// Makes a library start with a single thread while it is loaded. OpenBLAS allocates a buffer of 128
// MiB for each thread, and never returns if it cannot. Its OpenMP build reads OMP_NUM_THREADS, and
// some versions of it ignore OPENBLAS_NUM_THREADS.
class OneThreadEnvironment {
 public:
  OneThreadEnvironment() { omp_set_num_threads(1); }
  ~OneThreadEnvironment() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
  ScopedVariable openblas_{"OPENBLAS_NUM_THREADS", "1"}, blis_{"BLIS_NUM_THREADS", "1"},
      openmp_{"OMP_NUM_THREADS", "1"};
};

size_t mebibytes_for(const char* file) {
  const char* slash = std::strrchr(file, '/');
  const char* name = slash ? slash + 1 : file;
  const Need* need = kNeeds;
  while (!std::strstr(name, need->part_of_name)) ++need;
  return need->mebibytes;
}

std::string problem_of_loading(const char* file) {
  const char* text = dlerror();
  if (!text) return "not loaded";
  if (std::strstr(text, "No such file")) return "not found";
  // The message begins with the file name.
  size_t length = std::strlen(file);
  if (!std::strncmp(text, file, length) && text[length] == ':') text += length + 2;
  return text;
}

// Loads a library by its name or path. Returns null and sets *problem if that fails.
Library* load(const char* file, std::string* problem) {
  void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle) {
    for (int k = 0; k < libraries_loaded; ++k) {
      if (libraries[k].handle != handle) continue;
      dlclose(handle);
      return &libraries[k];
    }
    dlclose(handle);
  } else if (std::strchr(file, '/') && access(file, F_OK) != 0) {
    *problem = "not found";
    return nullptr;
  } else if (size_t needed = mebibytes_for(file); !has_address_space(needed << 20)) {
    *problem = "out of memory: it needs " + std::to_string(needed) + " MiB of address space";
    return nullptr;
  }
  if (libraries_loaded == kMostLibraries) {
    *problem = "too many libraries";
    return nullptr;
  }
  Library* library = &libraries[libraries_loaded];
  OneThreadEnvironment environment;
  library->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library->handle) {
    *problem = problem_of_loading(file);
    return nullptr;
  }
  *problem = prepare(library, file);
  if (!problem->empty()) {
    if (library->handle) dlclose(library->handle);
    library->handle = nullptr;
    return nullptr;
  }
  ++libraries_loaded;
  return library;
}

// Fills missing entries of the table from the library. Returns true if the table is complete.
bool take(void* handle, BlasRoutines* table) {
  bool full = true;
  auto look = [&](Routine* routine, const char* name) {
    if (!*routine) *routine = find_blas_routine(handle, name);
    full = full && *routine;
  };
#define LOOK(name) look(&table->s##name, "s" #name "_"), look(&table->d##name, "d" #name "_");
  TH_BLAS_ROUTINES(LOOK)
#undef LOOK
  return full;
}
bool take(void* handle, LapackRoutines* table) {
  bool full = true;
  auto look = [&](Routine* routine, const char* name) {
    *routine = reinterpret_cast<Routine>(dlsym(handle, name));
    full = full && *routine;
  };
#define LOOK(name, ...) look(&table->s##name, "s" #name "_"), look(&table->d##name, "d" #name "_");
  TH_LAPACK_ROUTINES(LOOK, )
#undef LOOK
  return full;
}

// Fills a table from the files, in order. Returns the first library that was used, or null.
template <class Table>
Library* fill(Files files, Table* table, bool* full, Attempts* attempts) {
  for (int k = 0; k < files.count; ++k) {
    std::string problem;
    Library* library = load(files.names[k], &problem);
    if (!library) {
      attempts->add(files.names[k], problem);
      continue;
    }
    Table copy = *table;
    *full = take(library->handle, &copy);
    // All of LAPACK must come from one library.
    if (!*full && std::is_same_v<Table, LapackRoutines>) {
      attempts->add(files.names[k], "it lacks some of LAPACK");
      continue;
    }
    *table = copy;
    return library;
  }
  return nullptr;
}

bool chosen_files(Choice* chosen, const char** path) {
  const char* choice_text = std::getenv("TENSOR_BLAS");
  if (!choice_text || !*choice_text) return false;
  if (std::strchr(choice_text, '/')) {
    *path = choice_text;
    *chosen = {choice_text, {path, 1}};
    return true;
  }
  for (const Choice& choice : kChoices) {
    if (std::strcmp(choice.name, choice_text) != 0) continue;
    *chosen = choice;
    return true;
  }
  fail("TENSOR_BLAS is '%s', which is neither a path nor one of openblas, blis, mkl and onednn",
       choice_text);
}

std::string text_of(const Library& library) { return library.name + ", " + library.path; }

Library* load_blas() {
  Attempts attempts;
  Choice chosen;
  const char* path;
  BlasRoutines table;
  bool full = false;
  Library* first = nullptr;
  std::string text;
  if (chosen_files(&chosen, &path)) {
    first = fill(chosen.files, &table, &full, &attempts);
    if (!first) attempts.fail_for("BLAS");
    text = text_of(*first);
  }
  for (Files files : {files_of(kOpenBlasFiles), files_of(kBlisFiles), files_of(kBlasFiles)}) {
    if (full) break;
    Library* library = fill(files, &table, &full, &attempts);
    if (!library) continue;
    text += (first ? "; for what it lacks " : "") + text_of(*library);
    // Buffers are managed for the library that needs them.
    if (!first || library->make_buffer) first = library;
  }
  if (!full) attempts.fail_for("BLAS");
  blas_text = text;
  blas_table = table;
  return first;
}

Library* load_lapack() {
  Library* own = &blas_library();
  Attempts attempts;
  bool full = false;
  const char* path = own->path.c_str();
  LapackRoutines table;
  Library* library = nullptr;
  for (Files files : {Files{&path, 1}, files_of(kOpenBlasFiles), files_of(kLapackFiles)}) {
    library = fill(files, &table, &full, &attempts);
    if (library) break;
  }
  if (!library) attempts.fail_for("LAPACK");
  lapack_table = table;
  return library;
}

template <class Load>
Library& once(std::atomic<Library*>* library, const Load& load_it) {
  if (Library* there = library->load(std::memory_order_acquire)) return *there;
  std::lock_guard<std::mutex> lock(loading);
  Library* there = library->load(std::memory_order_relaxed);
  if (!there) {
    there = load_it();
    library->store(there, std::memory_order_release);
  }
  return *there;
}

// The returned text is never freed, because callers keep it. There are few different texts.
template <class Text>
const char* described(const Text& text) {
  static std::mutex mutex;
  static auto* texts = new std::set<std::string>;
  std::string own;
  try {
    own = text();
  } catch (const Error& error) {
    own = std::string("none: ") + error.what();
  }
  std::lock_guard<std::mutex> lock(mutex);
  return texts->insert(std::move(own)).first->c_str();
}

}  // namespace

bool has_address_space(size_t bytes) noexcept {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, bytes);
  return true;
}

Library& blas_library() { return once(&blas, load_blas); }
Library& lapack_library() {
  blas_library();
  return once(&lapack, load_lapack);
}
const char* blas_description() {
  return described([] { return blas_library(), blas_text; });
}
const char* lapack_description() {
  return described([] { return text_of(lapack_library()); });
}
const BlasRoutines& blas_routines() noexcept { return blas_table; }
const LapackRoutines& lapack_routines() noexcept { return lapack_table; }
Library* loaded_library(int k) noexcept {
  return k < libraries_loaded.load(std::memory_order_acquire) ? &libraries[k] : nullptr;
}

}  // namespace th::blas

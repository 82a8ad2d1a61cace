#include "THGeneral.h"

#include <atomic>
#include <csetjmp>
#include <cstdarg>
#include <cstring>
#include <initializer_list>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "TH_build_info.h"
#include "base/thread_end.h"
#include "cpu/blas_library.h"
#include "cpu/isa.h"
#include "cpu/parallel.h"
#include "generic/deferred.h"
#include "generic/guard.h"
#include "memory/c_errors.h"
#include "memory/caller_blocks.h"
#include "memory/heap.h"
#include "ops/product.h"
#include "tensor/tensor.h"

namespace th {

namespace {

template <class Function>
struct Handler {
  Function function = nullptr;
  void* data = nullptr;
  int level = 0;  // number of OpenMP regions around the call that set the handler
};

thread_local Handler<THErrorHandlerFunction> error_handler;
thread_local Handler<THArgErrorHandlerFunction> argument_handler;
Handler<THErrorHandlerFunction> default_error_handler;
Handler<THArgErrorHandlerFunction> default_argument_handler;
// True once the program has set a handler or called THTry.
std::atomic<bool> has_handler{false};

template <class Function>
void set_handler(Handler<Function>* handler, Function function, void* data) {
  *handler = {function, data, region_level()};
  if (function) has_handler.store(true);
}

// A running THTry.
class Attempt {
 public:
  // Call only after reserve() has returned true.
  Attempt(void* frame, char* message, size_t length);
  ~Attempt();  // also runs when a C++ exception passes through
  // Allocates memory for one more attempt. Returns false if memory has run out.
  static bool reserve() noexcept;
  jmp_buf escape;

  // Returns the attempt that catches an error of the function with this frame; null: none.
  static Attempt* innermost(void* frame);
  void keep(int argument, const char* text);
  int level() const { return level_; }

 private:
  struct Registration {
    Attempt* attempt;
    void* frame;
  };
  using Registrations = std::vector<Registration>;
  static void release_all() { delete std::exchange(all, nullptr); }
  static thread_local Registrations* all;  // null until the thread's first attempt
  static thread_local ThreadEnd end;

  char* message_;
  size_t length_;
  int level_ = region_level();
  // Its own address, until the memory is overwritten.
  Attempt* volatile self_;
};
thread_local Attempt::Registrations* Attempt::all = nullptr;
thread_local ThreadEnd Attempt::end = {release_all};

bool Attempt::reserve() noexcept {
  try {
    if (!at_thread_end(end)) return false;
    if (!all) all = new Registrations;
    if (all->size() == all->capacity()) all->reserve(2 * all->size() + 4);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Attempt::Attempt(void* frame, char* message, size_t length)
    : message_(message), length_(message ? length : 0), self_(this) {
  innermost(frame);
  all->push_back({this, frame});
  has_handler.store(true);
}

Attempt::~Attempt() {
  while (all->back().attempt != this) all->pop_back();
  all->pop_back();
  self_ = nullptr;
}

// A body that is left by longjmp leaves its THTry registered. Such an attempt is below the current
// stack, or its memory has been reused, so the bytes read here may be arbitrary.
__attribute__((no_sanitize("address"), noinline)) Attempt* Attempt::innermost(void* frame) {
  while (all && !all->empty()) {
    const Registration& last = all->back();
    bool is_abandoned = last.frame < frame || last.attempt->self_ != last.attempt;
    if (!is_abandoned) return last.attempt;
    all->pop_back();
  }
  return nullptr;
}

void Attempt::keep(int argument, const char* text) {
  if (length_ == 0) return;
  if (argument) {
    std::snprintf(message_, length_, "bad argument #%d (%s)", argument, text);
  } else {
    std::snprintf(message_, length_, "%s", text);
  }
}

void call_handlers(int argument, const char* message, void* frame) {
  if (Attempt* attempt = Attempt::innermost(frame)) {
    attempt->keep(argument, message);
    longjmp(attempt->escape, 1);
  }
  if (argument) {
    for (auto handler : {argument_handler, default_argument_handler}) {
      if (handler.function) handler.function(argument, message, handler.data);
    }
  } else {
    for (auto handler : {error_handler, default_error_handler}) {
      if (handler.function) handler.function(message, handler.data);
    }
  }
}

// Returns true if the handler of an error is outside of an OpenMP region that the calling thread is
// in.
template <class Function>
bool is_handled_outside(const Handler<Function>& own, const Handler<Function>& by_default,
                        void* frame) {
  int level = region_level();
  if (level == 0 || !has_handler.load()) return false;
  if (Attempt* attempt = Attempt::innermost(frame)) return attempt->level() < level;
  return own.function ? own.level < level : !by_default.function;
}

[[noreturn]] void raise_text(int argument, const char* message, void* frame) {
  call_handlers(argument, message, frame);
  // There is no handler, or the handlers returned.
  if (argument) {
    std::fprintf(stderr, "Error: bad argument #%d (%s)\n", argument, message);
  } else {
    std::fprintf(stderr, "Error: %s\n", message);
  }
  std::abort();
}

void raise(const char* function, int argument, const char* text, void* frame) {
  char message[Error::kLength + 100];
  std::snprintf(message, sizeof(message), "%s: %s", function, text);
  bool outside = argument ? is_handled_outside(argument_handler, default_argument_handler, frame)
                          : is_handled_outside(error_handler, default_error_handler, frame);
  if (outside) return defer_error(argument, message);
  raise_text(argument, message, frame);
}

bool ends_in(const char* text, const char* end) {
  size_t length = std::strlen(text), n = std::strlen(end);
  return length >= n && !std::strcmp(text + length - n, end);
}

// Raises a deferred error, but not in functions that free, and only outside of parallel regions.
// Returns false if the function must do nothing, because its thread has failed before.
bool may_begin(const char* function, void* frame) {
  if (ends_in(function, "_free") || !std::strcmp(function, "THFree")) return true;
  int argument;
  char message[Error::kLength];
  if (take_deferred(&argument, message, sizeof(message))) raise_text(argument, message, frame);
  return !thread_has_failed();
}

}  // namespace

void run_guarded(void (*body)(void* context), void* context, const char* function, void* frame) {
  if (deferred_error.load(std::memory_order_relaxed) != 0 && !may_begin(function, frame)) return;
  int argument = 0;
  char text[Error::kLength];
  auto keep = [&](const char* message) { std::snprintf(text, sizeof(text), "%s", message); };
  try {
    CountFrom counting(0);
    body(context);
    return;
  } catch (const Error& error) {
    argument = error.argument();
    keep(error.what());
  } catch (const std::bad_alloc&) {
    keep("out of memory");
  } catch (const std::exception& error) {
    keep(error.what());
  }
  raise(function, argument, text, frame);
}

}  // namespace th

extern "C" {

void THSetErrorHandler(THErrorHandlerFunction handler, void* data) {
  th::set_handler(&th::error_handler, handler, data);
}
void THSetArgErrorHandler(THArgErrorHandlerFunction handler, void* data) {
  th::set_handler(&th::argument_handler, handler, data);
}
THErrorHandlerFunction THGetErrorHandler(void** data) {
  *data = th::error_handler.data;
  return th::error_handler.function;
}
THArgErrorHandlerFunction THGetArgErrorHandler(void** data) {
  *data = th::argument_handler.data;
  return th::argument_handler.function;
}
void THSetDefaultErrorHandler(THErrorHandlerFunction handler, void* data) {
  th::set_handler(&th::default_error_handler, handler, data);
}
void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction handler, void* data) {
  th::set_handler(&th::default_argument_handler, handler, data);
}

namespace {
bool try_body(void (*body)(void*), void* data, char* message, size_t length) {
  return THTry(body, data, message, length) == 0;
}
[[maybe_unused]] const bool catches = (th::catch_c_error = try_body, true);
}  // namespace

int THTry(void (*body)(void*), void* data, char* message, size_t length) {
  if (!th::Attempt::reserve()) {
    if (message && length) std::snprintf(message, length, "out of memory");
    return -1;
  }
  th::Attempt attempt(__builtin_frame_address(0), message, length);
  if (setjmp(attempt.escape) != 0) return -1;
  body(data);
  int argument;
  char text[th::Error::kLength];
  if (!th::take_deferred(&argument, text, sizeof(text))) return 0;
  attempt.keep(argument, text);
  return -1;
}

void _THError(const char* file, const int line, const char* format, ...) {
  char text[th::Error::kLength], message[th::Error::kLength];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  int n = std::snprintf(message, sizeof(message), "%s at %s:%d", text, file, line);
  th::raise_text(0, n < static_cast<int>(sizeof(message)) ? message : text,
                 __builtin_frame_address(0));
}

void _THAssertionFailed(const char* file, const int line, const char* expression,
                        const char* format, ...) {
  char text[th::Error::kLength];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  _THError(file, line, "Assertion `%s' failed. %s", expression, text);
}

void _THArgCheck(const char* file, const int line, int condition, int argument, const char* format,
                 ...) {
  if (condition) return;
  char text[th::Error::kLength], message[th::Error::kLength];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  int n = std::snprintf(message, sizeof(message), "%s at %s:%d", text, file, line);
  th::raise_text(argument, n < static_cast<int>(sizeof(message)) ? message : text,
                 __builtin_frame_address(0));
}

THDescBuff _THSizeDesc(const int64_t* size, const int64_t ndim) {
  THDescBuff buffer;
  th::guard([&] {
    std::string text = th::shape_text(static_cast<int>(ndim), size);
    if (text.size() >= TH_DESC_BUFF_LEN) text = text.substr(0, TH_DESC_BUFF_LEN - 5) + "...]";
    std::snprintf(buffer.str, sizeof(buffer.str), "%s", text.c_str());
  });
  return buffer;
}

void* THAlloc(ptrdiff_t size) {
  return th::guard([&] { return th::caller_allocate(size); });
}
void* THRealloc(void* block, ptrdiff_t size) {
  return th::guard([&] { return th::caller_reallocate(block, size); });
}
void THFree(void* block) { th::caller_free(block); }
void THSetGCHandler(void (*collect)(void*), void* data) { th::set_collector(collect, data); }
void THHeapUpdate(ptrdiff_t size) { th::heap_account(size, 0); }
void THMemoryUsage(int64_t* bytes, int64_t* blocks) {
  th::HeapUsage usage = th::heap_usage();
  if (bytes) *bytes = usage.bytes;
  if (blocks) *blocks = usage.blocks;
}

void THSetNumThreads(int n) {
  th::guard([&] { th::set_num_threads(n); });
}
int THGetNumThreads(void) { return th::num_threads(); }
int THGetNumCores(void) { return static_cast<int>(std::thread::hardware_concurrency()); }
void THInferNumThreads(void) { th::infer_num_threads(); }

void THSetTF32(int allowed) { th::allow_tf32(allowed != 0); }
int THGetTF32(void) { return th::allows_tf32(); }

const char* THInfo(const char* key) {
  if (!key) return nullptr;
  struct Fact {
    const char* key;
    const char* value;
  };
  // The BLAS and LAPACK libraries are loaded at the first request.
  if (!std::strcmp(key, "blas")) return th::guard([] { return th::blas::blas_description(); });
  if (!std::strcmp(key, "lapack")) return th::guard([] { return th::blas::lapack_description(); });
  const Fact facts[] = {{"version", TH_VERSION_STRING}, {"compiler", TH_BUILD_COMPILER},
                        {"build", TH_BUILD_TYPE},       {"openmp", TH_BUILD_OPENMP},
                        {"isa", th::isa_name()},        {"vectormath", TH_BUILD_VECTORMATH},
                        {"sort", TH_BUILD_SORT},        {"protobuf", TH_BUILD_PROTOBUF},
                        {"random", TH_BUILD_RANDOM}};
  for (const Fact& fact : facts) {
    if (!std::strcmp(fact.key, key)) return fact.value;
  }
  return nullptr;
}
}

#include "THGeneral.h"

#include <csetjmp>
#include <cstdarg>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

#include "TH_build_info.h"
#include "cpu/blas.h"
#include "cpu/isa.h"
#include "cpu/parallel.h"
#include "generic/guard.h"
#include "memory/heap.h"
#include "ops/product.h"
#include "tensor/tensor.h"

namespace th {

namespace {

template <class Function>
struct Handler {
  Function function = nullptr;
  void* data = nullptr;
};

thread_local Handler<THErrorHandlerFunction> error_handler;
thread_local Handler<THArgErrorHandlerFunction> argument_handler;
Handler<THErrorHandlerFunction> default_error_handler;
Handler<THArgErrorHandlerFunction> default_argument_handler;

// A THTry that is under way.
class Attempt {
 public:
  Attempt(void* frame, char* message, size_t length);
  ~Attempt();  // also where a C++ exception passes
  jmp_buf escape;

  // That which an error in a function whose frame is given is told; null: none.
  static Attempt* innermost(void* frame);
  void keep(int argument, const char* text);

 private:
  struct Place {
    Attempt* attempt;
    void* frame;
  };
  static thread_local std::vector<Place> all;

  char* message_;
  size_t length_;
  // Its own address, as long as nobody has written over it.
  Attempt* volatile self_;
};
thread_local std::vector<Attempt::Place> Attempt::all;

Attempt::Attempt(void* frame, char* message, size_t length)
    : message_(message), length_(message ? length : 0), self_(this) {
  innermost(frame);
  all.push_back({this, frame});
}

Attempt::~Attempt() {
  while (all.back().attempt != this) all.pop_back();
  all.pop_back();
  self_ = nullptr;
}

// A body that is left by longjmp leaves its THTry behind. It is then further down than the stack
// that is in use, or has been written over since: what is read here may be anything.
__attribute__((no_sanitize("address"), noinline)) Attempt* Attempt::innermost(void* frame) {
  while (!all.empty()) {
    const Place& last = all.back();
    bool left = last.frame < frame || last.attempt->self_ != last.attempt;
    if (!left) return last.attempt;
    all.pop_back();
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

void tell(int argument, const char* message, void* frame) {
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

[[noreturn]] void raise_text(int argument, const char* message, void* frame) {
  tell(argument, message, frame);
  // No handler, or only such as have nobody to tell and return.
  if (argument) {
    std::fprintf(stderr, "Error: bad argument #%d (%s)\n", argument, message);
  } else {
    std::fprintf(stderr, "Error: %s\n", message);
  }
  std::abort();
}

[[noreturn]] void raise(const char* function, int argument, const char* text, void* frame) {
  // Some messages name the operation, which is the last part of the function's name.
  const char* op = std::strrchr(function, '_');
  if (size_t length = op ? std::strlen(++op) : 0) {
    if (!std::strncmp(text, op, length) && !std::strncmp(text + length, ": ", 2)) {
      text += length + 2;
    }
  }
  char message[Error::kLength + 100];
  std::snprintf(message, sizeof(message), "%s: %s", function, text);
  raise_text(argument, message, frame);
}

}  // namespace

void run_guarded(void (*body)(void* context), void* context, const char* function, void* frame) {
  int argument = 0;
  char text[Error::kLength];
  auto keep = [&](const char* message) { std::snprintf(text, sizeof(text), "%s", message); };
  try {
    CountFromZero counting;
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
  th::error_handler = {handler, data};
}
void THSetArgErrorHandler(THArgErrorHandlerFunction handler, void* data) {
  th::argument_handler = {handler, data};
}
void THSetDefaultErrorHandler(THErrorHandlerFunction handler, void* data) {
  th::default_error_handler = {handler, data};
}
void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction handler, void* data) {
  th::default_argument_handler = {handler, data};
}

int THTry(void (*body)(void*), void* data, char* message, size_t length) {
  th::Attempt attempt(__builtin_frame_address(0), message, length);
  if (setjmp(attempt.escape) != 0) return -1;
  body(data);
  return 0;
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
  return th::guard([&] {
    if (size < 0) th::fail("THAlloc: %td bytes asked for", size);
    return th::heap_allocate(size);
  });
}
void* THRealloc(void* block, ptrdiff_t size) {
  return th::guard([&] {
    if (size < 0) th::fail("THRealloc: %td bytes asked for", size);
    return th::heap_reallocate(block, size);
  });
}
void THFree(void* block) { th::heap_free(block); }
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
  static const char* const blas = th::blas::description();
  const Fact facts[] = {{"version", TH_VERSION_STRING},
                        {"compiler", TH_BUILD_COMPILER},
                        {"build", TH_BUILD_TYPE},
                        {"blas", blas},
                        {"openmp", TH_BUILD_OPENMP},
                        {"isa", th::isa_name()},
                        {"vectormath", TH_BUILD_VECTORMATH},
                        {"sort", TH_BUILD_SORT},
                        {"protobuf", TH_BUILD_PROTOBUF},
                        {"random", TH_BUILD_RANDOM}};
  for (const Fact& fact : facts) {
    if (!std::strcmp(fact.key, key)) return fact.value;
  }
  return nullptr;
}
}

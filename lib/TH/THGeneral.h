#ifndef TH_GENERAL_INC
#define TH_GENERAL_INC

/* The basis of all TH headers: linkage, name pasting, errors, memory, threads. */

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#ifdef __cplusplus
#define TH_EXTERNC extern "C"
#else
#define TH_EXTERNC extern
#endif

#if defined(__GNUC__) || defined(__clang__)
#define TH_API TH_EXTERNC __attribute__((visibility("default")))
#define TH_NORETURN __attribute__((noreturn))
#define TH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TH_API TH_EXTERNC
#define TH_NORETURN
#define TH_PRINTF(fmt, args)
#endif

/* First value of the indices stored in LongTensors: results of max, sort, nonzero, ..., arguments
   of gather, indexSelect, .... The same in C and Lua. Dimensions and offsets passed as C arguments
   count from 0. */
#define TH_INDEX_BASE 1

#define TH_CONCAT_STRING_2(x, y) TH_CONCAT_STRING_2_EXPAND(x, y)
#define TH_CONCAT_STRING_2_EXPAND(x, y) #x #y
#define TH_CONCAT_STRING_3(x, y, z) TH_CONCAT_STRING_3_EXPAND(x, y, z)
#define TH_CONCAT_STRING_3_EXPAND(x, y, z) #x #y #z
#define TH_CONCAT_STRING_4(x, y, z, w) TH_CONCAT_STRING_4_EXPAND(x, y, z, w)
#define TH_CONCAT_STRING_4_EXPAND(x, y, z, w) #x #y #z #w
#define TH_CONCAT_2(x, y) TH_CONCAT_2_EXPAND(x, y)
#define TH_CONCAT_2_EXPAND(x, y) x##y
#define TH_CONCAT_3(x, y, z) TH_CONCAT_3_EXPAND(x, y, z)
#define TH_CONCAT_3_EXPAND(x, y, z) x##y##z
#define TH_CONCAT_4(x, y, z, w) TH_CONCAT_4_EXPAND(x, y, z, w)
#define TH_CONCAT_4_EXPAND(x, y, z, w) x##y##z##w

/* libTH is built with BLAS and LAPACK. */
#ifndef USE_BLAS
#define USE_BLAS 1
#endif
#ifndef USE_LAPACK
#define USE_LAPACK 1
#endif
#ifndef BLAS_USE_CBLAS_DOT
#define BLAS_USE_CBLAS_DOT 1 /* dot returns a float as C does (not a double as f2c does) */
#endif

#define THMin(X, Y) ((X) < (Y) ? (X) : (Y))
#define THMax(X, Y) ((X) > (Y) ? (X) : (Y))

/* ---- errors ------------------------------------------------------------------------------ */

/* The error handler is called after TH has released everything that the failed function held. It
   must not return: it leaves by longjmp, by lua_error, or by ending the process. If it does return,
   the default handler is called, and then the process is aborted. A thread without its own handler
   uses the process-wide default, which initially writes the message to stderr and aborts. */
typedef void (*THErrorHandlerFunction)(const char* msg, void* data);
/* argNumber counts the arguments of the C function from 1. */
typedef void (*THArgErrorHandlerFunction)(int argNumber, const char* msg, void* data);

/* Handlers of the calling thread; NULL restores the process-wide default. */
TH_API void THSetErrorHandler(THErrorHandlerFunction new_handler, void* data);
TH_API void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void* data);
/* Return the handler of the calling thread, NULL if it has none, and store its data, so that a
   library can restore it. */
TH_API THErrorHandlerFunction THGetErrorHandler(void** data);
TH_API THArgErrorHandlerFunction THGetArgErrorHandler(void** data);
/* Process-wide defaults for threads without a handler; NULL restores "message and abort". */
TH_API void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void* data);
TH_API void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void* data);

/* Calls body(data). Returns 0, or -1 if a TH function called from body failed; then message
   contains the error message, truncated to length bytes. length may be 0. After a failure the rest
   of body does not run, so the caller has to release through data what body had acquired. body must
   be C, or C++ without destructors to run. Calls may be nested. body may be left by a C++
   exception. It should not be left by longjmp: that is detected at the next error, but not
   reliably. */
TH_API int THTry(void (*body)(void* data), void* data, char* message, size_t length);

TH_API TH_NORETURN void _THError(const char* file, const int line, const char* fmt, ...)
    TH_PRINTF(3, 4);
TH_API TH_NORETURN void _THAssertionFailed(const char* file, const int line, const char* exp,
                                           const char* fmt, ...) TH_PRINTF(4, 5);
TH_API void _THArgCheck(const char* file, const int line, int condition, int argNumber,
                        const char* fmt, ...) TH_PRINTF(5, 6);

#define THError(...) _THError(__FILE__, __LINE__, __VA_ARGS__)
#define THCleanup(...) __VA_ARGS__
#define THArgCheck(...) _THArgCheck(__FILE__, __LINE__, __VA_ARGS__)
#define THArgCheckWithCleanup(condition, cleanup, ...)         \
  do                                                           \
    if (!(condition)) {                                        \
      cleanup _THArgCheck(__FILE__, __LINE__, 0, __VA_ARGS__); \
    }                                                          \
  while (0)
#define THAssert(exp)                                         \
  do {                                                        \
    if (!(exp)) {                                             \
      _THAssertionFailed(__FILE__, __LINE__, #exp, "%s", ""); \
    }                                                         \
  } while (0)
#define THAssertMsg(exp, ...)                                    \
  do {                                                           \
    if (!(exp)) {                                                \
      _THAssertionFailed(__FILE__, __LINE__, #exp, __VA_ARGS__); \
    }                                                            \
  } while (0)

/* A shape as text, such as "[2 x 3]". Text that does not fit is truncated and ends in "...". */
#define TH_DESC_BUFF_LEN 64
typedef struct {
  char str[TH_DESC_BUFF_LEN];
} THDescBuff;
TH_API THDescBuff _THSizeDesc(const int64_t* size, const int64_t ndim);

/* ---- memory ------------------------------------------------------------------------------ */

/* Blocks of TH's heap, aligned to 64 bytes. size is in bytes; size 0 returns NULL. If memory runs
   out, the garbage collection handler of the thread is called once, then the allocation is retried;
   a second failure is an error. */
TH_API void* THAlloc(ptrdiff_t size);
TH_API void* THRealloc(void* ptr, ptrdiff_t size);
TH_API void THFree(void* ptr);
/* Sets the function that is called on the calling thread when memory runs out, before the retry.
   NULL removes it. It should catch its errors: if an error handler leaves it by longjmp, the
   interrupted function leaks memory and may leave its results resized. */
TH_API void THSetGCHandler(void (*torchGCHandlerFunction)(void* data), void* data);
/* Adds size bytes, which may be negative, to the accounting of memory that TH did not allocate
   itself. */
TH_API void THHeapUpdate(ptrdiff_t size);
/* Returns the bytes and blocks of host memory in use in the whole process, including those that a
   device allocates. Either pointer may be NULL. */
TH_API void THMemoryUsage(int64_t* bytes, int64_t* blocks);

/* ---- threads ----------------------------------------------------------------------------- */

/* Sets the number of threads of one operation, and of the program's OpenMP regions, from 1 to
   4096. */
TH_API void THSetNumThreads(int num_threads);
TH_API int THGetNumThreads(void);
TH_API int THGetNumCores(void);
/* Resets the number of threads to the value that OpenMP takes from its environment. For
   compatibility with Torch7. */
TH_API void THInferNumThreads(void);

/* ---- devices ------------------------------------------------------------------------------- */

/* Allows matrix products of FloatTensors on a GPU to round their factors to TF32 (10 bits of
   mantissa), which is several times faster. Initially off. */
TH_API void THSetTF32(int allowed);
TH_API int THGetTF32(void);

/* ---- what this library is ---------------------------------------------------------------- */

/* Returns a fact about the build or the running library, or NULL for an unknown key. Keys:
   "version", "compiler", "build", "blas", "lapack", "openmp", "isa", "vectormath", "sort",
   "protobuf". */
TH_API const char* THInfo(const char* key);

#endif

#ifndef TH_GENERAL_INC
#define TH_GENERAL_INC

/* What every TH header rests on: linkage, name pasting, errors, plain memory, threads. */

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Indices kept in LongTensors (from max, sort, nonzero, ...; for gather, indexSelect, ...) count
   from here, in C as in Lua. Dimensions and offsets passed as C arguments count from 0. */
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
#define BLAS_USE_CBLAS_DOT 1 /* dot gives its float as C does */
#endif

#define THMin(X, Y) ((X) < (Y) ? (X) : (Y))
#define THMax(X, Y) ((X) > (Y) ? (X) : (Y))

/* ---- errors ------------------------------------------------------------------------------ */

/* A handler is told of an error once everything TH held has been released. It should not return:
   it leaves by longjmp, by lua_error, or by ending the process. When it does return, the default
   handler is told, and then the process is aborted. A thread that set no handler uses the
   process-wide default, whose default writes the message to stderr and aborts. */
typedef void (*THErrorHandlerFunction)(const char* msg, void* data);
/* argNumber counts the arguments of the C function from 1. */
typedef void (*THArgErrorHandlerFunction)(int argNumber, const char* msg, void* data);

/* Handlers of the calling thread; NULL restores the process-wide default. */
TH_API void THSetErrorHandler(THErrorHandlerFunction new_handler, void* data);
TH_API void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void* data);
/* Process-wide defaults for threads without a handler; NULL restores "message and abort". */
TH_API void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void* data);
TH_API void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void* data);

/* Runs body(data) and gives back 0, or -1 when a TH function called from it failed; then the
   message is in message (cut to length bytes, which may be 0). After a failure the rest of body
   does not run: what it had acquired before is for the caller to release, through data. body must
   be C, or C++ without destructors to run. Calls may nest. A body may be left by a C++ exception.
   It should not be left by longjmp: that is noticed at the next error, and the call then forgotten,
   but not for certain. */
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

/* A shape as text, such as "[2 x 3]"; cut with "..." where it would not fit. */
#define TH_DESC_BUFF_LEN 64
typedef struct {
  char str[TH_DESC_BUFF_LEN];
} THDescBuff;
TH_API THDescBuff _THSizeDesc(const int64_t* size, const int64_t ndim);

/* ---- memory ------------------------------------------------------------------------------ */

/* 64-byte aligned blocks of TH's heap; size in bytes; 0 gives NULL. Out of memory is an error,
   after the collector handler of the thread, if any, had its chance. */
TH_API void* THAlloc(ptrdiff_t size);
TH_API void* THRealloc(void* ptr, ptrdiff_t size);
TH_API void THFree(void* ptr);
/* Called on the calling thread when memory runs out, before the one retry. NULL: none. */
TH_API void THSetGCHandler(void (*torchGCHandlerFunction)(void* data), void* data);
/* Tells the accounting of memory TH did not allocate itself; size in bytes, may be negative. */
TH_API void THHeapUpdate(ptrdiff_t size);
/* Bytes and blocks in use now, in the whole process; either pointer may be NULL. */
TH_API void THMemoryUsage(int64_t* bytes, int64_t* blocks);

/* ---- threads ----------------------------------------------------------------------------- */

/* Threads for one operation, in OpenMP regions and in BLAS alike; n < 1 is an error. */
TH_API void THSetNumThreads(int num_threads);
TH_API int THGetNumThreads(void);
TH_API int THGetNumCores(void);
/* Torch7 compatible: takes the thread count from OpenMP's environment again. */
TH_API void THInferNumThreads(void);

/* ---- devices ------------------------------------------------------------------------------- */

/* Whether products of FloatTensors on a GPU may round their factors to TF32 (10 bits of mantissa),
   which is several times as fast there. At first they may not. */
TH_API void THSetTF32(int allowed);
TH_API int THGetTF32(void);

/* ---- what this library is ---------------------------------------------------------------- */

/* The value of a build or run-time fact, NULL for an unknown key. Keys: "version", "compiler",
   "build", "blas", "lapack", "openmp", "isa", "vectormath", "sort", "protobuf". */
TH_API const char* THInfo(const char* key);

#endif

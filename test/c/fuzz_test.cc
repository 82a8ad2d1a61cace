// Random calls of the generated C functions, of all element types, in separate processes. If a
// process dies, hangs, leaks or changes objects wrongly, it is run again with ever fewer calls, and
// the remaining calls are printed.
//
// In the environment: TH_FUZZ_CALLS, the number of calls; TH_FUZZ_SEED, the first seed. If the
// library of test/failing is preloaded, allocations fail in every second call.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fuzz_arguments.h"

namespace fuzz {
#define TH_GENERIC_FILE "../../test/c/fuzz_functions.h"
#include "THGenerateEveryType.h"
}  // namespace fuzz

// The sanitizers call these functions before instrumented ones can run.
#if defined(__clang__) && defined(__SANITIZE_THREAD__)
#define TH_FOR_SANITIZER __attribute__((visibility("default"), disable_sanitizer_instrumentation))
#else
#define TH_FOR_SANITIZER __attribute__((visibility("default")))
#endif
// Errors of memory that there is not are wanted; it need not take long.
#define TH_SANITIZER_OPTIONS "max_allocation_size_mb=256:allocator_may_return_null=1"
extern "C" const char* __asan_default_options();
extern "C" TH_FOR_SANITIZER const char* __asan_default_options() { return TH_SANITIZER_OPTIONS; }
extern "C" const char* __tsan_default_options();
extern "C" TH_FOR_SANITIZER const char* __tsan_default_options() { return TH_SANITIZER_OPTIONS; }

namespace fuzz {

constexpr int kCallsOfSequence = 40;

// The report of a process to its parent.
struct Report {
  uint64_t seed;
  int call;
  int64_t calls;
  int64_t succeeded;
  int64_t without_memory;  // calls in which an allocation was made to fail
  int64_t functions;       // of which a call succeeded
  char wrong[2000];
};
Report* report = nullptr;
bool verbose = false;

[[noreturn]] void wrong(const std::string& text) {
  std::snprintf(report->wrong, sizeof(report->wrong), "%s", text.c_str());
  _exit(3);
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
#define TH_TYPE(Name, ...) list_##Name(list);
#include "THTypes.def"
#undef TH_TYPE
    return list;
  }();
  return all;
}

template <class F>
void each_class(F f) {
#define TH_TYPE(Name, ...) f(Pool<TH##Name##Tensor>());
#include "THTypes.def"
#undef TH_TYPE
#define TH_TYPE(Name, ...) f(Pool<TH##Name##Storage>());
#include "THTypes.def"
#undef TH_TYPE
  f(Pool<THFloatBlob>());
  f(Pool<THDoubleBlob>());
}

// Describes the parts of an object that a failed call must not change.
template <class T>
auto picture(T* t, int) -> decltype(t->nDimension, std::string()) {
  std::string text = "at " + std::to_string(t->storageOffset);
  for (int d = 0; d < t->nDimension; ++d) {
    if (t->size[d] < 0 || t->stride[d] < 0) wrong("a size or stride is negative");
    text += " " + std::to_string(t->size[d]) + ":" + std::to_string(t->stride[d]);
  }
  if (t->storageOffset < 0) wrong("an offset is negative");
  if (t->refcount != 1) wrong("a tensor has " + std::to_string(t->refcount) + " references");
  // It may have got a storage without elements.
  return text + " of " + std::to_string(t->storage ? t->storage->size : 0);
}
template <class S>
auto picture(S* s, int) -> decltype(s->data, std::string()) {
  if (s->size < 0) wrong("a storage of negative size");
  if (s->refcount < 1) wrong("a storage has " + std::to_string(s->refcount) + " references");
  return std::to_string(s->size);
}
template <class B>
std::string picture(B* blob, long) {
  return Class<B>::text(blob);
}
std::string picture_of_all() {
  std::string text;
  each_class([&](auto pool) {
    for (auto* object : pool.objects) text += object ? picture(object, 0) + "; " : "; ";
  });
  return text;
}

// The functions of the library that makes allocations fail; null if it is not there.
const auto arm = reinterpret_cast<void (*)(long, int)>(dlsym(RTLD_DEFAULT, "failing_malloc_arm"));
const auto disarm = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "failing_malloc_disarm"));

// Which allocation of a call fails, and whether all that follow fail, too.
struct Failing {
  long first;  // 0: none
  bool all;
  explicit Failing(Random& random)
      : first(arm && random.once_in(2) ? 1 + random.below(random.once_in(4) ? 40 : 8) : 0),
        all(random.once_in(2)) {}
};

void attempt(const Function& function, const std::string& arguments, Call& call, Random& random) {
  const Failing failing(random);
  if (verbose) {
    std::fprintf(stderr, "  %s %s(%s)", function.type, function.name, arguments.c_str());
    if (failing.first) {
      std::fprintf(stderr, ", allocation %ld%s fails", failing.first, failing.all ? " on" : "");
    }
    std::fprintf(stderr, "\n");
  }
  char message[600] = "";
  // Errors that a device still has to report belong to earlier calls.
  THTry([](void*) { THSynchronize(nullptr); }, nullptr, message, sizeof(message));
  std::string before = picture_of_all();
  if (failing.first) arm(failing.first, failing.all);
  bool failed = THTry(function.run, &call, message, sizeof(message)) != 0;
  if (failing.first && disarm() >= failing.first) ++report->without_memory;
  std::string after = picture_of_all();
  ++report->calls;
  report->succeeded += !failed;
  if (!failed) return;
  if (verbose) std::fprintf(stderr, "    %s\n", message);
  if (std::strlen(message) < 4 || std::strstr(message, "std::")) {
    wrong(std::string("the message is ") + message);
  }
  // Errors of values on a device are found after the result got its shape.
  if (before != after && !stay_on_default_device) {
    wrong(std::string("sizes changed though it failed: ") + message);
  }
}

void clear_all() {
  // Tensors and storages hold each other by reference counts: in any order.
  each_class([](auto pool) { pool.clear(); });
}

// Returns the memory in use without any object, on host and devices.
std::string usage() {
  char message[200];
  THTry([](void*) { THSynchronize(nullptr); }, nullptr, message, sizeof(message));
  THEmptyCache(nullptr);
  int64_t bytes, blocks;
  THMemoryUsage(&bytes, &blocks);
  THDeviceUsage device;
  THGetDeviceUsage("soft", &device);
  return std::to_string(bytes) + " bytes in " + std::to_string(blocks) + " blocks, " +
         std::to_string(device.used) + " bytes on the device";
}

void run_call(uint64_t seed, int call) {
  Random random(seed * 1000003 + static_cast<uint64_t>(call));
  const Function& function = functions()[random.below(static_cast<int64_t>(functions().size()))];
  call_with_random(function, random);
}

// The calls of a sequence that are not left out.
void run_sequence(uint64_t seed, const std::vector<bool>& left_out) {
  struct itimerval limit = {};
  limit.it_value.tv_sec = 20;
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(240);
  report->seed = seed;
  std::string before = usage();
  uint64_t number = 0;
  each_class([&](auto pool) { decltype(pool)::seed = seed * 100 + number++; });
  for (int call = 0; call < kCallsOfSequence; ++call) {
    if (left_out[call]) continue;
    report->call = call;
    run_call(seed, call);
  }
  clear_all();
  std::string after = usage();
  if (before != after) wrong("in use at the end: " + after + ", at the start: " + before);
}

void prepare_process() {
  Argument<THGenerator*>::generator = THGenerator_new();
  THRandom_manualSeed(Argument<THGenerator*>::generator, 1);
  THSetNumThreads(2);
  auto* t = THFloatTensor_newWithSize2d(300, 300);
  THFloatTensor_mm(t, t, t);
  THFloatTensor_free(t);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  long pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  rlim_t bytes = static_cast<rlim_t>(pages) * 4096 + (rlim_t{600} << 20);
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// Runs body in a process of its own; how it ended, in words, empty where well.
template <class F>
std::string run_process(const F& body) {
  std::fflush(nullptr);
  std::memset(report, 0, sizeof(*report));
  pid_t child = fork();
  if (child == 0) {
    prepare_process();
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return std::string("ended by ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == 3) return report->wrong;
  return WEXITSTATUS(status) == 0 ? "" : "ended by a sanitizer";
}

std::string run_sequences(uint64_t first, int64_t count, const std::vector<bool>& left_out,
                          bool tell) {
  return run_process([&] {
    verbose = tell;
    for (int64_t k = 0; k < count; ++k) run_sequence(first + static_cast<uint64_t>(k), left_out);
  });
}

// Returns true for functions that move memory to a device for their caller.
bool is_of_devices(const Function& function) {
  const char* space = std::strrchr(function.name, ' ');
  const std::string name = space ? space + 1 : function.name;
  return name == "to" || name == "prefetch" || name.find("gpu") == 0 ||
         name.find("Gpu") != std::string::npos;
}

// Returns true if the data fields of all objects, and those of a result, are valid.
bool has_valid_data() {
  bool valid = !std::exchange(invalid_result, false);
  each_class([&](auto pool) {
    for (auto* object : pool.objects) {
      using Own = std::remove_pointer_t<decltype(object)>;
      if (object && !Class<Own>::has_valid_data(object)) valid = false;
    }
  });
  return valid;
}

// Calls each function until some calls succeed, with objects that are on a device by default.
// Reports the functions after which a data field is not valid.
void check_data_fields() {
  constexpr uint64_t kMostCalls = 100;
  constexpr int64_t kSuccesses = 3;  // operands may be empty
  stay_on_default_device = true;
  THSetDefaultDevice("soft");
  std::string names;
  for (const Function& function : functions()) {
    if (is_of_devices(function)) continue;
    const int64_t before = report->succeeded;
    for (uint64_t seed = 1; seed <= kMostCalls && report->succeeded < before + kSuccesses; ++seed) {
      each_class([&](auto pool) { decltype(pool)::seed = seed; });
      const int64_t succeeded = report->succeeded;
      Random random(seed);
      call_with_random(function, random);
      if (!has_valid_data()) {
        names += std::string(function.type) + " " + function.name;
        names += report->succeeded > succeeded ? "; " : " after an error; ";
      }
      clear_all();
    }
    report->functions += report->succeeded > before;
  }
  if (!names.empty()) wrong(names);
}

// Removes calls, in ever smaller groups, as long as the rest fails. Returns the remaining calls.
std::string shortened(uint64_t seed, const std::string& failure) {
  std::string kind = failure.substr(0, 12);
  std::vector<bool> left_out(kCallsOfSequence, false);
  for (int size = kCallsOfSequence / 2; size >= 1; size /= 2) {
    for (int first = 0; first < kCallsOfSequence; first += size) {
      std::vector<bool> tried = left_out;
      for (int k = first; k < first + size && k < kCallsOfSequence; ++k) tried[k] = true;
      if (tried == left_out) continue;
      if (run_sequences(seed, 1, tried, false).substr(0, 12) == kind) left_out = tried;
    }
  }
  std::fprintf(stderr, "seed %llu, the calls that are left:\n",
               static_cast<unsigned long long>(seed));
  return run_sequences(seed, 1, left_out, true);
}

int64_t from_environment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

class Fuzz : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    void* shared =
        mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    report = static_cast<Report*>(shared);
  }
};

TEST_F(Fuzz, RandomCallsOfEveryFunction) {
  EXPECT_GT(functions().size(), 1500u);
  const std::vector<bool> all(kCallsOfSequence, false);
  int64_t sequences = from_environment("TH_FUZZ_CALLS", 8000) / kCallsOfSequence;
  auto seed = static_cast<uint64_t>(from_environment("TH_FUZZ_SEED", 1));
  int64_t calls = 0, succeeded = 0, without_memory = 0;
  int failures = 0;
  while (sequences > 0 && failures < 10) {
    int64_t count = sequences < 500 ? sequences : 500;
    std::string failure = run_sequences(seed, count, all, false);
    calls += report->calls;
    without_memory += report->without_memory;
    succeeded += report->succeeded;
    if (failure.empty()) {
      seed += count;
      sequences -= count;
      continue;
    }
    ++failures;
    uint64_t failed = report->seed;
    sequences -= static_cast<int64_t>(failed - seed + 1);
    seed = failed + 1;
    std::string again = shortened(failed, failure);
    ADD_FAILURE() << "seed " << failed << ": " << failure << "; again: " << again;
  }
  // Arguments must not be such that nothing is ever done.
  EXPECT_GT(succeeded * 5, calls);
  std::printf("%lld calls, %lld succeeded; in %lld an allocation was made to fail\n",
              static_cast<long long>(calls), static_cast<long long>(succeeded),
              static_cast<long long>(without_memory));
}

TEST_F(Fuzz, EveryFunctionLeavesTheDataFieldsValid) {
  if (arm) GTEST_SKIP() << "allocations fail";
  EXPECT_EQ(run_process(check_data_fields), "");
  EXPECT_GT(report->functions, 1500);
  std::printf("%lld of %zu functions\n", static_cast<long long>(report->functions),
              functions().size());
}

}  // namespace fuzz

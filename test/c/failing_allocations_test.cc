// Calls while allocations fail, by the preloaded library of test/failing: first calls of threads,
// which register functions for the thread's end, and calls of libraries that do not check malloc.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "TH.h"

namespace {

const auto arm = reinterpret_cast<void (*)(long, int)>(dlsym(RTLD_DEFAULT, "failing_malloc_arm"));
const auto disarm = reinterpret_cast<long (*)()>(dlsym(RTLD_DEFAULT, "failing_malloc_disarm"));

// The objects of a call, freed also if it fails.
struct Objects {
  THDoubleTensor *t = nullptr, *r = nullptr;
  THLongTensor* index = nullptr;
  THTensorReader* reader = nullptr;
  THTensorWriter* writer = nullptr;
  THCsvTable* table = nullptr;
  char* text = nullptr;
  ~Objects() {
    THTensorReader_free(reader);
    THTensorWriter_free(writer);
    THCsvTable_free(table);
    THFree(text);
    if (t) THDoubleTensor_free(t);
    if (r) THDoubleTensor_free(r);
    if (index) THLongTensor_free(index);
  }
};

void use_memory(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_newWithSize1d(100);
  THDoubleTensor_fill(made.t, 2);
  THDoubleTensor_sumall(made.t);
}
void fuse(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_newWithSize1d(4);
  made.r = THDoubleTensor_new();
  THDoubleTensor_fill(made.t, 2);
  THDoubleTensor_fuse(made.r, "a * a - 1", &made.t, 1);
}
void use_device(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_newWithSize2d(30, 40);
  made.index = THLongTensor_newWithSize1d(2);
  made.r = THDoubleTensor_new();
  THDoubleTensor_fill(made.t, 2);
  THLongTensor_fill(made.index, 3);
  THDoubleTensor_to(made.t, "soft");
  THLongTensor_to(made.index, "soft");
  THDoubleTensor_indexSelect(made.r, made.t, 0, made.index);
  THDoubleTensor_sum(made.r, made.t, 1, 0);
  THSynchronize(nullptr);
}
void read_array(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_new();
  THDoubleTensor_load(made.t, "test/data/numpy/vector.npy");
  made.text = THDoubleTensor_toString(made.t, nullptr);
}
void read_archive(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_new();
  made.reader = THTensorReader_new("test/data/numpy/stored.npz");
  THDoubleTensor_readFrom(made.t, made.reader, 0);
}
void read_named(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_new();
  made.reader = THTensorReader_new("test/data/safetensors/all.safetensors");
  THDoubleTensor_readFrom(made.t, made.reader, THTensorReader_find(made.reader, "uint16"));
}
// In a folder of this process.
std::string file, table;
void write_named(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  made.t = THDoubleTensor_newWithSize1d(3);
  THDoubleTensor_fill(made.t, 7);
  made.writer = THTensorWriter_new(file.c_str());
  THTensorWriter_setMetadata(made.writer, "a key of many characters", "a value");
  THDoubleTensor_writeTo(made.t, made.writer, "t");
  THTensorWriter_commit(made.writer);
}
void keep_table(void* objects) {
  auto& made = *static_cast<Objects*>(objects);
  const char* names[] = {"a column of which the name is long"};
  made.t = THDoubleTensor_newWithSize1d(3);
  THDoubleTensor_fill(made.t, 0.5);
  THDoubleTensor_saveCsv(made.t, table.c_str(), names, 1);
  made.table = THCsvTable_new(table.c_str(), nullptr);
  THDoubleTensor_readColumn(made.t, made.table, 0);
}
void ask(void*) { THInfo("blas"); }

// Each allocation of a new thread's call fails in turn, alone and with all that follow. Returns how
// many calls failed.
int fail_each(void (*body)(void*)) {
  int failures = 0;
  for (int all : {0, 1}) {
    bool more = true;
    for (long first = 1; more; ++first) {
      std::thread thread([&] {
        char message[400] = "";
        Objects objects, others;
        arm(first, all);
        bool failed = THTry(body, &objects, message, sizeof(message)) != 0;
        more = disarm() >= first;
        failures += failed;
        EXPECT_TRUE(!failed || std::strstr(message, "memory")) << message;
        // With memory the same call succeeds. Errors of devices are raised first.
        THTry([](void*) { THSynchronize(nullptr); }, nullptr, message, sizeof(message));
        EXPECT_EQ(THTry(body, &others, message, sizeof(message)), 0) << message;
      });
      thread.join();
    }
  }
  return failures;
}

class FailingAllocations : public testing::Test {
 protected:
  void SetUp() override {
    if (!arm) GTEST_SKIP() << "the library that makes allocations fail is not preloaded";
    ASSERT_NE(mkdtemp(folder_), nullptr);
    file = std::string(folder_) + "/t.safetensors";
    table = std::string(folder_) + "/t.csv";
  }
  void TearDown() override {
    if (!arm) return;
    std::remove(file.c_str());
    std::remove(table.c_str());
    EXPECT_EQ(rmdir(folder_), 0) << "a temporary file was left";
  }

 private:
  char folder_[48] = "/tmp/th_failing_allocations_XXXXXX";
};

TEST_F(FailingAllocations, FirstTensorOfAThread) { EXPECT_GT(fail_each(use_memory), 2); }
TEST_F(FailingAllocations, FirstExpressionOfAThread) { EXPECT_GT(fail_each(fuse), 4); }
TEST_F(FailingAllocations, FirstUseOfADeviceByAThread) { EXPECT_GT(fail_each(use_device), 10); }
TEST_F(FailingAllocations, FirstUseOfBlasByAThread) { fail_each(ask); }
TEST_F(FailingAllocations, Arrays) { EXPECT_GT(fail_each(read_array), 10); }
TEST_F(FailingAllocations, Archives) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "zip_fopen_index of libzip 1.7 leaks a source if memory runs out";
#endif
  EXPECT_GT(fail_each(read_archive), 10);
}
TEST_F(FailingAllocations, NamedTensors) {
  EXPECT_GT(fail_each(read_named), 20);
  EXPECT_GT(fail_each(write_named), 20);
  THDoubleTensor* t = THDoubleTensor_new();
  THDoubleTensor_load(t, file.c_str());
  EXPECT_EQ(THDoubleTensor_sumall(t), 21);
  THDoubleTensor_free(t);
}
// An error frees the first list if there is no memory for the second.
TEST_F(FailingAllocations, ListsOfSizesAndStrides) {
  struct Lists {
    THLongStorage* target = THLongStorage_newWithSize3(2, 2, 3);
    int64_t *sizes = nullptr, *strides = nullptr;
  } lists;
  auto infer = [](void* data) {
    auto& l = *static_cast<Lists*>(data);
    int64_t size = 3, stride = 1;
    THLongStorage_inferExpandGeometry(&size, &stride, 1, l.target, &l.sizes, &l.strides, nullptr,
                                      0);
  };
  int64_t bytes = 0, blocks = 0, blocks_after = 0;
  for (long first = 1, status = -1; status != 0; ++first) {
    char message[200] = "";
    THMemoryUsage(&bytes, &blocks);
    arm(first, 0);
    status = THTry(infer, &lists, message, sizeof(message));
    disarm();
    THMemoryUsage(&bytes, &blocks_after);
    EXPECT_EQ(blocks_after, status ? blocks : blocks + 2) << first << ": " << message;
  }
  THFree(lists.sizes);
  THFree(lists.strides);
  THLongStorage_free(lists.target);
}
TEST_F(FailingAllocations, Tables) { EXPECT_GT(fail_each(keep_table), 20); }

// OpenBLAS's kernels for small products and AVX-512 dereference what malloc returns.
TEST_F(FailingAllocations, SmallProductsOfOpenBlas) {
  if (!std::strstr(THInfo("blas"), "OpenBLAS")) GTEST_SKIP() << "it is another library";
  auto multiply = [](void* list) {
    auto** t = static_cast<THDoubleTensor**>(list);
    THDoubleTensor_mm(t[0], t[1], t[1]);
  };
  THDoubleTensor* operands[] = {THDoubleTensor_newWithSize2d(40, 40),
                                THDoubleTensor_newWithSize2d(40, 40)};
  THDoubleTensor_fill(operands[1], 1);
  char message[200] = "";
  ASSERT_EQ(THTry(multiply, operands, message, sizeof(message)), 0) << message;
  arm(1, 1);
  int status = THTry(multiply, operands, message, sizeof(message));
  disarm();
  EXPECT_EQ(status, -1);
  EXPECT_TRUE(std::strstr(message, "out of memory")) << message;
  EXPECT_EQ(THTry(multiply, operands, message, sizeof(message)), 0) << message;
  for (THDoubleTensor* t : operands) THDoubleTensor_free(t);
}

TEST_F(FailingAllocations, AttemptsWithoutMemory) {
  std::thread([] {
    char message[100] = "";
    arm(1, 1);
    int status = THTry([](void*) {}, nullptr, message, sizeof(message));
    disarm();
    EXPECT_EQ(status, -1);
    EXPECT_STREQ(message, "out of memory");
    EXPECT_EQ(THTry([](void*) {}, nullptr, message, sizeof(message)), 0);
  }).join();
}

}  // namespace

// Instantiates generic_client.c's functions, and checks refcounts shared between threads.

#include <cmath>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "TH.h"

extern "C" {
int client_format(char* text, size_t size, const char* format, ...);
const char* client_Float_name(void);
const char* client_Byte_name(void);
double client_Float_sum_of_row(THFloatTensor* t, int64_t row);
int64_t client_Int_sum_of_row(THIntTensor* t, int64_t row);
void client_Double_fill_field(THDoubleTensor* t, double value);
}

namespace {

TEST(GenericClient, IsInstantiatedForTheTypes) {
  EXPECT_EQ(std::string(client_Float_name()), "torch.FloatTensor");
  EXPECT_EQ(std::string(client_Byte_name()), "torch.ByteTensor");
}

TEST(GenericClient, UsesTheHeadersThatTHIncludes) {
  char text[20];
  EXPECT_EQ(client_format(text, sizeof(text), "%d of %s", 2, "TH"), 7);
  EXPECT_STREQ(text, "2 of TH");
}

TEST(GenericClient, ReadsFieldsOfTheStructs) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(2, 3);
  for (int i = 0; i < 6; ++i) THFloatTensor_set2d(t, i / 3, i % 3, static_cast<float>(i));
  THFloatTensor* transposed = THFloatTensor_newTranspose(t, 0, 1);
  EXPECT_EQ(client_Float_sum_of_row(t, 1), 12);
  EXPECT_EQ(client_Float_sum_of_row(transposed, 1), 5);
  char message[200];
  auto call = [](void* data) {
    THFloatTensor* vector = static_cast<THFloatTensor*>(data);
    client_Float_sum_of_row(vector, 0);
  };
  THFloatTensor* vector = THFloatTensor_newWithSize1d(3);
  EXPECT_EQ(THTry(call, vector, message, sizeof(message)), -1);
  EXPECT_NE(std::string(message).find("a matrix is expected"), std::string::npos) << message;
  THFloatTensor_free(vector);
  THFloatTensor_free(transposed);
  THFloatTensor_free(t);
}

TEST(GenericClient, WritesThroughTheStoragesField) {
  THDoubleTensor* t = THDoubleTensor_newWithSize1d(5);
  client_Double_fill_field(t, 2.5);
  EXPECT_EQ(THDoubleTensor_sumall(t), 12.5);
  THDoubleTensor_free(t);
}

TEST(Threads, ReferenceCountsAreAtomic) {
  int64_t before, after;
  THMemoryUsage(nullptr, &before);
  THFloatTensor* t = THFloatTensor_newWithSize2d(8, 8);
  THFloatTensor_fill(t, 1);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([t] {
      for (int i = 0; i < 5000; ++i) {
        THFloatTensor* row = THFloatTensor_newSelect(t, 0, i % 8);
        THFloatTensor_retain(t);
        if (THFloatTensor_get1d(row, 3) != 1) ADD_FAILURE();
        THFloatTensor_free(t);
        THFloatTensor_free(row);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(t->refcount, 1);
  EXPECT_EQ(t->storage->refcount, 1);
  THFloatTensor_free(t);
  THMemoryUsage(nullptr, &after);
  EXPECT_EQ(before, after);
}

TEST(Threads, OperationsOnTensorsOfTheirOwnRunSideBySide) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([k] {
      THFloatTensor* a = THFloatTensor_newWithSize2d(64, 65);
      THFloatTensor* b = THFloatTensor_new();
      for (int i = 0; i < 50; ++i) {
        THFloatTensor_fill(a, static_cast<float>(k));
        THFloatTensor_exp(b, a);
        THFloatTensor_mul(b, b, 2);
      }
      EXPECT_NEAR(THFloatTensor_get2d(b, 63, 64), 2 * std::exp(static_cast<double>(k)), 1e-3);
      THFloatTensor_free(a);
      THFloatTensor_free(b);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

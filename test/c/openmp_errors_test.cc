// Errors of TH functions in a program's OpenMP regions are raised in the caller when the region
// ends.

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <csetjmp>
#include <string>

#include "TH.h"

namespace {

struct Caught {
  jmp_buf escape;
  std::string message;
  int argument = 0;
};
void catch_error(const char* message, void* data) {
  auto* caught = static_cast<Caught*>(data);
  caught->message = message;
  longjmp(caught->escape, 1);
}
void catch_argument_error(int argument, const char* message, void* data) {
  static_cast<Caught*>(data)->argument = argument;
  catch_error(message, data);
}

class OpenMP : public ::testing::Test {
 protected:
  void SetUp() override {
    t_ = THFloatTensor_newWithSize2d(8, 3);
    THFloatTensor_fill(t_, 1);
  }
  void TearDown() override {
    THSetErrorHandler(nullptr, nullptr);
    THSetArgErrorHandler(nullptr, nullptr);
    THFloatTensor_free(t_);
  }
  void set_handlers() {
    THSetErrorHandler(catch_error, &caught_);
    THSetArgErrorHandler(catch_argument_error, &caught_);
  }
  // Each thread fills a row, but those of `wrong` threads a row that is not there. Gives how many
  // came to the end of the loop.
  int fill_rows(bool of_main, bool of_others) {
    std::atomic<int> ended{0};
#pragma omp parallel num_threads(4)
    {
      int k = omp_get_thread_num();
      bool wrong = k == 0 ? of_main : of_others;
      THFloatTensor* row = THFloatTensor_newSelect(t_, 0, wrong ? 100 + k : k);
      EXPECT_EQ(row == nullptr, wrong);
      THFloatTensor_fill(row, 2);  // nothing where the thread has failed
      THFloatTensor_free(row);
      ++ended;
    }
    return ended;
  }
  void raise_by_the_next_call(bool of_main) {
    THFloatTensor_fill(t_, 1);
    set_handlers();
    caught_.message.clear();
    if (setjmp(caught_.escape) == 0) {
      EXPECT_EQ(fill_rows(of_main, !of_main), 4);
      THFloatTensor_zero(t_);
      ADD_FAILURE() << "no error";
    }
    EXPECT_EQ(caught_.message.find("THFloatTensor_newSelect: "), 0u) << caught_.message;
    EXPECT_NE(caught_.message.find("index 10"), std::string::npos) << caught_.message;
    EXPECT_NE(caught_.message.find("in an OpenMP region"), std::string::npos);
    EXPECT_GT(caught_.argument, 0);
    // The others did their work, and the call that raised has not begun.
    EXPECT_EQ(THFloatTensor_sumall(t_), of_main ? 3 * 3 * 2 + 5 * 3 : 3 * 2 + 7 * 3);
  }
  Caught caught_;
  THFloatTensor* t_;
};

TEST_F(OpenMP, WorksWithoutErrors) {
  EXPECT_EQ(fill_rows(false, false), 4);
  EXPECT_EQ(THFloatTensor_sumall(t_), 4 * 3 * 2 + 4 * 3);
}

TEST_F(OpenMP, AnErrorOfTheMainThreadIsRaisedByTheNextCall) { raise_by_the_next_call(true); }
TEST_F(OpenMP, AnErrorOfAnotherThreadIsRaisedByTheNextCall) { raise_by_the_next_call(false); }

TEST_F(OpenMP, VectorsAreNotDividedByZero) {
  set_handlers();
  int x[] = {6, 7}, y[] = {2, 0};
  if (setjmp(caught_.escape) == 0) {
#pragma omp parallel num_threads(2)
    {
      int z[] = {1, 1};
      THIntVector_cdiv(z, x, y, 2);
      THIntVector_divs(z, x, 0, 2);
      EXPECT_EQ(z[0], 1);
    }
    THFloatTensor_zero(t_);
    ADD_FAILURE() << "no error";
  }
  EXPECT_NE(caught_.message.find("division by zero"), std::string::npos) << caught_.message;
}

TEST_F(OpenMP, FreeingDoesNotRaise) {
  set_handlers();
  if (setjmp(caught_.escape) == 0) {
    THFloatTensor* own = THFloatTensor_newWithSize1d(3);
    fill_rows(false, true);
    THFloatTensor_free(own);
    THFloatTensor_zero(t_);
    ADD_FAILURE() << "no error";
  }
  EXPECT_FALSE(caught_.message.empty());
}

void fill_in_region(void* data) {
  auto* t = static_cast<THFloatTensor*>(data);
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() > 0) THFloatTensor_resize1d(t, -5);
}

TEST_F(OpenMP, TryCatchesThem) {
  char message[200];
  EXPECT_EQ(THTry(fill_in_region, t_, message, sizeof(message)), -1);
  EXPECT_NE(std::string(message).find("-5"), std::string::npos) << message;
  EXPECT_EQ(t_->nDimension, 2);
  EXPECT_EQ(THFloatTensor_sumall(t_), 24);
}

TEST_F(OpenMP, HandlersOfTheThreadInsideAreToldAtOnce) {
  std::atomic<int> errors{0};
#pragma omp parallel num_threads(3)
  {
    char message[200];
    auto fail = [](void* data) { THFloatTensor_resize1d(static_cast<THFloatTensor*>(data), -5); };
    if (THTry(fail, t_, message, sizeof(message)) == -1) ++errors;
    Caught own;
    THSetErrorHandler(catch_error, &own);
    THSetArgErrorHandler(catch_argument_error, &own);
    if (setjmp(own.escape) == 0) {
      THFloatTensor_resize1d(t_, -5);
    } else {
      ++errors;
    }
    THSetErrorHandler(nullptr, nullptr);
    THSetArgErrorHandler(nullptr, nullptr);
  }
  EXPECT_EQ(errors, 6);
  EXPECT_EQ(THFloatTensor_sumall(t_), 24);
}

TEST_F(OpenMP, WithoutAnyHandlerTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(fill_in_region(t_), "-5");
}

}  // namespace

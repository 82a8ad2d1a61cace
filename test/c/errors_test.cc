// Errors at the C boundary: handlers, THTry, and that nothing is lost or changed.

#include <gtest/gtest.h>

#include <csetjmp>
#include <string>
#include <thread>

#include "TH.h"

namespace {

struct Caught {
  jmp_buf escape;
  std::string message;
  int argument = -1;
};
void catch_error(const char* message, void* data) {
  auto* caught = static_cast<Caught*>(data);
  caught->message = message;
  caught->argument = 0;
  longjmp(caught->escape, 1);
}
void catch_argument_error(int argument, const char* message, void* data) {
  auto* caught = static_cast<Caught*>(data);
  caught->message = message;
  caught->argument = argument;
  longjmp(caught->escape, 1);
}

TEST(Errors, HandlersOfTheThreadAreTold) {
  Caught caught;
  THSetErrorHandler(catch_error, &caught);
  THSetArgErrorHandler(catch_argument_error, &caught);
  THFloatTensor* a = THFloatTensor_newWithSize1d(2);
  THFloatTensor* b = THFloatTensor_newWithSize1d(3);
  if (setjmp(caught.escape) == 0) {
    THFloatTensor_cadd(a, a, 1, b);
    ADD_FAILURE() << "no error";
  }
  EXPECT_EQ(caught.argument, 0);
  EXPECT_NE(caught.message.find("[2]"), std::string::npos) << caught.message;
  EXPECT_NE(caught.message.find("[3]"), std::string::npos) << caught.message;
  if (setjmp(caught.escape) == 0) {
    THFloatTensor_narrow(a, b, 0, 2, 2);
    ADD_FAILURE() << "no error";
  }
  EXPECT_EQ(caught.argument, 4);
  EXPECT_EQ(a->size[0], 2);
  if (setjmp(caught.escape) == 0) {
    THError("%s %d", "text", 42);
    ADD_FAILURE() << "no error";
  }
  EXPECT_EQ(caught.message.rfind("text 42 at ", 0), 0u) << caught.message;
  if (setjmp(caught.escape) == 0) {
    THArgCheck(1 == 2, 7, "seven is %s", "wrong");
    ADD_FAILURE() << "no error";
  }
  EXPECT_EQ(caught.argument, 7);
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THSetErrorHandler(nullptr, nullptr);
  THSetArgErrorHandler(nullptr, nullptr);
}

TEST(Errors, WithoutAHandlerTheMessageIsWrittenAndTheProcessEnds) {
  EXPECT_DEATH(THFloatTensor_newWithSize1d(-1), "negative");
  EXPECT_DEATH(THSetNumThreads(0), "bad argument #1");
  EXPECT_DEATH(THSetNumThreads(4097), "from 1 to 4096");
}

TEST(Errors, DefaultsHoldForThreadsWithoutHandlers) {
  static Caught caught;
  THSetDefaultErrorHandler(catch_error, &caught);
  std::thread([] {
    if (setjmp(caught.escape) == 0) {
      THFloatTensor_newWithSize1d(-1);
      ADD_FAILURE() << "no error";
    }
  }).join();
  THSetDefaultErrorHandler(nullptr, nullptr);
  EXPECT_NE(caught.message.find("negative"), std::string::npos);
}

void fail_inside(void* data) { THFloatTensor_resize1d(static_cast<THFloatTensor*>(data), -5); }
void nested(void* data) {
  char inner[100];
  EXPECT_EQ(THTry(fail_inside, data, inner, sizeof(inner)), -1);
  EXPECT_NE(std::string(inner).find("-5"), std::string::npos);
  THFloatTensor_resize1d(static_cast<THFloatTensor*>(data), 3);
}

TEST(Try, GivesBackStatusAndMessage) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  char message[200] = "";
  EXPECT_EQ(THTry(fail_inside, t, message, sizeof(message)), -1);
  EXPECT_NE(std::string(message).find("-5"), std::string::npos) << message;
  EXPECT_EQ(t->size[0], 2);
  char tiny[4];
  EXPECT_EQ(THTry(fail_inside, t, tiny, sizeof(tiny)), -1);
  EXPECT_EQ(std::string(tiny).size(), 3u);
  EXPECT_EQ(THTry(fail_inside, t, nullptr, 0), -1);
  EXPECT_EQ(THTry(nested, t, message, sizeof(message)), 0);
  EXPECT_EQ(t->size[0], 3);
  THFloatTensor_free(t);
}

void fail_and_see(void* data) {
  char inner[100];
  EXPECT_EQ(THTry(fail_inside, data, inner, sizeof(inner)), -1);
  EXPECT_NE(std::string(inner).find("-5"), std::string::npos);
}

TEST(Try, MayBeLeftByAnException) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  char message[200] = "unchanged";
  auto leave = [](void*) { throw 42; };
  EXPECT_THROW(THTry(leave, nullptr, message, sizeof(message)), int);
  Caught caught;
  THSetErrorHandler(catch_error, &caught);
  if (setjmp(caught.escape) == 0) {
    fail_inside(t);
    ADD_FAILURE() << "no error";
  }
  THSetErrorHandler(nullptr, nullptr);
  EXPECT_NE(caught.message.find("-5"), std::string::npos);
  EXPECT_STREQ(message, "unchanged");
  THFloatTensor_free(t);
}

jmp_buf outside;
__attribute__((noinline)) void leave_by_longjmp(int depth) {
  char message[200];
  auto leave = [](void* data) {
    int depth_left = *static_cast<int*>(data);
    if (depth_left > 0) leave_by_longjmp(depth_left - 1);
    longjmp(outside, 1);
  };
  THTry(leave, &depth, message, sizeof(message));
  ADD_FAILURE() << "the body returned";
}

TEST(Try, IsForgottenOnceItIsLeftByLongjmp) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(2);
  for (int depth = 0; depth < 3; ++depth) {
    if (setjmp(outside) == 0) leave_by_longjmp(depth);
    fail_and_see(t);
    Caught caught;
    THSetErrorHandler(catch_error, &caught);
    if (setjmp(caught.escape) == 0) {
      fail_inside(t);
      ADD_FAILURE() << "no error";
    }
    THSetErrorHandler(nullptr, nullptr);
    EXPECT_NE(caught.message.find("-5"), std::string::npos);
  }
  THFloatTensor_free(t);
}

// A handler without a target returns; then the default handler is called.
TEST(Errors, HandlersMayReturn) {
  static Caught caught;
  static int asked = 0;
  THSetDefaultErrorHandler(catch_error, &caught);
  THSetErrorHandler([](const char*, void*) { ++asked; }, nullptr);
  if (setjmp(caught.escape) == 0) {
    THFloatTensor_newWithSize1d(-1);
    ADD_FAILURE() << "no error";
  }
  THSetErrorHandler(nullptr, nullptr);
  THSetDefaultErrorHandler(nullptr, nullptr);
  EXPECT_EQ(asked, 1);
  EXPECT_NE(caught.message.find("negative"), std::string::npos);
}

TEST(Errors, ResultsHaveTheSizesThatTheyHad) {
  THFloatTensor* source = THFloatTensor_newWithSize1d(3);
  THFloatTensor_fill(source, 3);
  float block[] = {5, 6};
  THFloatStorage* borrowed = THFloatStorage_newWithData(block, 2);
  THFloatStorage_clearFlag(borrowed, TH_STORAGE_FREEMEM | TH_STORAGE_RESIZABLE);
  struct Operands {
    THFloatTensor* values;
    THLongTensor* indices;
    THFloatTensor* source;
  } operands = {THFloatTensor_newWithStorage1d(borrowed, 0, 2, 1), THLongTensor_newWithSize1d(2),
                source};
  THLongTensor_fill(operands.indices, 7);
  char message[200];
  int status = THTry(
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_sort(o->values, o->indices, o->source, 0, 0);
      },
      &operands, message, sizeof(message));
  EXPECT_EQ(status, -1);
  EXPECT_NE(std::string(message).find("resized"), std::string::npos) << message;
  EXPECT_EQ(operands.indices->size[0], 2);
  EXPECT_EQ(THLongTensor_sumall(operands.indices), 14);
  EXPECT_EQ(operands.indices->storage->size, 2);
  EXPECT_EQ(THFloatTensor_sumall(operands.values), 11);
  THFloatTensor_free(operands.values);
  THLongTensor_free(operands.indices);
  THFloatTensor_free(source);
  THFloatStorage_free(borrowed);
}

TEST(Errors, NothingLeaksOrChanges) {
  int64_t bytes, blocks, bytes_after, blocks_after;
  THFloatTensor* a = THFloatTensor_newWithSize2d(4, 5);
  THFloatTensor_fill(a, 3);
  THFloatTensor* b = THFloatTensor_newTranspose(a, 0, 1);
  THFloatTensor* c = THFloatTensor_newWithSize1d(7);
  THMemoryUsage(&bytes, &blocks);
  struct Operands {
    THFloatTensor *a, *b, *c;
  } operands = {a, b, c};
  using Body = void (*)(void*);
  const Body calls[] = {
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_cmul(o->a, o->b, o->c);
      },
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_mm(o->a, o->a, o->a);
      },
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_copy(o->b, o->c);
      },
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_cat(o->c, o->a, o->b, 0);
      },
      [](void* p) {
        auto* o = static_cast<Operands*>(p);
        THFloatTensor_select(o->a, o->a, 2, 0);
      },
      [](void* p) { THFloatTensor_resize1d(static_cast<Operands*>(p)->a, int64_t{1} << 62); },
  };
  for (Body call : calls) EXPECT_EQ(THTry(call, &operands, nullptr, 0), -1);
  THMemoryUsage(&bytes_after, &blocks_after);
  EXPECT_EQ(bytes, bytes_after);
  EXPECT_EQ(blocks, blocks_after);
  EXPECT_EQ(a->size[0], 4);
  EXPECT_EQ(a->size[1], 5);
  EXPECT_EQ(THFloatTensor_sumall(a), 60);
  THFloatTensor_free(a);
  THFloatTensor_free(b);
  THFloatTensor_free(c);
}

TEST(Errors, NameTheFunctionThatWasCalled) {
  const auto expect_name = [](const std::string& name, void (*call)(void*)) {
    char message[200] = "";
    EXPECT_EQ(THTry(call, nullptr, message, sizeof(message)), -1);
    EXPECT_EQ(std::string(message).rfind(name + ":", 0), 0u) << message;
  };
  static int number = 1, zero = 0;
  expect_name("THIntVector_cdiv", [](void*) { THIntVector_cdiv(&number, &number, &zero, 1); });
  expect_name("THIntVector_divs", [](void*) { THIntVector_divs(&number, &number, 0, 1); });
  expect_name("THFloatStorage_newWithData", [](void*) { THFloatStorage_newWithData(nullptr, 5); });
}

}  // namespace

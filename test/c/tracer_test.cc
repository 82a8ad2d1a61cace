// Reports of operations to tracers: their order, inner calls, errors, several tracers at once.

#include "ops/tracer.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core_tensors.h"

namespace {

using core::DType;
using th::TracedCall;

using Lines = std::vector<std::string>;

class Log final : public th::Tracer {
 public:
  explicit Log(bool inner = false) : inner_(inner) { th::add_tracer(this); }
  ~Log() { th::remove_tracer(this); }

  bool begin(const TracedCall& call) noexcept override {
    lines.push_back(std::string("begin ") + call.row().name);
    if (on_begin) on_begin(call);
    return inner_;
  }
  void end(const TracedCall& call, bool failed) override {
    lines.push_back(std::string(failed ? "fail " : "end ") + call.row().name);
    if (on_end) on_end(call);
  }
  void accessed(const char* what, const th::Storage*) noexcept override {
    lines.emplace_back(what);
  }

  Lines lines;
  std::function<void(const TracedCall&)> on_begin, on_end;

 private:
  bool inner_;
};

th::Tensor* result_of(const TracedCall& call) {
  return th::argument<th::Tensor*>(call.arguments(), call.row().parameters[0]);
}

class TracerTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_FALSE(th::tracing());
    EXPECT_FALSE(th::has_tracers());
  }
  void covariance() { th::ops::cov(r.get(), matrix.get(), false); }

  core::TensorRef r = core::empty(DType::Double);
  core::TensorRef matrix = core::make(DType::Double, {2, 3});
};

TEST_F(TracerTest, ReportsOuterCallsWithArgumentsBeforeAndAfter) {
  Log log;
  core::Shape before, after;
  log.on_begin = [&](const TracedCall& call) { before = core::shape(*result_of(call)); };
  log.on_end = [&](const TracedCall& call) { after = core::shape(*result_of(call)); };
  EXPECT_TRUE(th::tracing());
  covariance();
  EXPECT_EQ(log.lines, (Lines{"begin cov", "end cov"}));
  EXPECT_EQ(before, core::Shape{});
  EXPECT_EQ(after, (core::Shape{2, 2}));
}

TEST_F(TracerTest, ReportsInnerCallsOnRequestToEachTracer) {
  Log outer, all(true);
  covariance();
  covariance();
  EXPECT_EQ(outer.lines, (Lines{"begin cov", "end cov", "begin cov", "end cov"}));
  ASSERT_GT(all.lines.size(), 4u);
  Lines open;
  for (const std::string& line : all.lines) {
    if (line.rfind("begin ", 0) == 0) {
      open.push_back(line.substr(6));
    } else {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(line, "end " + open.back());
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST_F(TracerTest, ReportsErrors) {
  Log outer, all(true);
  core::TensorRef index = core::vector(DType::Long, {1});
  EXPECT_THROW(th::ops::gather(r.get(), matrix.get(), 0, index.get()), th::Error);
  EXPECT_EQ(outer.lines, (Lines{"begin gather", "fail gather"}));
  EXPECT_EQ(all.lines, outer.lines);
  covariance();
  EXPECT_EQ(outer.lines.back(), "end cov");
}

TEST_F(TracerTest, PassesErrorsOfTracersToTheCaller) {
  Log first, thrower, last;  // the last one added gets its report first
  thrower.on_end = [](const TracedCall&) { throw std::runtime_error("of the tracer"); };
  EXPECT_THROW(covariance(), std::runtime_error);
  EXPECT_EQ(last.lines, (Lines{"begin cov", "end cov"}));
  EXPECT_EQ(thrower.lines, last.lines);
  EXPECT_EQ(first.lines, (Lines{"begin cov", "fail cov"}));
  EXPECT_EQ(core::shape(*r), (core::Shape{2, 2}));
}

TEST_F(TracerTest, ReportsCallsOfTracersToThoseBeforeThem) {
  Log older, caller(true), newer(true);
  core::TensorRef copy = core::empty(DType::Double);
  int copies = 0;
  auto copies_matrix = [&](const TracedCall&) {
    th::ops::fullLike(copy.get(), matrix.get(), 7);
    ++copies;
  };
  caller.on_begin = caller.on_end = copies_matrix;
  th::ops::zero(matrix.get());
  EXPECT_EQ(copies, 2);
  EXPECT_EQ(core::values(*copy)[5], 7);
  EXPECT_EQ(caller.lines, (Lines{"begin zero", "end zero"}));
  EXPECT_EQ(newer.lines, caller.lines);
  // The second call is an inner one, because the older tracer has not got the end of zero yet.
  EXPECT_EQ(older.lines, (Lines{"begin fullLike", "end fullLike", "begin zero", "end zero"}));
}

TEST_F(TracerTest, BeginsWithTheCallAfterThatInWhichItWasAdded) {
  Log outer(true);
  std::unique_ptr<Log> added;
  outer.on_begin = [&](const TracedCall& call) {
    if (call.depth() == 1 && !added) added.reset(new Log);
  };
  covariance();
  ASSERT_TRUE(added);
  EXPECT_EQ(added->lines.back().rfind("end ", 0), 0u);
  EXPECT_NE(added->lines.back(), "end cov");
  EXPECT_EQ(added->lines.size() % 2, 0u);
  added->lines.clear();
  covariance();
  EXPECT_EQ(added->lines, (Lines{"begin cov", "end cov"}));
}

TEST_F(TracerTest, MayRemoveItselfInAReport) {
  Log other, once;
  once.on_begin = [&](const TracedCall&) { th::remove_tracer(&once); };
  covariance();
  covariance();
  EXPECT_EQ(once.lines, (Lines{"begin cov"}));
  EXPECT_EQ(other.lines.size(), 4u);
}

TEST_F(TracerTest, ReportsOtherAccess) {
  th::trace_access("reads");
  Log log, other;
  th::trace_access("writes");
  EXPECT_EQ(log.lines, (Lines{"writes"}));
  EXPECT_EQ(other.lines, log.lines);
}

}  // namespace

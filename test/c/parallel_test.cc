// Loops in parts on several threads.

#include "cpu/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "cpu/team.h"

namespace th {
namespace {

// With more threads than most machines have cores, some get none for a while.
class Parallel : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_num_threads(GetParam()); }
  void TearDown() override { set_num_threads(before_); }

 private:
  int before_ = num_threads();
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 16));

void expect_each_once(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> runs(static_cast<size_t>(n));
  std::atomic<int> parts{0}, short_parts{0};
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    ++parts;
    if (end - begin < grain) ++short_parts;
    for (int64_t i = begin; i < end; ++i) ++runs[static_cast<size_t>(i)];
  });
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(runs[static_cast<size_t>(i)], 1) << i << " of " << n;
  EXPECT_EQ(parts == 0, n == 0);
  EXPECT_LE(parts, num_threads());
  EXPECT_EQ(short_parts, n > 0 && n < grain ? 1 : 0) << n << ", " << grain;
}

TEST_P(Parallel, RunsEachIndexOnce) {
  for (int round = 0; round < 50; ++round) {
    for (int64_t n : {0, 1, 2, 7, 16, 17, 1000}) {
      for (int64_t grain : {0, 1, 3, 500, 2000}) expect_each_once(n, grain);
    }
  }
}

TEST_P(Parallel, RunsEachIndexOnceForSeveralCallers) {
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([] {
      for (int round = 0; round < 200; ++round) expect_each_once(100, 1);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_P(Parallel, GivesEachThreadAnIndexOfItsOwn) {
  std::vector<std::atomic<int>> inside(static_cast<size_t>(num_threads()));
  std::atomic<int> shared{0};
  for (int round = 0; round < 200; ++round) {
    parallel_for(64, 1, [&](int64_t, int64_t) {
      std::atomic<int>& own = inside.at(static_cast<size_t>(thread_index()));
      if (own++ != 0) ++shared;
      own--;
    });
  }
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(thread_index(), 0);
}

TEST_P(Parallel, RunsLoopsInPartsInTheSameThread) {
  std::atomic<int> others{0};
  parallel_for(16, 1, [&](int64_t, int64_t) {
    const std::thread::id self = std::this_thread::get_id();
    EXPECT_EQ(in_parallel(), num_threads() > 1);
    parallel_for(16, 1, [&](int64_t, int64_t) {
      if (num_threads() > 1 && std::this_thread::get_id() != self) ++others;
    });
  });
  EXPECT_EQ(others, 0);
  EXPECT_FALSE(in_parallel());
}

TEST_P(Parallel, UsesNoMoreThreadsThanTheLimit) {
  const int before = limit_team(2);
  std::atomic<int> parts{0};
  parallel_for(64, 1, [&](int64_t, int64_t) { ++parts; });
  EXPECT_EQ(parts, std::min(2, num_threads()));
  EXPECT_EQ(limit_team(before), 2);
}

TEST_P(Parallel, ATeamKeepsItsSize) {
  const int before = num_threads();
  for (int64_t most : {0, 1, 3, 64}) {
    const Team team(most);
    EXPECT_EQ(team.size(), std::clamp<int64_t>(most, 1, before));
    std::thread([before] { set_num_threads(before + 4); }).join();
    std::vector<std::atomic<int>> parts(static_cast<size_t>(team.size()));
    parallel_for(64, 1, [&](int64_t, int64_t) { ++parts.at(static_cast<size_t>(team.index())); });
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0), team.size());
    set_num_threads(before);
  }
}

TEST_P(Parallel, ATeamInAPartOfALoopIsOneThread) {
  parallel_for(16, 1, [&](int64_t, int64_t) {
    const Team team(16);
    if (num_threads() > 1) {
      EXPECT_EQ(team.size(), 1);
    }
    parallel_for(16, 1, [&](int64_t, int64_t) { EXPECT_LT(team.index(), team.size()); });
  });
}

}  // namespace
}  // namespace th

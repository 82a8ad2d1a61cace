#ifndef TH_CPU_TEAM_H
#define TH_CPU_TEAM_H

#include <algorithm>
#include <cstdint>

#include "cpu/parallel.h"

namespace th {
namespace {

// The threads of the loops that the calling thread runs while this exists: at most `most`, at least
// 1. set_num_threads() in another thread does not change the number, so that memory for each thread
// can be allocated before a loop begins.
class Team {
 public:
  explicit Team(int64_t most) noexcept : before_(limit_team(1)) {
    const int limit = before_ ? std::min(before_, num_threads()) : num_threads();
    if (!in_parallel()) size_ = static_cast<int>(std::clamp<int64_t>(most, 1, limit));
    limit_team(size_);
  }
  ~Team() { limit_team(before_); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  int size() const { return size_; }
  // In a part of a loop: a number from 0 to size() - 1, which no other thread of the loop has.
  int index() const { return size_ > 1 ? thread_index() : 0; }

 private:
  int size_ = 1, before_;
};

}  // namespace
}  // namespace th

#endif

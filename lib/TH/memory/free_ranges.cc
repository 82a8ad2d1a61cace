#include "memory/free_ranges.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace th {

void FreeRanges::change(Sizes::iterator position, char* begin, size_t bytes) noexcept {
  auto of_size = by_size_.extract(position);
  auto of_begin = by_begin_.extract(of_size.value().second);
  if (bytes == 0) return;
  of_size.value() = {bytes, begin};
  of_begin.key() = begin;
  of_begin.mapped() = bytes;
  by_size_.insert(std::move(of_size));
  by_begin_.insert(std::move(of_begin));
}

bool FreeRanges::add(char* begin, size_t bytes) noexcept {
  auto next = by_begin_.lower_bound(begin);
  auto end = by_begin_.end();
  auto before = next == by_begin_.begin() ? end : std::prev(next);
  if (before != end && before->first + before->second != begin) before = end;
  if (next != end && begin + bytes != next->first) next = end;
  if (next != end) {
    bytes += next->second;
    const auto position = by_size_.find({next->second, next->first});
    if (before == end) {
      change(position, begin, bytes);
      return true;
    }
    change(position, begin, 0);
  }
  if (before != end) {
    change(by_size_.find({before->second, before->first}), before->first, before->second + bytes);
    return true;
  }
  try {
    const auto position = by_size_.emplace(bytes, begin).first;
    try {
      by_begin_.emplace(begin, bytes);
    } catch (const std::bad_alloc&) {
      by_size_.erase(position);
      return false;
    }
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

char* FreeRanges::take(size_t bytes) noexcept {
  const auto position = by_size_.lower_bound({bytes, nullptr});
  if (position == by_size_.end()) return nullptr;
  const auto [size, begin] = *position;
  change(position, begin + bytes, size - bytes);
  return begin;
}

std::pair<size_t, char*> FreeRanges::take_from_largest(size_t most) noexcept {
  if (by_size_.empty()) return {0, nullptr};
  const auto position = std::prev(by_size_.end());
  const auto [size, begin] = *position;
  const size_t taken = std::min(size, most);
  change(position, begin, size - taken);
  return {taken, begin + (size - taken)};
}

}  // namespace th

#include "dist/header.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace th::dist {

const char* name_of(Operation operation) {
  static const char* const names[] = {"barrier",
                                      "broadcast",
                                      "allReduce",
                                      "reduce",
                                      "allGather",
                                      "gather",
                                      "scatter",
                                      "reduceScatter",
                                      "allToAll",
                                      "split",
                                      "the group of the devices",
                                      "finish"};
  return names[static_cast<int>(operation)];
}

const char* name_of(Reduction reduction) {
  static const char* const names[] = {"sum", "prod", "min", "max"};
  return names[static_cast<int>(reduction)];
}

void Header::set_tensor(DType type, int dimensions, const int64_t* sizes) {
  dtype = static_cast<uint8_t>(type);
  ndim = dimensions;
  for (int d = 0; d < dimensions; ++d) {
    if (d < kSizes) {
      size[d] = sizes[d];
    } else {
      more =
          static_cast<int32_t>(static_cast<uint32_t>(more) * 31u + static_cast<uint32_t>(sizes[d]));
    }
  }
}

void Header::set_reduction(Reduction r, bool is_mean) {
  reduction = static_cast<uint8_t>(r);
  if (is_mean) flags |= kMean;
}

void Header::set_detail(const std::string& detail) {
  auto hash = static_cast<uint32_t>(more);
  for (const char c : detail) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  more = static_cast<int32_t>(hash);
}

// The 64-bit words, each mixed in by a multiplication (as in FNV-1a) and a shift.
uint64_t Header::hash() const {
  uint64_t words[sizeof(Header) / sizeof(uint64_t)];
  std::memcpy(words, this, sizeof(words));
  uint64_t h = 14695981039346656037u;
  for (uint64_t word : words) {
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 29;
  }
  return h;
}

std::string Header::text() const {
  std::string text = name_of(static_cast<Operation>(operation));
  if (flags & kMean) {
    text += " 'mean'";
  } else if (reduction != 0xff) {
    text += std::string(" '") + name_of(static_cast<Reduction>(reduction)) + "'";
  }
  if (dtype != 0xff) {
    text += std::string(" of ") + name_with_article(static_cast<DType>(dtype)) + "Tensor of size " +
            shape_text(std::min<int>(ndim, kSizes), size);
  }
  if (flags & kOnDevice) text += " on a device";
  return text;
}

std::string ranks_text(const int* ranks, int count, int first_rank) {
  std::string text = count == 1 ? "rank" : "ranks";
  for (int k = 0; k < count; ++k) {
    int last = k;
    while (last + 1 < count && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (k ? ", " : " ") + std::to_string(ranks[k] + first_rank);
    if (last > k + 1) {
      text += " to " + std::to_string(ranks[last] + first_rank);
      k = last;
    }
  }
  return text;
}

namespace {

constexpr size_t kMostShown = 80;  // characters of a detail

// The number of bytes that all texts begin with, up to the end of an item of a list. 0 if all
// texts are short enough to be shown whole.
size_t common_items(const std::string* texts, int count) {
  size_t length = texts[0].size(), longest = length;
  for (int k = 1; k < count; ++k) {
    const size_t both = std::min(length, texts[k].size());
    const auto end = texts[0].begin() + static_cast<std::ptrdiff_t>(both);
    const auto differs = std::mismatch(texts[0].begin(), end, texts[k].begin());
    length = static_cast<size_t>(differs.first - texts[0].begin());
    longest = std::max(longest, texts[k].size());
  }
  const size_t comma = length ? texts[0].rfind(", ", length - 1) : std::string::npos;
  const bool is_whole = length == longest || longest <= kMostShown || comma == std::string::npos;
  return is_whole ? 0 : comma + 2;
}

// The items of a detail from byte `begin` on, without those before byte `first`.
std::string shortened(const std::string& detail, size_t begin, size_t first) {
  const size_t start = std::min(std::max(begin, first), detail.size());
  std::string text = (start > begin ? "..., " : "") + detail.substr(start, kMostShown);
  return detail.size() > start + kMostShown ? text + "..." : text;
}

// A header with its detail. If the detail names the function that the program has called, this
// comes first: "grad of a Float[2] (allReduce 'mean' of a FloatTensor of size [2])".
std::string call_text(const Header& header, const std::string& detail, size_t first) {
  const size_t end = detail.find(Header::kAfterCaller);
  if (end == std::string::npos) {
    return header.text() + (detail.empty() ? "" : ", from " + shortened(detail, 0, first));
  }
  const std::string text = detail.substr(0, end) + " of " + shortened(detail, end + 1, first);
  return header.dtype == 0xff ? text : text + " (" + header.text() + ")";
}

// Returns true if two of the calls have different roots.
bool roots_differ(const Header* headers, int count) {
  int32_t root = -1;
  for (int k = 0; k < count; ++k) {
    if (headers[k].root < 0) continue;
    if (root >= 0 && headers[k].root != root) return true;
    root = headers[k].root;
  }
  return false;
}

}  // namespace

std::string disagreement(const Header* headers, const std::string* details, int count,
                         int first_rank) {
  // One group for each different header, in the order of their first ranks.
  std::vector<std::vector<int>> groups;
  for (int rank = 0; rank < count; ++rank) {
    auto same = [&](const std::vector<int>& group) {
      return std::memcmp(&headers[group[0]], &headers[rank], sizeof(Header)) == 0 &&
             details[group[0]] == details[rank];
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) found = groups.emplace(groups.end());
    found->push_back(rank);
  }
  const Header& first = headers[0];
  const size_t common = common_items(details, count);
  const bool shows_roots = roots_differ(headers, count);
  std::string text = "the ranks disagree: ";
  for (size_t k = 0; k < groups.size(); ++k) {
    const Header& header = headers[groups[k][0]];
    const bool ended = header.operation == static_cast<uint8_t>(Operation::finish);
    if (k) text += "; ";
    text += ranks_text(groups[k].data(), static_cast<int>(groups[k].size()), first_rank) + ": ";
    text += ended ? "the program has ended" : call_text(header, details[groups[k][0]], common);
    if (shows_roots && header.root >= 0) {
      text += " with root " + std::to_string(header.root + first_rank);
    }
    if (header.sequence != first.sequence) {
      text += " (collective " + std::to_string(header.sequence) + " of its group, instead of " +
              std::to_string(first.sequence) + ")";
    }
  }
  return text;
}

}  // namespace th::dist

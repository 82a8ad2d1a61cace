#ifndef TH_DIST_HEADER_H
#define TH_DIST_HEADER_H

// The description of a call that all ranks of a group must agree on before data moves.

#include <string>

#include "dist/transport.h"
#include "tensor/tensor.h"

namespace th {
namespace dist {

enum class Operation : uint8_t {
  barrier,
  broadcast,
  allReduce,
  reduce,
  allGather,
  gather,
  scatter,
  reduceScatter,
  allToAll,
  split,
  devices,  // the devices form a group of their own
  finish,   // the program has ended
};
const char* name_of(Operation operation);
const char* name_of(Reduction reduction);

// Plain bytes without padding, because ranks exchange it and hashes are made of it.
struct Header {
  static constexpr int kSizes = 8;
  static constexpr uint8_t kMean = 1, kOnDevice = 2;
  uint64_t sequence = 0;  // number of the collective in its group
  uint8_t operation = 0;
  uint8_t dtype = 0xff;      // 0xff: no tensor
  uint8_t reduction = 0xff;  // 0xff: none
  uint8_t flags = 0;
  int32_t root = -1;  // -1: none
  int32_t ndim = 0;
  int32_t more = 0;  // a hash of the sizes behind the first kSizes, and of the detail
  int64_t size[kSizes] = {0, 0, 0, 0, 0, 0, 0, 0};

  Header() = default;
  explicit Header(Operation op) : operation(static_cast<uint8_t>(op)) {}
  void set_tensor(DType type, int dimensions, const int64_t* sizes);
  void set_reduction(Reduction r, bool is_mean);
  // Adds the hash of a text that the ranks must agree on, too: a list "a Float[2], b Float[3]". The
  // name of the function that the program has called may precede it, with kAfterCaller between
  // them. Empty: no text.
  static constexpr char kAfterCaller = '\x1f';
  void set_detail(const std::string& detail);
  uint64_t hash() const;
  // "allReduce 'sum' of a FloatTensor of size [2 x 3]"
  std::string text() const;
};
static_assert(sizeof(Header) == 8 + 4 + 12 + 8 * Header::kSizes, "padding");

// The error message for the headers and details of all ranks, which differ. Ranks count from
// first_rank. The message shows long details from the first item that differs, and roots if they
// differ.
std::string disagreement(const Header* headers, const std::string* details, int count,
                         int first_rank);
// "rank 2", "ranks 1, 3 to 5"
std::string ranks_text(const int* ranks, int count, int first_rank);

}  // namespace dist
}  // namespace th

#endif

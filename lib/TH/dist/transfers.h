#ifndef TH_DIST_TRANSFERS_H
#define TH_DIST_TRANSFERS_H

// The messages of a group that are on their way. A message is a header and its elements. The
// receiver requests the elements once it knows the header.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "dist/buffer.h"
#include "dist/group.h"

namespace th::dist {

// The type and the shape of the tensor in a message.
struct MessageHeader {
  uint8_t dtype = 0;
  uint8_t is_value = 0;
  uint16_t unused = 0;
  int32_t ndim = 0;
  int64_t size[kMaxDims] = {0};
  std::string text() const;
};

struct Transfer {
  bool sends = false;
  bool accepts_any = false;
  int rank = 0;  // the other rank
  MessageHeader header, expected;
  Buffer buffer;
  TensorRef received;           // with accepts_any
  bool has_header = false;      // of receivers: the elements are requested
  std::vector<void*> requests;  // pending
  std::string problem;          // not empty: it has failed
  bool is_done() const { return requests.empty() && (sends || has_header); }
};

class Transfers {
 public:
  void start(Group& group, const std::shared_ptr<Transfer>& transfer);
  // Progresses all transfers. Returns true if this one has ended. Throws its error.
  bool progress(Group& group, Transfer* transfer);
  // After an error: the transport no longer writes to the tensor of this transfer.
  void abandon(Group& group, Transfer& transfer) noexcept;
  // Cancels what is pending.
  void close(Group& group) noexcept;

 private:
  void step(Group& group, Transfer& transfer);

  // In the order of start(). A receiver must request its elements after earlier receivers from the
  // same rank, because elements arrive in the order of sending.
  std::deque<std::shared_ptr<Transfer>> pending_;
};

}  // namespace th::dist

#endif

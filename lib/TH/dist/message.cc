#include "dist/message.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"
#include "dist/buffer.h"
#include "dist/transfers.h"

namespace th::dist {

namespace {

void check_rank(const Group& group, int rank) {
  if (rank < 0 || rank >= group.size()) {
    fail("rank %lld does not exist: the group has %d ranks", shown(rank), group.size());
  }
  if (rank == group.rank()) fail("rank %lld is this rank itself", shown(rank));
}

// Progresses all transfers of the group until this one has ended.
void await(Group& group, Transfer& transfer) {
  Engine& engine = group.engine();
  const void* sign = stop_sign();
  int64_t tests = 0;
  WaitClock clock;
  while (!group.transfers().progress(group, &transfer)) {
    if (!engine.pause(&tests)) continue;
    const double waited = clock.look();
    if (stop_sign() != sign) fail("interrupted while waiting for rank %lld", shown(transfer.rank));
    if (waited > engine.timeout()) {
      fail("timeout: rank %lld did not %s within %g s", shown(transfer.rank),
           transfer.sends ? "receive" : "send", engine.timeout());
    }
  }
}

class Message final : public Work {
 public:
  Message(GroupPtr group, std::shared_ptr<Transfer> transfer)
      : group_(std::move(group)), transfer_(std::move(transfer)) {}
  bool is_done() override {
    return !transfer_ || group_->transfers().progress(*group_, transfer_.get());
  }
  void wait() override {
    if (!transfer_) return;
    await(*group_, *transfer_);
    if (!transfer_->sends) transfer_->buffer.finish();
    transfer_.reset();
  }

 private:
  GroupPtr group_;
  std::shared_ptr<Transfer> transfer_;
};

WorkPtr launch(const GroupPtr& group, std::shared_ptr<Transfer> transfer, Mode mode) {
  auto work = std::make_unique<Message>(group, transfer);
  if (mode != Mode::blocking) return work;
  try {
    work->wait();
  } catch (...) {
    group->transfers().abandon(*group, *transfer);
    throw;
  }
  return nullptr;
}

}  // namespace

WorkPtr send(const GroupPtr& group, Tensor* t, int to, bool is_value, Mode mode) {
  check_rank(*group, to);
  trace_exchange();
  auto transfer = std::make_shared<Transfer>();
  transfer->sends = true;
  transfer->rank = to;
  transfer->header.is_value = is_value;
  transfer->header.dtype = static_cast<uint8_t>(t->dtype);
  transfer->header.ndim = t->nDimension;
  std::copy(t->size, t->size + t->nDimension, transfer->header.size);
  transfer->buffer = Buffer(t, Use::read, false, copies(mode));
  group->transfers().start(*group, transfer);
  return launch(group, std::move(transfer), mode);
}

WorkPtr receive(const GroupPtr& group, Tensor* t, int from, Mode mode) {
  check_rank(*group, from);
  trace_exchange();
  auto transfer = std::make_shared<Transfer>();
  transfer->rank = from;
  transfer->expected.dtype = static_cast<uint8_t>(t->dtype);
  transfer->expected.ndim = t->nDimension;
  std::copy(t->size, t->size + t->nDimension, transfer->expected.size);
  transfer->buffer = Buffer(t, Use::overwrite, false, copies(mode));
  group->transfers().start(*group, transfer);
  return launch(group, std::move(transfer), mode);
}

TensorRef receive_any(const GroupPtr& group, int from, bool* is_value) {
  check_rank(*group, from);
  trace_exchange();
  auto transfer = std::make_shared<Transfer>();
  transfer->rank = from;
  transfer->accepts_any = true;
  group->transfers().start(*group, transfer);
  await(*group, *transfer);
  *is_value = transfer->header.is_value;
  return std::move(transfer->received);
}

}  // namespace th::dist

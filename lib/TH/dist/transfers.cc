#include "dist/transfers.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/op_scope.h"

namespace th::dist {

namespace {

constexpr size_t kMostBytes = size_t{1} << 30;  // of one message of the transport

// Calls f(data, bytes) for the parts of the elements.
template <class F>
void each_part(void* data, size_t bytes, const F& f) {
  for (size_t first = 0; first < bytes; first += kMostBytes) {
    f(static_cast<char*>(data) + first, std::min(kMostBytes, bytes - first));
  }
}

}  // namespace

std::string MessageHeader::text() const {
  if (is_value) return "a Lua value";
  return std::string(name_with_article(static_cast<DType>(dtype))) + "Tensor of size " +
         shape_text(ndim, size);
}

void Transfers::start(Group& group, const std::shared_ptr<Transfer>& transfer) {
  Engine& engine = group.engine();
  const TransportTable& table = engine.table();
  Transfer& t = *transfer;
  {
    std::lock_guard<std::mutex> lock(engine.calls());
    void* request = nullptr;
    if (t.sends) {
      engine.check(table.send(group.handle(), Tag::message_header, t.rank, &t.header,
                              sizeof(t.header), &request));
      t.requests.push_back(request);
      each_part(
          t.buffer.data(), t.buffer.count() * item_size(t.buffer.type()),
          [&](void* data, size_t bytes) {
            engine.check(table.send(group.handle(), Tag::message, t.rank, data, bytes, &request));
            t.requests.push_back(request);
          });
    } else {
      engine.check(table.receive(group.handle(), Tag::message_header, t.rank, &t.header,
                                 sizeof(t.header), &request));
      t.requests.push_back(request);
    }
  }
  pending_.push_back(transfer);
}

bool Transfers::progress(Group& group, Transfer* transfer) {
  for (size_t k = 0; k < pending_.size(); ++k) {
    Transfer& t = *pending_[k];
    bool waits = false;
    for (size_t j = 0; j < k && !t.sends && !t.has_header; ++j) {
      const Transfer& earlier = *pending_[j];
      waits |= !earlier.sends && !earlier.has_header && earlier.rank == t.rank;
    }
    if (!waits) step(group, t);
  }
  auto done = [](const std::shared_ptr<Transfer>& t) { return t->is_done(); };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), done), pending_.end());
  if (!transfer->is_done()) return false;
  if (!transfer->problem.empty()) fail("%s", transfer->problem.c_str());
  return true;
}

void Transfers::step(Group& group, Transfer& t) {
  Engine& engine = group.engine();
  const TransportTable& table = engine.table();
  {
    std::lock_guard<std::mutex> lock(engine.calls());
    for (size_t k = 0; k < t.requests.size();) {
      bool done = false;
      engine.check(table.test(&t.requests[k], &done));
      if (!done) {
        ++k;
        continue;
      }
      t.requests.erase(t.requests.begin() + static_cast<ptrdiff_t>(k));
    }
  }
  if (t.sends || t.has_header || !t.requests.empty()) return;
  t.has_header = true;
  const auto type = static_cast<DType>(t.header.dtype);
  void* data = t.buffer.data();
  if (!t.accepts_any && std::memcmp(&t.header, &t.expected, sizeof(t.header)) != 0) {
    // The elements are received all the same, so that later messages are understood.
    t.problem = "rank " + std::to_string(shown(t.rank)) + " has sent " + t.header.text() + "; " +
                t.expected.text() + " is expected";
  }
  if (t.accepts_any || !t.problem.empty()) {
    t.received = TensorRef(tensor_new_sized(type, t.header.ndim, t.header.size));
    ensure_storage(t.received.get());
    AllowHostAccess allow;
    data = t.received->numel() ? t.received->data(Access::write) : nullptr;
  }
  const int64_t count = t.received ? t.received->numel() : t.buffer.count();
  std::lock_guard<std::mutex> lock(engine.calls());
  each_part(data, count * item_size(type), [&](void* part, size_t bytes) {
    void* request = nullptr;
    engine.check(table.receive(group.handle(), Tag::message, t.rank, part, bytes, &request));
    t.requests.push_back(request);
  });
}

void Transfers::abandon(Group& group, Transfer& transfer) noexcept {
  std::lock_guard<std::mutex> lock(group.engine().calls());
  if (transfer.sends) {
    // Sending cannot be stopped, so the memory must stay.
    transfer.buffer.pin_tensor();
    return;
  }
  for (void* request : transfer.requests) group.engine().table().cancel(&request);
  transfer.requests.clear();
  transfer.has_header = true;
}

void Transfers::close(Group& group) noexcept {
  std::lock_guard<std::mutex> lock(group.engine().calls());
  for (const std::shared_ptr<Transfer>& t : pending_) {
    for (void* request : t->requests) {
      if (!t->sends) group.engine().table().cancel(&request);
    }
  }
  pending_.clear();
}

}  // namespace th::dist

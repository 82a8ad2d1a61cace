#include "dist/attendance.h"

namespace th::dist {

Group::Attendance::Attendance(Group* group) : group_(group), peers_(group->size()) {}

Group::Attendance::~Attendance() {
  Engine& engine = group_->engine();
  if (!engine.has_transport()) return;
  std::lock_guard<std::mutex> lock(engine.calls());
  for (Peer& peer : peers_) {
    if (peer.receive) engine.table().cancel(&peer.receive);
    // Small messages leave at once, so that this request ends although the receiver may not wait.
    bool done = false;
    if (peer.send) engine.table().test(&peer.send, &done);
  }
}

void Group::Attendance::announce(uint64_t sequence) {
  Engine& engine = group_->engine();
  for (int rank = 0; rank < group_->size(); ++rank) {
    Peer& peer = peers_[rank];
    if (rank == group_->rank()) continue;
    bool done = true;
    std::lock_guard<std::mutex> lock(engine.calls());
    if (peer.send) engine.check(engine.table().test(&peer.send, &done));
    if (!done) continue;
    peer.sent = sequence;
    engine.check(engine.table().send(group_->handle(), Tag::presence, rank, &peer.sent,
                                     sizeof(peer.sent), &peer.send));
  }
}

// Reads all announcements of a rank that have arrived.
void Group::Attendance::poll(Peer* peer, int rank) {
  Engine& engine = group_->engine();
  std::lock_guard<std::mutex> lock(engine.calls());
  while (true) {
    if (!peer->receive) {
      engine.check(engine.table().receive(group_->handle(), Tag::presence, rank, &peer->received,
                                          sizeof(peer->received), &peer->receive));
    }
    bool done = false;
    // A second test gives the transport the time to match a message that has arrived.
    for (int k = 0; k < 2 && !done; ++k) {
      engine.check(engine.table().test(&peer->receive, &done));
    }
    if (!done) return;
    peer->arrived = peer->received;
  }
}

std::vector<int> Group::Attendance::missing(uint64_t sequence) {
  std::vector<int> ranks;
  for (int rank = 0; rank < group_->size(); ++rank) {
    if (rank == group_->rank()) continue;
    poll(&peers_[rank], rank);
    if (peers_[rank].arrived < sequence) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace th::dist

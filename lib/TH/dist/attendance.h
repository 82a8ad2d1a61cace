#ifndef TH_DIST_ATTENDANCE_H
#define TH_DIST_ATTENDANCE_H

#include "dist/group.h"

namespace th::dist {

// Finds out which ranks have arrived at a collective. Only ranks that wait long use it. Each sends
// to all others the number of the collective in which it waits.
class Group::Attendance {
 public:
  explicit Attendance(Group* group);
  ~Attendance();
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  void announce(uint64_t sequence);
  // The ranks that have not announced this collective or a later one.
  std::vector<int> missing(uint64_t sequence);

 private:
  struct Peer {
    uint64_t arrived = 0;
    uint64_t received = 0, sent = 0;  // buffers of the requests
    void* receive = nullptr;
    void* send = nullptr;
  };
  void poll(Peer* peer, int rank);

  Group* group_;
  std::vector<Peer> peers_;
};

}  // namespace th::dist

#endif

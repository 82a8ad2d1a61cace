#ifndef TH_DIST_TRANSPORT_H
#define TH_DIST_TRANSPORT_H

// The interface of a transport: a plugin through which processes exchange bytes. A plugin exports
// th_transport_table(). Its functions know memory and element types, but neither tensors nor
// errors: they return null, or a message that is valid until the next call.
//
// Ranks count from 0. libTH makes one call at a time, from any thread. Before each collective it
// checks that all ranks make the same call, so a transport need not handle disagreement.

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace th {
namespace dist {

enum class Reduction : uint8_t { sum, prod, min, max };

using Problem = const char*;  // null: success

// Messages of different tags do not mix. Messages of one tag between two ranks arrive in order.
enum class Tag : int { header, presence, message_header, message };

// The result of start().
struct TransportInfo {
  int rank, size;
  int local_rank, local_size;  // among the processes of the same machine
  bool test_yields;            // if processes share cores, test() lets the others run
  char library[128];           // name and version, for people
};

constexpr uint32_t kTransportAbi = 2;

// Counts are of elements. Buffers are on the host. If device_kind is set, collectives get memory of
// such a device instead, whose earlier work has ended. Then there are no messages, no gather and no
// scatter.
struct TransportTable {
  uint32_t abi = kTransportAbi;
  uint32_t bytes = sizeof(TransportTable);
  const char* name;
  const char* device_kind;  // the beginning of device names, such as "gpu"; null: the host

  // Starts the transport and sets *world to the group of all processes.
  Problem (*start)(TransportInfo* info, void** world);
  // Ends it. All ranks call this, after they have freed their groups.
  Problem (*stop)();
  // Ends the processes of all ranks with this exit status.
  void (*abort)(int status);
  // Ranks of the same color form a group, in the order of their keys. A negative color: no group.
  Problem (*split)(void* group, int color, int key, void** part, int* rank, int* size);
  void (*free_group)(void* group);

  // With device_kind, instead of start, stop and split: rank 0 makes an identifier of id_bytes
  // bytes, which it sends to the other ranks by another transport. Then all call join. device: the
  // number of the device, from 0.
  size_t id_bytes;
  Problem (*new_id)(void* id);
  Problem (*join)(const void* id, int rank, int size, int device, void** group);

  // Messages. The buffer must stay valid until test() has set *done, which also frees the request.
  Problem (*send)(void* group, Tag tag, int to, const void* data, size_t bytes, void** request);
  Problem (*receive)(void* group, Tag tag, int from, void* data, size_t bytes, void** request);
  Problem (*test)(void** request, bool* done);
  void (*cancel)(void** request);

  // Collectives return when the caller's buffers can be used again. Element types are integers,
  // Float and Double; functions without a Reduction also accept Half and BFloat16.
  // In place.
  Problem (*all_reduce)(void* group, void* data, int64_t count, DType type, Reduction reduction);
  // Without communication: to[k] = from[k] combined with to[k].
  Problem (*combine)(const void* from, void* to, int64_t count, DType type, Reduction reduction);
  // In place at the root; elsewhere the elements are only read.
  Problem (*reduce)(void* group, void* data, int64_t count, DType type, Reduction reduction,
                    int root);
  Problem (*broadcast)(void* group, void* data, int64_t count, DType type, int root);
  // each: the number of elements of one rank. `all` has size * each elements, in order of the
  // ranks.
  Problem (*all_gather)(void* group, const void* own, void* all, int64_t each, DType type);
  Problem (*gather)(void* group, const void* own, void* all, int64_t each, DType type, int root);
  Problem (*scatter)(void* group, const void* all, void* own, int64_t each, DType type, int root);
  Problem (*reduce_scatter)(void* group, const void* all, void* own, int64_t each, DType type,
                            Reduction reduction);
  // Block k of `from` goes to rank k; block k of `to` comes from rank k.
  Problem (*all_to_all)(void* group, const void* from, void* to, int64_t each, DType type);
};

}  // namespace dist
}  // namespace th

extern "C" __attribute__((visibility("default"))) const th::dist::TransportTable*
th_transport_table(void);

#endif

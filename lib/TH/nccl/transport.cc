// The transport on NCCL, for memory of CUDA devices. It has not run on hardware yet.

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdio>
#include <cstring>

#include "cuda/restore_device.h"
#include "dist/transport.h"

namespace th::dist {
namespace {

char problem_text[256];

Problem checked(ncclResult_t code) {
  if (code == ncclSuccess) return nullptr;
  std::snprintf(problem_text, sizeof(problem_text), "NCCL: %s", ncclGetErrorString(code));
  return problem_text;
}

Problem checked(cudaError_t code) {
  if (code == cudaSuccess) return nullptr;
  std::snprintf(problem_text, sizeof(problem_text), "CUDA: %s", cudaGetErrorString(code));
  return problem_text;
}

// A communicator and the stream of its calls.
struct Ring {
  ncclComm_t comm;
  cudaStream_t stream;
  int rank, size, device;
};

// Functions without a reduction move bytes.
Problem check_reduced(DType type) {
  return type == DType::Short
             ? "NCCL does not reduce 16-bit integers: these tensors must be on the CPU"
             : nullptr;
}
ncclDataType_t nccl_type(DType type) {
  switch (type) {
    case DType::Byte:
      return ncclUint8;
    case DType::Char:
      return ncclInt8;
    case DType::Int:
      return ncclInt32;
    case DType::Long:
      return ncclInt64;
    case DType::Float:
      return ncclFloat32;
    case DType::Double:
      return ncclFloat64;
    case DType::Short:
    case DType::Half:
    case DType::BFloat16:
      break;
  }
  return ncclUint8;
}

size_t bytes_of(int64_t count, DType type) { return static_cast<size_t>(count) * item_size(type); }

ncclRedOp_t nccl_op(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return ncclSum;
    case Reduction::prod:
      return ncclProd;
    case Reduction::min:
      return ncclMin;
    case Reduction::max:
      return ncclMax;
  }
  return ncclSum;
}

// Runs f(ring) on the device of the group and waits for its end.
template <class F>
Problem run(void* group, const F& f) {
  auto* ring = static_cast<Ring*>(group);
  int before = 0;
  if (Problem p = checked(cudaGetDevice(&before))) return p;
  if (Problem p = checked(cudaSetDevice(ring->device))) return p;
  Problem problem = checked(f(*ring));
  if (!problem) problem = checked(cudaStreamSynchronize(ring->stream));
  const cudaError_t restored = restore_device(before);
  return problem ? problem : checked(restored);
}

// Runs f(ring), which queues several messages, as one call.
template <class F>
Problem run_messages(void* group, const F& f) {
  return run(group, [&](const Ring& ring) {
    ncclResult_t code = ncclGroupStart();
    if (code != ncclSuccess) return code;
    code = f(ring);
    const ncclResult_t end = ncclGroupEnd();
    return code != ncclSuccess ? code : end;
  });
}

Problem new_id(void* id) { return checked(ncclGetUniqueId(static_cast<ncclUniqueId*>(id))); }

Problem join(const void* id, int rank, int size, int device, void** group) {
  int before = 0;
  if (Problem p = checked(cudaGetDevice(&before))) return p;
  if (Problem p = checked(cudaSetDevice(device))) return p;
  ncclUniqueId unique;
  std::memcpy(&unique, id, sizeof(unique));
  Ring ring = {nullptr, nullptr, rank, size, device};
  Problem problem = checked(ncclCommInitRank(&ring.comm, size, unique, rank));
  if (!problem) problem = checked(cudaStreamCreateWithFlags(&ring.stream, cudaStreamNonBlocking));
  if (!problem) *group = new Ring(ring);
  const cudaError_t restored = restore_device(before);
  return problem ? problem : checked(restored);
}

void free_group(void* group) {
  auto* ring = static_cast<Ring*>(group);
  cudaStreamDestroy(ring->stream);
  ncclCommDestroy(ring->comm);
  delete ring;
}

Problem all_reduce(void* group, void* data, int64_t count, DType type, Reduction reduction) {
  if (Problem p = check_reduced(type)) return p;
  return run(group, [&](const Ring& ring) {
    return ncclAllReduce(data, data, static_cast<size_t>(count), nccl_type(type),
                         nccl_op(reduction), ring.comm, ring.stream);
  });
}

Problem reduce(void* group, void* data, int64_t count, DType type, Reduction reduction, int root) {
  if (Problem p = check_reduced(type)) return p;
  return run(group, [&](const Ring& ring) {
    return ncclReduce(data, data, static_cast<size_t>(count), nccl_type(type), nccl_op(reduction),
                      root, ring.comm, ring.stream);
  });
}

Problem broadcast(void* group, void* data, int64_t count, DType type, int root) {
  return run(group, [&](const Ring& ring) {
    return ncclBroadcast(data, data, bytes_of(count, type), ncclUint8, root, ring.comm,
                         ring.stream);
  });
}

Problem all_gather(void* group, const void* own, void* all, int64_t each, DType type) {
  return run(group, [&](const Ring& ring) {
    return ncclAllGather(own, all, bytes_of(each, type), ncclUint8, ring.comm, ring.stream);
  });
}

Problem reduce_scatter(void* group, const void* all, void* own, int64_t each, DType type,
                       Reduction reduction) {
  if (Problem p = check_reduced(type)) return p;
  return run(group, [&](const Ring& ring) {
    return ncclReduceScatter(all, own, static_cast<size_t>(each), nccl_type(type),
                             nccl_op(reduction), ring.comm, ring.stream);
  });
}

Problem all_to_all(void* group, const void* from, void* to, int64_t each, DType type) {
  const size_t bytes = bytes_of(each, type);
  return run_messages(group, [&](const Ring& ring) {
    ncclResult_t code = ncclSuccess;
    for (int rank = 0; rank < ring.size && code == ncclSuccess; ++rank) {
      code = ncclSend(static_cast<const char*>(from) + rank * bytes, bytes, ncclUint8, rank,
                      ring.comm, ring.stream);
      if (code != ncclSuccess) break;
      code = ncclRecv(static_cast<char*>(to) + rank * bytes, bytes, ncclUint8, rank, ring.comm,
                      ring.stream);
    }
    return code;
  });
}

TransportTable make_table() {
  TransportTable t = {};
  t.name = "nccl";
  t.device_kind = "gpu";
  t.id_bytes = sizeof(ncclUniqueId);
  t.new_id = new_id;
  t.join = join;
  t.free_group = free_group;
  t.all_reduce = all_reduce;
  t.reduce = reduce;
  t.broadcast = broadcast;
  t.all_gather = all_gather;
  t.reduce_scatter = reduce_scatter;
  t.all_to_all = all_to_all;
  return t;
}

}  // namespace
}  // namespace th::dist

const th::dist::TransportTable* th_transport_table(void) {
  static const th::dist::TransportTable table = th::dist::make_table();
  return &table;
}

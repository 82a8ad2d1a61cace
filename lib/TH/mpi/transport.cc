// The transport on MPI: dist/transport.h by MPI's functions.

#include <errno.h>
#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "base/cores.h"
#include "dist/transport.h"

namespace th::dist {
namespace {

// MPI counts in int. Larger buffers are sent in pieces of this number of elements.
constexpr int64_t kPiece = int64_t{1} << 30;
// Open MPI reduces large buffers by a copy of the whole buffer, whose pages are new for each call.
// Reductions of 64 MiB in pieces of this number of bytes take a third of the time.
constexpr int64_t kReducedBytes = int64_t{16} << 20;

char problem_text[MPI_MAX_ERROR_STRING + 64];

// Returns null for MPI_SUCCESS, else the text of the error.
Problem checked(int code) {
  if (code == MPI_SUCCESS) return nullptr;
  int length = 0;
  char text[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_string(code, text, &length);
  std::snprintf(problem_text, sizeof(problem_text), "MPI: %s", text);
  return problem_text;
}

MPI_Comm comm(void* group) { return *static_cast<MPI_Comm*>(group); }

// ---- element types and reductions ---------------------------------------------------------------

MPI_Datatype mpi_type(DType type) {
  switch (type) {
    case DType::Byte:
      return MPI_UINT8_T;
    case DType::Char:
      return MPI_INT8_T;
    case DType::Short:
      return MPI_INT16_T;
    case DType::Int:
      return MPI_INT32_T;
    case DType::Long:
      return MPI_INT64_T;
    case DType::Float:
      return MPI_FLOAT;
    case DType::Double:
      return MPI_DOUBLE;
    case DType::Half:
    case DType::BFloat16:
      return MPI_UINT16_T;
  }
  return MPI_DATATYPE_NULL;
}

// The smaller or larger of two numbers. If one is NaN, so is the result. MPI_MIN and MPI_MAX leave
// open the result for NaN, and for zeros of different signs: ranks could get different results.
template <bool larger, class T>
T extreme(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) == larger ? b : a;
  return (a > b) == larger ? a : b;
}

template <bool larger, class T>
void keep_extremes(const void* in, void* inout, int count) {
  const T* a = static_cast<const T*>(in);
  T* b = static_cast<T*>(inout);
  for (int k = 0; k < count; ++k) b[k] = extreme<larger>(a[k], b[k]);
}

template <bool larger>
void keep_extremes_of(void* in, void* inout, int* count, MPI_Datatype* type) {
  if (*type == MPI_FLOAT) {
    keep_extremes<larger, float>(in, inout, *count);
  } else {
    keep_extremes<larger, double>(in, inout, *count);
  }
}

MPI_Op min_of_floats, max_of_floats;

MPI_Op mpi_op(DType type, Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return MPI_SUM;
    case Reduction::prod:
      return MPI_PROD;
    case Reduction::min:
      return is_integral(type) ? MPI_MIN : min_of_floats;
    case Reduction::max:
      return is_integral(type) ? MPI_MAX : max_of_floats;
  }
  return MPI_OP_NULL;
}

// Calls f(offset in bytes, count) for pieces of at most `most` elements, until one fails.
template <class F>
Problem in_pieces(int64_t count, DType type, int64_t most, const F& f) {
  for (int64_t first = 0; first < count; first += most) {
    const auto piece = static_cast<int>(std::min(most, count - first));
    if (Problem problem = checked(f(first * item_size(type), piece))) return problem;
  }
  return nullptr;
}

int64_t most_reduced(DType type) { return kReducedBytes / static_cast<int64_t>(item_size(type)); }

char* at(void* data, size_t offset) { return static_cast<char*>(data) + offset; }

// ---- start and end ------------------------------------------------------------------------------

bool owns_mpi = false;  // this plugin has initialized MPI

#ifdef OPEN_MPI
constexpr bool kIsOpenMpi = true;

void set_default(const char* variable, const char* value) { setenv(variable, value, 0); }

// Settings of Open MPI, for this process. The user's environment takes precedence.
void set_defaults() {
  // Messages up to this size need no handshake between processes of one machine.
  set_default("OMPI_MCA_btl_vader_eager_limit", "20480");
  // mpirun sets this, too, unless it believes that there are more cores.
  const char* count = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (count && std::atoi(count) > available_cores()) {
    set_default("OMPI_MCA_mpi_yield_when_idle", "1");
  }
  // Large messages between processes are copied by process_vm_readv, which containers may forbid.
  // Then Open MPI prints an error for each message. This makes it copy through shared memory.
  char byte = 0;
  iovec own = {&byte, 1}, other = {nullptr, 1};
  if (process_vm_readv(getppid(), &own, 1, &other, 1, 0) < 0 &&
      (errno == EPERM || errno == ENOSYS)) {
    set_default("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  }
}
#else
constexpr bool kIsOpenMpi = false;
void set_defaults() {}
#endif

Problem start(TransportInfo* info, void** world) {
  int initialized = 0, provided = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  if (initialized) {
    MPI_Query_thread(&provided);
  } else {
    set_defaults();
    if (Problem p = checked(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided))) {
      return p;
    }
    owns_mpi = true;
  }
  if (provided < MPI_THREAD_SERIALIZED) return "MPI: calls from several threads are not supported";
  static MPI_Comm all;
  if (Problem p = checked(MPI_Comm_dup(MPI_COMM_WORLD, &all))) return p;
  MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
  MPI_Comm_rank(all, &info->rank);
  MPI_Comm_size(all, &info->size);
  MPI_Comm machine;
  if (Problem p = checked(
          MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, info->rank, MPI_INFO_NULL, &machine))) {
    return p;
  }
  MPI_Comm_rank(machine, &info->local_rank);
  MPI_Comm_size(machine, &info->local_size);
  MPI_Comm_free(&machine);
  info->test_yields = kIsOpenMpi;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  // "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date:\t..."
  const char* number = std::strncmp(version, "MPICH Version:", 14) == 0 ? version + 14 : nullptr;
  if (number) number += std::strspn(number, " \t");
  const char* shown = number ? number : version;
  std::snprintf(info->library, sizeof(info->library), "%s%.*s", number ? "MPICH v" : "",
                static_cast<int>(std::strcspn(shown, ",\n")), shown);
  MPI_Op_create(keep_extremes_of<false>, 1, &min_of_floats);
  MPI_Op_create(keep_extremes_of<true>, 1, &max_of_floats);
  *world = &all;
  return nullptr;
}

Problem stop() {
  MPI_Op_free(&min_of_floats);
  MPI_Op_free(&max_of_floats);
  int finalized = 0;
  MPI_Finalized(&finalized);
  return owns_mpi && !finalized ? checked(MPI_Finalize()) : nullptr;
}

void abort_all(int status) {
  // The mpirun of MPICH discards what it has not read of the messages before an abort.
  if (!kIsOpenMpi) usleep(300000);
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

Problem split(void* group, int color, int key, void** part, int* rank, int* size) {
  MPI_Comm made;
  *part = nullptr;
  if (Problem p =
          checked(MPI_Comm_split(comm(group), color < 0 ? MPI_UNDEFINED : color, key, &made))) {
    return p;
  }
  if (made == MPI_COMM_NULL) return nullptr;
  MPI_Comm_rank(made, rank);
  MPI_Comm_size(made, size);
  *part = new MPI_Comm(made);
  return nullptr;
}

void free_group(void* group) {
  auto* made = static_cast<MPI_Comm*>(group);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(made);
  delete made;
}

// ---- messages -----------------------------------------------------------------------------------

Problem send(void* group, Tag tag, int to, const void* data, size_t bytes, void** request) {
  auto* made = new MPI_Request;
  *request = made;
  return checked(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, static_cast<int>(tag),
                           comm(group), made));
}

Problem receive(void* group, Tag tag, int from, void* data, size_t bytes, void** request) {
  auto* made = new MPI_Request;
  *request = made;
  return checked(MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, static_cast<int>(tag),
                           comm(group), made));
}

Problem test(void** request, bool* done) {
  auto* pending = static_cast<MPI_Request*>(*request);
  int complete = 0;
  Problem problem = checked(MPI_Test(pending, &complete, MPI_STATUS_IGNORE));
  *done = complete || problem;
  if (*done) {
    delete pending;
    *request = nullptr;
  }
  return problem;
}

void cancel(void** request) {
  auto* pending = static_cast<MPI_Request*>(*request);
  MPI_Cancel(pending);
  MPI_Wait(pending, MPI_STATUS_IGNORE);
  delete pending;
  *request = nullptr;
}

// ---- collectives --------------------------------------------------------------------------------

Problem all_reduce(void* group, void* data, int64_t count, DType type, Reduction reduction) {
  return in_pieces(count, type, most_reduced(type), [&](size_t offset, int piece) {
    return MPI_Allreduce(MPI_IN_PLACE, at(data, offset), piece, mpi_type(type),
                         mpi_op(type, reduction), comm(group));
  });
}

Problem combine(const void* from, void* to, int64_t count, DType type, Reduction reduction) {
  return checked(
      MPI_Reduce_local(from, to, static_cast<int>(count), mpi_type(type), mpi_op(type, reduction)));
}

Problem reduce(void* group, void* data, int64_t count, DType type, Reduction reduction, int root) {
  int rank = 0;
  MPI_Comm_rank(comm(group), &rank);
  return in_pieces(count, type, most_reduced(type), [&](size_t offset, int piece) {
    void* part = at(data, offset);
    return MPI_Reduce(rank == root ? MPI_IN_PLACE : part, part, piece, mpi_type(type),
                      mpi_op(type, reduction), root, comm(group));
  });
}

Problem broadcast(void* group, void* data, int64_t count, DType type, int root) {
  return in_pieces(count, type, kPiece, [&](size_t offset, int piece) {
    return MPI_Bcast(at(data, offset), piece, mpi_type(type), root, comm(group));
  });
}

// A block of more elements than MPI can count, as one element of an MPI type.
class Block {
 public:
  Block(int64_t each, DType type) {
    // Whole pieces, then the rest.
    MPI_Datatype piece, types[2] = {MPI_DATATYPE_NULL, mpi_type(type)};
    MPI_Type_contiguous(static_cast<int>(kPiece), mpi_type(type), &piece);
    types[0] = piece;
    const int64_t pieces = each / kPiece;
    const int counts[2] = {static_cast<int>(pieces), static_cast<int>(each % kPiece)};
    const MPI_Aint offsets[2] = {0, static_cast<MPI_Aint>(pieces * kPiece * item_size(type))};
    MPI_Type_create_struct(2, counts, offsets, types, &type_);
    MPI_Type_free(&piece);
    MPI_Type_commit(&type_);
  }
  ~Block() { MPI_Type_free(&type_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_;
};

// Calls f(count, type): elements if MPI can count them, else one block.
template <class F>
Problem as_blocks(int64_t each, DType type, const F& f) {
  if (each <= kPiece) return checked(f(static_cast<int>(each), mpi_type(type)));
  Block block(each, type);
  return checked(f(1, block.type()));
}

Problem all_gather(void* group, const void* own, void* all, int64_t each, DType type) {
  return as_blocks(each, type, [&](int count, MPI_Datatype block) {
    return MPI_Allgather(own, count, block, all, count, block, comm(group));
  });
}

Problem gather(void* group, const void* own, void* all, int64_t each, DType type, int root) {
  return as_blocks(each, type, [&](int count, MPI_Datatype block) {
    return MPI_Gather(own, count, block, all, count, block, root, comm(group));
  });
}

Problem scatter(void* group, const void* all, void* own, int64_t each, DType type, int root) {
  return as_blocks(each, type, [&](int count, MPI_Datatype block) {
    return MPI_Scatter(all, count, block, own, count, block, root, comm(group));
  });
}

Problem all_to_all(void* group, const void* from, void* to, int64_t each, DType type) {
  return as_blocks(each, type, [&](int count, MPI_Datatype block) {
    return MPI_Alltoall(from, count, block, to, count, block, comm(group));
  });
}

Problem reduce_scatter(void* group, const void* all, void* own, int64_t each, DType type,
                       Reduction reduction) {
  int size = 1;
  MPI_Comm_size(comm(group), &size);
  if (each > std::numeric_limits<int>::max() / size) {
    // More elements than MPI can count: one reduction for each rank.
    int rank = 0;
    MPI_Comm_rank(comm(group), &rank);
    for (int root = 0; root < size; ++root) {
      const size_t first = static_cast<size_t>(root * each) * item_size(type);
      const char* block = static_cast<const char*>(all) + first;
      Problem problem = in_pieces(each, type, most_reduced(type), [&](size_t offset, int piece) {
        return MPI_Reduce(block + offset, rank == root ? at(own, offset) : nullptr, piece,
                          mpi_type(type), mpi_op(type, reduction), root, comm(group));
      });
      if (problem) return problem;
    }
    return nullptr;
  }
  return checked(MPI_Reduce_scatter_block(all, own, static_cast<int>(each), mpi_type(type),
                                          mpi_op(type, reduction), comm(group)));
}

TransportTable make_table() {
  TransportTable t = {};
  t.name = "mpi";
  t.start = start;
  t.stop = stop;
  t.abort = abort_all;
  t.split = split;
  t.free_group = free_group;
  t.send = send;
  t.receive = receive;
  t.test = test;
  t.cancel = cancel;
  t.all_reduce = all_reduce;
  t.combine = combine;
  t.reduce = reduce;
  t.broadcast = broadcast;
  t.all_gather = all_gather;
  t.gather = gather;
  t.scatter = scatter;
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

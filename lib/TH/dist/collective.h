#ifndef TH_DIST_COLLECTIVE_H
#define TH_DIST_COLLECTIVE_H

// Collectives on tensors of all element types and layouts. All ranks of the group call the same
// function in the same order. Elements of Half and BFloat16 tensors are reduced in float.
// Reductions of NaN give NaN.
//
// An asynchronous call returns at once, and wait() writes the results.

#include <functional>
#include <memory>
#include <string>

#include "dist/group.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {
namespace dist {

// A call that may still run.
class Work {
 public:
  virtual ~Work() = default;
  // Returns true if wait() will not have to wait for other ranks.
  virtual bool is_done() = 0;
  // Waits for the end and writes the results. Throws the error of the call.
  virtual void wait() = 0;
};
using WorkPtr = std::unique_ptr<Work>;  // null: the call has ended
using GroupPtr = std::shared_ptr<Group>;

// blocking: the call returns when the results are written.
// copying: it returns at once. It works on copies, so the tensors may be used meanwhile.
// owning: it returns at once. The caller does not use the tensors before wait().
enum class Mode : uint8_t { blocking, copying, owning };
inline bool copies(Mode mode) { return mode == Mode::copying; }

// How a call runs. detail: a text that the ranks must agree on, too, such as the shapes of the
// tensors of a table, of which the call exchanges one. Empty: no text.
struct Way {
  Way(Mode m) : mode(m) {}  // NOLINT: a mode is a way without a detail
  Mode mode;
  std::string detail;
};

// How reductions combine the elements of the ranks. mean: a sum divided by the number of ranks, for
// floating-point tensors only.
struct Combine {
  Reduction reduction = Reduction::sum;
  bool mean = false;
};
// Throws for names other than 'sum', 'mean', 'prod', 'min' and 'max'.
Combine combine_named(const char* name);

WorkPtr barrier(const GroupPtr& group, const Way& way);
// Overwrite t on all ranks but the root, and on all ranks.
WorkPtr broadcast(const GroupPtr& group, Tensor* t, int root, const Way& way);
WorkPtr all_reduce(const GroupPtr& group, Tensor* t, Combine combine, const Way& way);
// Overwrites t at the root only.
WorkPtr reduce(const GroupPtr& group, Tensor* t, Combine combine, int root, const Way& way);
// r gets one more dimension than t, the first: the ranks. gather writes r at the root only.
WorkPtr all_gather(const GroupPtr& group, Tensor* r, Tensor* t, const Way& way);
WorkPtr gather(const GroupPtr& group, Tensor* r, Tensor* t, int root, const Way& way);
// Overwrites r by the part of t that belongs to this rank. t is used at the root only; its first
// dimension is the ranks.
WorkPtr scatter(const GroupPtr& group, Tensor* r, Tensor* t, int root, const Way& way);
// Split the first dimension of t into one part for each rank. reduce_scatter: r is the part of this
// rank, combined over all ranks. all_to_all: r has the parts for this rank of all ranks.
WorkPtr reduce_scatter(const GroupPtr& group, Tensor* r, Tensor* t, Combine combine,
                       const Way& way);
WorkPtr all_to_all(const GroupPtr& group, Tensor* r, Tensor* t, const Way& way);

// Sets r to one number, a hash of t's element type, shape, and the bytes of its elements in order.
void hash(Tensor* r, Tensor* t);

}  // namespace dist
}  // namespace TH_VISIBLE

#endif

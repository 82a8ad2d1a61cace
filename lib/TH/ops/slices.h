#ifndef TH_OPS_SLICES_H
#define TH_OPS_SLICES_H

// Moving or adding slices of one dimension, in any order and layout.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "THGeneral.h"
#include "cpu/iterator.h"
#include "cpu/parallel.h"
#include "functors/index_actions.h"
#include "tensor/tensor.h"

namespace th {
namespace {

// One operand: its geometry, and which of its slices is the k-th. Steps are in bytes.
struct Side {
  char* data;
  const int64_t* stride;
  int64_t step;          // from one slice to the next
  const int64_t* index;  // null: slice k is the k-th
  int64_t index_stride;

  int64_t offset(int64_t k) const {
    return (index ? index[k * index_stride] - TH_INDEX_BASE : k) * step;
  }
};

inline Side all_slices(char* data, const int64_t* stride, int dim, size_t item) {
  return {data, stride, stride[dim] * static_cast<int64_t>(item), nullptr, 0};
}

inline Side chosen_slices(char* data, const int64_t* stride, int dim, size_t item,
                          const Tensor& index) {
  return {data, stride, stride[dim] * static_cast<int64_t>(item),
          index.data_as<int64_t>(Access::read), index.stride[0]};
}

// slice k of `to` becomes action(it, slice k of `from`).
class Slices {
 public:
  Slices(size_t item, int ndim, const int64_t* size, int dim, int64_t count, const Side& to,
         const Side& from, bool keep_order)
      : count_(count), to_(to), from_(from), positions_(0, nullptr) {
    int64_t kept[kMaxDims], to_stride[kMaxDims], from_stride[kMaxDims];
    int n = 0;
    for (int d = 0; d < ndim; ++d) {
      if (d == dim) continue;
      kept[n] = size[d];
      to_stride[n] = to.stride[d];
      from_stride[n++] = from.stride[d];
    }
    if (n == 0) {
      kept[n] = 1;
      to_stride[n] = from_stride[n] = 0;
      ++n;
    }
    positions_ = Iterator(n, kept);
    positions_.add(to.data, item, to_stride);
    positions_.add(from.data, item, from_stride);
    positions_.plan(keep_order);
    along_indices_ =
        !keep_order && (positions_.inner_size() == 1 || to.step < positions_.inner_stride(0));
  }

  // One slice after the other on this thread.
  template <class T, class Action>
  void run_in_order() const {
    by_positions<T, Action>(0, count_, 0, positions_.numel());
  }

  // Slices may be written more than once: each position is one thread's.
  template <class T, class Action>
  void run_by_position() const {
    if (count_ == 0) return;
    parallel_for(positions_.numel(), grain(count_), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T, Action>(0, count_, begin, end);
      } else {
        by_positions<T, Action>(0, count_, begin, end);
      }
    });
  }

  // All slices written are different ones.
  template <class T, class Action>
  void run() const {
    int64_t positions = positions_.numel();
    if (positions == 0) return;
    if ((along_indices_ ? positions : count_) < num_threads()) {
      // The longer of both is shared out.
      if (count_ <= positions) return run_by_position<T, Action>();
    } else if (along_indices_) {
      return run_by_position<T, Action>();
    }
    parallel_for(count_, grain(positions), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T, Action>(begin, end, 0, positions);
      } else {
        by_positions<T, Action>(begin, end, 0, positions);
      }
    });
  }

 private:
  static int64_t grain(int64_t repeats) { return std::max<int64_t>(1, Grain::gather / repeats); }

  template <class T, class Action>
  static void run_one(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                      int64_t n) {
    constexpr int64_t item = sizeof(T);
    if (to_stride == item && from_stride == item) {
      if constexpr (std::is_same_v<Action, Move<T>>) {
        std::memcpy(to, from, n * item);
      } else {
        for (int64_t i = 0; i < n; ++i) {
          Action::run(reinterpret_cast<T*>(to) + i, reinterpret_cast<const T*>(from) + i);
        }
      }
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      Action::run(reinterpret_cast<T*>(to + i * to_stride),
                  reinterpret_cast<const T*>(from + i * from_stride));
    }
  }

  template <class T, class Action>
  void by_positions(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    int64_t to_stride = positions_.inner_stride(0), from_stride = positions_.inner_stride(1);
    bool one_run = positions_.inner_size() == positions_.numel();
    for (int64_t k = first; k < last; ++k) {
      int64_t to = to_.offset(k), from = from_.offset(k);
      if (one_run) {
        run_one<T, Action>(to_.data + to + begin * to_stride, to_stride,
                           from_.data + from + begin * from_stride, from_stride, end - begin);
        continue;
      }
      positions_.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        run_one<T, Action>(at[0] + to, stride[0], at[1] + from, stride[1], n);
      });
    }
  }

  template <class T, class Action>
  void by_indices(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    positions_.for_each_run(begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        char* to = at[0] + i * stride[0];
        const char* from = at[1] + i * stride[1];
        for (int64_t k = first; k < last; ++k) {
          Action::run(reinterpret_cast<T*>(to + to_.offset(k)),
                      reinterpret_cast<const T*>(from + from_.offset(k)));
        }
      }
    });
  }

  int64_t count_;
  Side to_, from_;
  Iterator positions_;
  bool along_indices_;
};

}  // namespace
}  // namespace th

#endif

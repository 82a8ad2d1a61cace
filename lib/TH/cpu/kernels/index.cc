// Reads and writes of elements selected by indices.

#include <algorithm>
#include <cstring>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "backend/cpu_backend.h"
#include "cpu/loops.h"
#include "cpu/parallel.h"
#include "functors/condition.h"
#include "functors/index_actions.h"
#include "tensor/type_sets.h"

namespace th {
namespace {

// Combines elements, or n contiguous ones, by a function. Add is a template argument instead, for
// speed; the others are rare.
template <class T>
struct CombineBy {
  void (*function)(T* to, const T* from);
  void (*contiguous)(T* to, const T* from, int64_t n);
  void (*scattered)(T* to, const int64_t* index, int64_t size, const T* from, int64_t n);
  void run(T* to, const T* from) const { function(to, from); }
};

// Adds elements.
template <class T>
struct Add : Accumulate<T> {};
#ifdef __F16C__
template <>
struct Add<Half> {
  static void run(Half* to, const Half* from) {
    to->x = _cvtss_sh(_cvtsh_ss(to->x) + _cvtsh_ss(from->x), _MM_FROUND_TO_NEAREST_INT);
  }
};
#endif

inline int64_t index_at(const char* at, int64_t size) {
  return position_of(*reinterpret_cast<const int64_t*>(at), size);
}

// Loads are serialized by memory, so vectorizing does not help. The asm statement stops the
// compiler from doing it.
inline int64_t scalar(int64_t position) {
  asm("" : "+r"(position));
  return position;
}
// For contiguous indices.
inline int64_t index_of(const int64_t* index, int64_t i, int64_t size) {
  return scalar(position_of(index[i], size));
}

// Applies action to each of n contiguous elements. The compiler vectorizes this loop only in a
// function of its own.
template <class T, class Action>
[[gnu::noinline]] void run_contiguous(const Action& action, T* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) action.run(to + i, from + i);
}
template <class T, class Action>
void combine_contiguous(T* to, const T* from, int64_t n) {
  run_contiguous(Action(), to, from, n);
}

// Applies action to n contiguous elements and those of `to` with their indices.
template <class T, class Action>
void run_scattered(const Action& action, T* to, const int64_t* index, int64_t size, const T* from,
                   int64_t n) {
#pragma GCC unroll 4
  for (int64_t k = 0; k < n; ++k) action.run(to + index_of(index, k, size), from + k);
}
template <class T, class Action>
void combine_scattered(T* to, const int64_t* index, int64_t size, const T* from, int64_t n) {
  run_scattered(Action(), to, index, size, from, n);
}

// The slices of one operand along a dimension, directly or through an index. Steps are in bytes.
struct Side {
  char* data;
  int64_t step;       // from one slice to the next
  const char* index;  // null: slice k
  int64_t index_step;
  int64_t size;  // of the indexed dimension

  int64_t offset(int64_t k) const {
    return (index ? index_at(index + k * index_step, size) : k) * step;
  }
};

// Applies action to slice k of operand 0 (to) and slice k of operand 1 (from), for `count` slices.
class Slices {
 public:
  // positions: the elements within a slice.
  Slices(const LoopPlan& positions, int64_t count, const Side& to, const Side& from)
      : count_(count), to_(to), from_(from), positions_(positions) {
    along_indices_ = !positions.shared_output &&
                     (positions_.inner_size() == 1 || to.step < positions_.inner_stride(0));
  }

  // Slices may be written more than once, so each position is processed by a single thread.
  template <class T, class Action>
  void run_by_position(const Action& action) const {
    if (count_ == 0) return;
    if (positions_.shared_output) return by_positions<T>(action, 0, count_, 0, positions_.numel);
    parallel_for(positions_.numel, grain(count_), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T>(action, 0, count_, begin, end);
      } else {
        by_positions<T>(action, 0, count_, begin, end);
      }
    });
  }

  // The slices written must be distinct.
  template <class T, class Action>
  void run(const Action& action) const {
    int64_t positions = positions_.numel;
    if (positions == 0) return;
    if (positions_.shared_output) return run_by_position<T>(action);
    if ((along_indices_ ? positions : count_) < num_threads()) {
      // Divide the longer of both loops among the threads.
      if (count_ <= positions) return run_by_position<T>(action);
    } else if (along_indices_) {
      return run_by_position<T>(action);
    }
    parallel_for(count_, grain(positions), [&](int64_t begin, int64_t end) {
      if (along_indices_) {
        by_indices<T>(action, begin, end, 0, positions);
      } else {
        by_positions<T>(action, begin, end, 0, positions);
      }
    });
  }

 private:
  static int64_t grain(int64_t repeats) { return std::max<int64_t>(1, Grain::gather / repeats); }

  template <class T, class Action>
  static void run_one(const Action& action, char* to, int64_t to_stride, const char* from,
                      int64_t from_stride, int64_t n) {
    constexpr int64_t item = sizeof(T);
    if (to_stride == item && from_stride == item) {
      if constexpr (std::is_same_v<Action, Move<T>>) {
        std::memcpy(to, from, n * item);
      } else if constexpr (std::is_same_v<Action, CombineBy<T>>) {
        action.contiguous(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), n);
      } else {
        // As Add, but the conversions are vectorized.
        run_contiguous(Accumulate<T>(), reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from),
                       n);
      }
      return;
    }
    if constexpr (std::is_same_v<Action, Move<T>>) {
      if (to_stride == item && from_stride == 0) {
        std::fill_n(reinterpret_cast<T*>(to), n, *reinterpret_cast<const T*>(from));
        return;
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      action.run(reinterpret_cast<T*>(to + i * to_stride),
                 reinterpret_cast<const T*>(from + i * from_stride));
    }
  }

  // Copies slices of a few bytes from `begin` on. Returns false for other sizes.
  bool copy_short(int64_t first, int64_t last, int64_t begin, int64_t bytes) const {
    switch (bytes) {
      case 8:
        return copy_bytes<8>(first, last, begin);
      case 12:
        return copy_bytes<12>(first, last, begin);
      case 16:
        return copy_bytes<16>(first, last, begin);
      case 24:
        return copy_bytes<24>(first, last, begin);
      case 32:
        return copy_bytes<32>(first, last, begin);
      case 64:
        return copy_bytes<64>(first, last, begin);
      default:
        return false;
    }
  }
  template <size_t bytes>
  bool copy_bytes(int64_t first, int64_t last, int64_t begin) const {
    // Local copies, because for the compiler the elements written may alias the members.
    const Side to = to_, from = from_;
    for (int64_t k = first; k < last; ++k) {
      std::memcpy(to.data + begin + to.offset(k), from.data + begin + from.offset(k), bytes);
    }
    return true;
  }

  template <class T, class Action>
  void by_positions(const Action& action, int64_t first, int64_t last, int64_t begin,
                    int64_t end) const {
    int64_t to_stride = positions_.inner_stride(0), from_stride = positions_.inner_stride(1);
    bool one_run = positions_.inner_size() == positions_.numel;
    if constexpr (std::is_same_v<Action, Move<T>>) {
      constexpr int64_t item = sizeof(T);
      if (one_run && to_stride == item && from_stride == item &&
          copy_short(first, last, begin * item, (end - begin) * item)) {
        return;
      }
    }
    for (int64_t k = first; k < last; ++k) {
      int64_t to = to_.offset(k), from = from_.offset(k);
      if (one_run) {
        run_one<T>(action, to_.data + to + begin * to_stride, to_stride,
                   from_.data + from + begin * from_stride, from_stride, end - begin);
        continue;
      }
      for_each_run(positions_, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        run_one<T>(action, at[0] + to, stride[0], at[1] + from, stride[1], n);
      });
    }
  }

  // The offsets of a block of slices are computed once for all positions.
  template <class T, class Action>
  void by_indices(const Action& action, int64_t first, int64_t last, int64_t begin,
                  int64_t end) const {
    if (end - begin == 1 && to_.index && !from_.index) {
      for_each_run(positions_, begin, end, [&](char* const* at, const int64_t*, int64_t) {
        by_target<T>(action, at[0], at[1], first, last);
      });
      return;
    }
    constexpr int64_t kSlices = 512;
    int64_t to_offset[kSlices], from_offset[kSlices];
    for (; first < last; first += kSlices) {
      const int64_t count = std::min(kSlices, last - first);
      for (int64_t k = 0; k < count; ++k) to_offset[k] = to_.offset(first + k);
      for (int64_t k = 0; k < count; ++k) from_offset[k] = from_.offset(first + k);
      const bool is_gather = !to_.index && to_.step == sizeof(T);
      const bool is_scatter = !from_.index && from_.step == sizeof(T);
      for_each_run(positions_, begin, end, [&](char* const* at, const int64_t* stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          char* const to = at[0] + i * stride[0];
          const char* const from = at[1] + i * stride[1];
          if (is_gather) {
            T* const out = reinterpret_cast<T*>(to + to_offset[0]);
#pragma GCC unroll 4
            for (int64_t k = 0; k < count; ++k) {
              action.run(out + k, reinterpret_cast<const T*>(from + scalar(from_offset[k])));
            }
          } else if (is_scatter) {
            const T* const in = reinterpret_cast<const T*>(from + from_offset[0]);
#pragma GCC unroll 4
            for (int64_t k = 0; k < count; ++k) {
              action.run(reinterpret_cast<T*>(to + scalar(to_offset[k])), in + k);
            }
          } else {
            for (int64_t k = 0; k < count; ++k) {
              action.run(reinterpret_cast<T*>(to + to_offset[k]),
                         reinterpret_cast<const T*>(from + from_offset[k]));
            }
          }
        }
      });
    }
  }

  // A single position, with local copies as above.
  template <class T, class Action>
  void by_target(const Action& action, char* to, const char* from, int64_t first,
                 int64_t last) const {
    const int64_t size = to_.size, to_step = to_.step, step = from_.step, next = to_.index_step;
    const char* index = to_.index + first * next;
    from += first * step;
    if (next == sizeof(int64_t) && step == sizeof(T) && to_step == sizeof(T)) {
      auto* all = reinterpret_cast<const int64_t*>(index);
      auto* out = reinterpret_cast<T*>(to);
      auto* in = reinterpret_cast<const T*>(from);
      if constexpr (std::is_same_v<Action, CombineBy<T>>) {
        action.scattered(out, all, size, in, last - first);
      } else {
        run_scattered(action, out, all, size, in, last - first);
      }
      return;
    }
    for (int64_t k = first; k < last; ++k, index += next, from += step) {
      action.run(reinterpret_cast<T*>(to + index_at(index, size) * to_step),
                 reinterpret_cast<const T*>(from));
    }
  }

  int64_t count_;
  Side to_, from_;
  const LoopPlan& positions_;
  bool along_indices_;
};

// ---- gather ----

// Gathers with one index for each element.
template <class T>
void gather_elements(const GatherCall& call) {
  constexpr int64_t item = sizeof(T), index_item = sizeof(int64_t);
  auto work = [&](int64_t begin, int64_t end) {
    for_each_run(call.plan, begin, end, [&](char* const* at, const int64_t* s, int64_t n) {
      const int64_t step = call.step, size = call.size;
      if (s[0] == item && s[1] == index_item && s[2] == 0 && step == item) {
        T* out = reinterpret_cast<T*>(at[0]);
        const T* in = reinterpret_cast<const T*>(at[2]);
        const int64_t* index = reinterpret_cast<const int64_t*>(at[1]);
#pragma GCC unroll 4
        for (int64_t i = 0; i < n; ++i) out[i] = in[index_of(index, i, size)];
        return;
      }
      char* out = at[0];
      const char *index = at[1], *in = at[2];
      const int64_t out_step = s[0], index_step = s[1], in_step = s[2];
      for (int64_t i = 0; i < n; ++i) {
        int64_t chosen = index_at(index + i * index_step, size);
        *reinterpret_cast<T*>(out + i * out_step) =
            *reinterpret_cast<const T*>(in + i * in_step + chosen * step);
      }
    });
  };
  if (call.plan.shared_output) return work(0, call.plan.numel);
  parallel_for(call.plan.numel, Grain::gather, work);
}

// Returns the only dimension along which the index varies; -1: there is a single index for all
// elements; ndim: it varies along several dimensions.
int vector_dim(const LoopPlan& plan) {
  int found = -1;
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.stride[1][d] == 0) continue;
    if (found >= 0) return plan.ndim;
    found = d;
  }
  return found;
}

// Builds the plan of operands 0 and `second` without dimension d.
void without(const LoopPlan& plan, int d, int second, LoopPlan* rest) {
  rest->ndim = 0;
  rest->operands = 2;
  rest->shared_output = plan.shared_output;
  rest->numel = 1;
  for (int e = 0; e < plan.ndim; ++e) {
    if (e == d) continue;
    rest->size[rest->ndim] = plan.size[e];
    rest->stride[0][rest->ndim] = plan.stride[0][e];
    rest->stride[1][rest->ndim] = plan.stride[second][e];
    rest->numel *= plan.size[e];
    ++rest->ndim;
  }
  rest->data[0] = plan.data[0];
  rest->data[1] = plan.data[second];
}

template <class T>
void gather(const GatherCall& call) {
  const LoopPlan& plan = call.plan;
  int d = vector_dim(plan);
  // For vectors a slice is one element, so use the element loop.
  bool slices_by_index = d < 0 || (d < plan.ndim && plan.ndim > 1 && plan.stride[2][d] == 0);
  if (!slices_by_index) return gather_elements<T>(call);
  LoopPlan positions;
  without(plan, d, 2, &positions);
  Side to = {plan.data[0], d < 0 ? 0 : plan.stride[0][d], nullptr, 0, 0};
  Side from = {plan.data[2], call.step, plan.data[1], d < 0 ? 0 : plan.stride[1][d], call.size};
  Slices slices(positions, d < 0 ? 1 : plan.size[d], to, from);
  slices.run<T>(Move<T>());
}

// ---- scatter ----

// The positions are divided among threads. Along the dimension indices may repeat, so the order is
// kept.
template <class T, class Action>
void scatter_elements(const ScatterCall& call, const Action& action) {
  const LoopPlan& plan = call.plan;
  const int64_t to_step = call.step[0], index_step = call.step[1], from_step = call.step[2];
  const int64_t length = call.length, size = call.size;
  bool dim_inside = plan.shared_output || index_step < plan.inner_stride(1);
  // Processes n elements. next: distance in bytes in the result, the indices and the source.
  auto run = [=](char* to, const char* index, const char* from, const int64_t* next, int64_t n) {
    const int64_t to_next = next[0], index_next = next[1], from_next = next[2];
    for (int64_t i = 0; i < n; ++i) {
      action.run(reinterpret_cast<T*>(to + index_at(index, size) * to_step),
                 reinterpret_cast<const T*>(from));
      to += to_next;
      index += index_next;
      from += from_next;
    }
  };
  auto work = [&](int64_t begin, int64_t end) {
    for_each_run(plan, begin, end, [&](char* const* at, const int64_t* step, int64_t count) {
      const int64_t along[] = {0, index_step, from_step};
      for (int64_t k = 0; k < (dim_inside ? count : length); ++k) {
        if (dim_inside) {
          run(at[0] + k * step[0], at[1] + k * step[1], at[2] + k * step[2], along, length);
        } else {
          run(at[0], at[1] + k * index_step, at[2] + k * from_step, step, count);
        }
      }
    });
  };
  if (plan.shared_output) return work(0, plan.numel);
  parallel_for(plan.numel, std::max<int64_t>(1, Grain::gather / length), work);
}

template <class T, class Action>
void scatter(const ScatterCall& call, const Action& action) {
  const LoopPlan& plan = call.plan;
  if (vector_dim(plan) >= 0) return scatter_elements<T>(call, action);
  LoopPlan positions;
  without(plan, -1, 2, &positions);
  Slices slices(positions, call.length,
                Side{plan.data[0], call.step[0], plan.data[1], call.step[1], call.size},
                Side{plan.data[2], call.step[2], nullptr, 0, 0});
  slices.run_by_position<T>(action);
}

}  // namespace

namespace TH_ISA {

void run_gather(const GatherCall& call) {
  dispatch_size(item_size(call.dtype), [&](auto item) { gather<decltype(item)>(call); });
}

void run_scatter(const ScatterCall& call) {
  if (call.plan.numel * call.length == 0) return;
  if (combines(call.action)) {
    dispatch(call.dtype, [&](auto zero) {
      using T = decltype(zero);
      if (call.action == ScatterAction::add) return scatter<T>(call, Add<T>());
      with_combining_action<T>(call.action, [&](auto action) {
        using Action = decltype(action);
        scatter<T>(call, CombineBy<T>{Action::run, combine_contiguous<T, Action>,
                                      combine_scattered<T, Action>});
      });
    });
    return;
  }
  auto move = [](const ScatterCall& moving) {
    dispatch_size(item_size(moving.dtype), [&](auto item) {
      using T = decltype(item);
      scatter<T>(moving, Move<T>());
    });
  };
  if (call.action == ScatterAction::move) return move(call);
  // An operand that is the value everywhere.
  ScatterCall filling = call;
  filling.plan.add_constant(reinterpret_cast<char*>(&filling.value));
  filling.step[2] = 0;
  move(filling);
}

}  // namespace TH_ISA
}  // namespace th

#ifndef TH_FUNCTORS_SCATTER_ACTION_H
#define TH_FUNCTORS_SCATTER_ACTION_H

namespace th {

// The action of a scatter on a selected element: it writes the source or a value, or combines the
// element with the source.
enum class ScatterAction : int { move, add, fill, multiply, larger, smaller };

inline bool combines(ScatterAction action) {
  return action != ScatterAction::move && action != ScatterAction::fill;
}

}  // namespace th

#endif

#ifndef TH_DIST_MESSAGE_H
#define TH_DIST_MESSAGE_H

// Messages with one tensor, from one rank to another.

#include "dist/collective.h"

namespace th TH_VISIBLE {
namespace dist {

// is_value: the bytes of a serialized Lua value, which only receive_any accepts.
WorkPtr send(const GroupPtr& group, Tensor* t, int to, bool is_value, Mode mode);
// Overwrites t. Throws if the message has another type or shape.
WorkPtr receive(const GroupPtr& group, Tensor* t, int from, Mode mode);
// Receives a tensor of any type and shape.
TensorRef receive_any(const GroupPtr& group, int from, bool* is_value);

}  // namespace dist
}  // namespace TH_VISIBLE

#endif

#ifndef TH_RANDOM_GENERATOR_STATE_H
#define TH_RANDOM_GENERATOR_STATE_H

#include "random/generator.h"
#include "tensor/tensor.h"

// Conversion of generator states to and from bytes.

namespace th TH_VISIBLE {

// Stores the state in a ByteTensor. MT19937: 5048 elements, laid out as by Torch7 on x86-64 Linux.
// Philox: 40 elements.
void generator_state(const Generator& g, Tensor* bytes);
// Returns the number of elements of a state, by its first 8 elements.
int64_t generator_state_size(const unsigned char* first);
// Restores a state and changes the kind of the generator to that of the state. Throws if the bytes
// are not a valid state.
void set_generator_state(Generator& g, Tensor* bytes);

}  // namespace TH_VISIBLE

#endif

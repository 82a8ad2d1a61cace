#ifndef TH_OPS_GENERATOR_STATE_H
#define TH_OPS_GENERATOR_STATE_H

#include "cpu/generator.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// The state: of MT19937 as Torch7 for x86-64 Linux lays it out, in a ByteTensor of 5048 elements;
// of Philox in 40.
void generator_state(const Generator& g, Tensor* bytes);
// The generator becomes one of the state's kind. Throws where the bytes are no state that a
// generator can have.
void set_generator_state(Generator& g, Tensor* bytes);

}  // namespace TH_VISIBLE

#endif

// Random 0 or 1 with probabilities given by a tensor.

#include "functors/philox.h"
#include "simt/report.h"
#include "simt/launch.h"
#include "functors/distributions.h"
#include "tensor/convert.h"

namespace th {

namespace {

// out may be p. Each thread computes the elements of one block of words.
template <class T, class P>
__global__ void draw(PhiloxPosition position, int64_t n, const P* p, T* out,
                     DeviceAssertion* assertion, uint32_t check) {
  auto skipped = static_cast<int64_t>(position.offset % 4);
  int64_t blocks = (skipped + n + 3) / 4;
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t b = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; b < blocks;
       b += step) {
    PhiloxBlock block =
        philox_block(position.key, position.stream, position.offset / 4 + static_cast<uint64_t>(b));
    for (int k = 0; k < 4; ++k) {
      int64_t i = 4 * b + k - skipped;
      if (i < 0 || i >= n) continue;
      P probability = p[i];
      if (check && !is_probability(probability)) report(assertion, check, i + 1);
      out[i] = convert<T>(static_cast<int>(bernoulli_of(unit_of(block.word[k]), probability)));
    }
  }
}

template <class P>
void draw_by(Queue& queue, const BernoulliCall& call) {
  unsigned blocks = blocks_for(queue, call.n / 4 + 2);
  dispatch(call.dtype, [&](auto zero) {
    using T = decltype(zero);
    TH_LAUNCH(queue, (draw<T, P>), blocks, kThreads, 0, call.position, call.n,
              reinterpret_cast<const P*>(call.p), reinterpret_cast<T*>(call.out), queue.assertion(),
              call.check);
  });
}

}  // namespace

void run_bernoulli(Queue& queue, const BernoulliCall& call) {
  if (call.n == 0) return;
  if (call.p_dtype == DType::Float) {
    draw_by<float>(queue, call);
  } else {
    draw_by<double>(queue, call);
  }
}

}  // namespace th

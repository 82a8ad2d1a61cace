// Measures the overhead of calls from C, using small tensors.

#include <benchmark/benchmark.h>

#include <vector>

#include "TH.h"

namespace {

void AddValue(benchmark::State& state) {
  THFloatTensor* t = THFloatTensor_newWithSize1d(state.range(0));
  THFloatTensor_zero(t);
  for (auto _ : state) THFloatTensor_add(t, t, 1);
  state.SetItemsProcessed(state.iterations() * state.range(0));
  THFloatTensor_free(t);
}
BENCHMARK(AddValue)->Arg(4)->Arg(1000)->Arg(1000000);

// Programs such as nn call the functions of THVector for rows of a few elements.
void AddVectors(benchmark::State& state) {
  std::vector<float> x(state.range(0), 1), y(state.range(0), 2), z(state.range(0));
  for (auto _ : state) {
    THFloatVector_cadd(z.data(), x.data(), y.data(), 1, state.range(0));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(AddVectors)->Arg(8)->Arg(24)->Arg(1000);

void AddTransposed(benchmark::State& state) {
  THFloatTensor* a = THFloatTensor_newWithSize2d(state.range(0), state.range(0));
  THFloatTensor_fill(a, 1);
  THFloatTensor* transposed = THFloatTensor_newTranspose(a, 0, 1);
  THFloatTensor* sum = THFloatTensor_new();
  for (auto _ : state) THFloatTensor_cadd(sum, a, 1, transposed);
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0));
  THFloatTensor_free(sum);
  THFloatTensor_free(transposed);
  THFloatTensor_free(a);
}
BENCHMARK(AddTransposed)->Arg(2)->Arg(1000);

void SelectAndFree(benchmark::State& state) {
  THFloatTensor* t = THFloatTensor_newWithSize2d(8, 8);
  THFloatTensor_zero(t);
  for (auto _ : state) THFloatTensor_free(THFloatTensor_newSelect(t, 0, 3));
  THFloatTensor_free(t);
}
BENCHMARK(SelectAndFree);

void MatrixProduct(benchmark::State& state) {
  THFloatTensor* a = THFloatTensor_newWithSize2d(state.range(0), state.range(0));
  THFloatTensor_fill(a, 1);
  THFloatTensor* product = THFloatTensor_newWithSize2d(state.range(0), state.range(0));
  for (auto _ : state) THFloatTensor_addmm(product, 0, product, 1, a, a);
  THFloatTensor_free(product);
  THFloatTensor_free(a);
}
BENCHMARK(MatrixProduct)->Arg(4)->Arg(64)->Arg(512);

}  // namespace

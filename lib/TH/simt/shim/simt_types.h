#ifndef TH_SIMT_SHIM_SIMT_TYPES_H
#define TH_SIMT_SHIM_SIMT_TYPES_H

// CUDA's types of two to four numbers.

namespace th::simt {

#define TH_SIMT_VECTORS(Name, type)                                                      \
  struct alignas(2 * sizeof(type)) Name##2 {                                             \
    type x, y;                                                                           \
  };                                                                                     \
  struct Name##3 {                                                                       \
    type x, y, z;                                                                        \
  };                                                                                     \
  struct alignas(4 * sizeof(type) > 16 ? 16 : 4 * sizeof(type)) Name##4 {                \
    type x, y, z, w;                                                                     \
  };                                                                                     \
  inline Name##2 make_##Name##2(type x, type y) { return {x, y}; }                       \
  inline Name##3 make_##Name##3(type x, type y, type z) { return {x, y, z}; }            \
  inline Name##4 make_##Name##4(type x, type y, type z, type w) { return {x, y, z, w}; } \
  }                                                                                      \
  using th::simt::Name##2;                                                               \
  using th::simt::Name##3;                                                               \
  using th::simt::Name##4;                                                               \
  using th::simt::make_##Name##2;                                                        \
  using th::simt::make_##Name##3;                                                        \
  using th::simt::make_##Name##4;                                                        \
  namespace th::simt {

TH_SIMT_VECTORS(char, signed char)
TH_SIMT_VECTORS(uchar, unsigned char)
TH_SIMT_VECTORS(short, short)
TH_SIMT_VECTORS(ushort, unsigned short)
TH_SIMT_VECTORS(int, int)
TH_SIMT_VECTORS(uint, unsigned)
TH_SIMT_VECTORS(longlong, long long)
TH_SIMT_VECTORS(ulonglong, unsigned long long)
TH_SIMT_VECTORS(float, float)
TH_SIMT_VECTORS(double, double)
#undef TH_SIMT_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

}  // namespace th::simt

using th::simt::dim3;

#endif

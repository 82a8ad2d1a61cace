#ifndef TH_SIMT_PATCHES_H
#define TH_SIMT_PATCHES_H

// Convolutions in one general form, to which the calls of backend/ are converted. Large ones are
// products of the weights and a matrix of the image's patches (im2col). If there are few outputs,
// they are sums of products of the weights and the image (col2im). Small ones are summed directly.

#include <cstdint>
#include <numeric>

#include "simt/queue.h"
#include "tensor/host_device.h"

namespace th {

// Returns the number of elements of three dimensions. T is double if it may exceed int64_t.
template <class T = int64_t>
TH_HD T volume(const int64_t* size) {
  return static_cast<T>(size[0]) * static_cast<T>(size[1]) * static_cast<T>(size[2]);
}

// For each image, group and output, at each position y:
//
//   r = beta * r + bias + alpha * sum over inputs and taps k of w[k] * t[x]
//
// Along each dimension, x = (y * position_step + k * tap_step + first) / divisor. Taps with a
// fractional x, or an x outside of the source, are skipped. If beta is 0, r is not read.
struct PatchConvolution {
  // Strides in elements. Those of roles that the operand does not have are not used.
  struct Operand {
    char* data;
    int64_t image, group, output, input, plane[3];
  };

  DType dtype;
  bool tf32;  // as in ProductCall
  int64_t images, groups, outputs, inputs;
  int64_t positions[3], taps[3], source[3];
  int64_t position_step[3], tap_step[3], first[3], divisor[3];
  Scalar alpha, beta;
  Operand r, t, w;
  const char* bias;  // groups x outputs, contiguous, of floating-point type; null: none
};

// Taps at this distance have the same remainder by the divisor.
inline int64_t tap_period(const PatchConvolution& c, int d) {
  return c.divisor[d] / std::gcd(c.divisor[d], c.tap_step[d]);
}

// All positions of several images, or the positions [first, first + count) of one: columns of the
// matrix of patches.
struct PatchColumns {
  int64_t image, images, first, count;
  TH_HD int64_t size() const { return images * count; }
};

// Computes r.
void convolve_patches(Queue& queue, const PatchConvolution& c);
// Computes w = sum over images and positions y of r[y] * t[x], for each group, output, input and
// tap. w is contiguous, of a floating-point type, and all divisors are 1.
void correlate_patches(Queue& queue, const PatchConvolution& c);

// r = bias, in each position of each image.
void fill_with_bias(Queue& queue, const PatchConvolution& c);

// ---- kernels

// The same by a sum for each element.
void convolve_directly(Queue& queue, const PatchConvolution& c);
void correlate_directly(Queue& queue, const PatchConvolution& c);
// The same for groups of one input, kernels of 3x3 or 5x5 neighbors in steps of 1 or 2, and numbers
// that fit into 31 bits. Returns false for others.
bool convolve_channels(Queue& queue, const PatchConvolution& c);
// Writes the columns of a group's matrix: a row for each input and tap. All divisors are 1.
// row: elements from one row to the next.
void gather_patches(Queue& queue, const PatchConvolution& c, int64_t group,
                    const PatchColumns& columns, char* matrix, int64_t row);
// Computes r of a group and several images from products: r = beta * r + bias + sum over taps of
// products[output, tap][x]. The products have a row for each output and tap, a column for each
// element of the images' source, and the compute type of r.
void add_products(Queue& queue, const PatchConvolution& c, int64_t group, int64_t image,
                  int64_t images, const char* products, int64_t row);
// Computes the columns of a group's r from the sums, a row for each output: r = beta * r + sum.
// The sums have the compute type of r. bias is ignored.
void store_sums(Queue& queue, const PatchConvolution& c, int64_t group, const PatchColumns& columns,
                const char* sums, int64_t row);

}  // namespace th

#endif

#ifndef TH_IO_PICTURE_H
#define TH_IO_PICTURE_H

// Images as the bytes of PNG and JPEG files, by libpng and libjpeg. If a library was missing at
// build time, its functions raise errors. Pixels are stored in rows, with interleaved samples of 8
// or 16 bits.

#include <cstdint>
#include <string>

#include "base/visibility.h"

namespace th TH_VISIBLE {

struct PictureShape {
  int64_t channels, height, width;
  int bits;

  int64_t row_bytes() const { return channels * width * (bits / 8); }
};

struct PictureFormat {
  const char* name;
  // Returns the shape of a file in memory, after checking that it is plausible for the size of the
  // file.
  PictureShape (*shape)(const unsigned char* file, size_t size);
  // Decodes the pixels; the buffer must have the size given by the shape.
  void (*read)(const unsigned char* file, size_t size, unsigned char* pixels);
  // Encodes pixels. quality is 1 to 100, for lossy formats.
  std::string (*write)(const PictureShape& shape, const unsigned char* pixels, int quality);
};

extern const PictureFormat kPng, kJpeg;

// Error if `bytes` exceeds what a file with a compression ratio of at most `packed` can contain.
void check_unpacked(double bytes, size_t file, double packed, const PictureShape& shape);

}  // namespace TH_VISIBLE

#endif

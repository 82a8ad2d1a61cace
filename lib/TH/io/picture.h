#ifndef TH_IO_PICTURE_H
#define TH_IO_PICTURE_H

// Pictures as the bytes of PNG and JPEG files, by libpng and libjpeg; where one was not there when
// this was built, errors. Pixels are rows of samples of 8 or 16 bits, a pixel's side by side.

#include <cstdint>
#include <string>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

struct PictureShape {
  int64_t channels, height, width;
  int bits;

  int64_t row_bytes() const { return channels * width * (bits / 8); }
};

struct PictureFormat {
  const char* name;
  // Of a file in memory; what it says of itself is compared with its size.
  PictureShape (*shape)(const unsigned char* file, size_t size);
  // Its pixels, shape's bytes.
  void (*read)(const unsigned char* file, size_t size, unsigned char* pixels);
  // The file of pixels; quality, from 1 to 100, is for what loses some.
  std::string (*write)(const PictureShape& shape, const unsigned char* pixels, int quality);
};

extern const PictureFormat kPng, kJpeg;

// An error where so many bytes cannot come of a file that is packed at most `packed` times.
void check_unpacked(double bytes, size_t file, double packed, const PictureShape& shape);

}  // namespace TH_VISIBLE

#endif

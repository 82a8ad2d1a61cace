#ifndef TH_IO_JPEG_H
#define TH_IO_JPEG_H

// libjpeg is loaded when it is first used, as BLAS is. Debian's libjpeg-turbo has the binary
// interface of libjpeg 6.2, Ubuntu's that of libjpeg 8. jpeg_codec.h is compiled for both, so a
// package runs on either.

#include "io/picture.h"

namespace th {

struct JpegCodec {
  const char* file;
  // Finds the functions in the library. Returns false if one is missing.
  bool (*bind)(void* library);
  PictureFormat format;
};

extern const JpegCodec kJpeg62, kJpeg80;

}  // namespace th

#endif

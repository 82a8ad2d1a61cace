#include "io/jpeg.h"

#include <dlfcn.h>

#include "base/error.h"

namespace th {

namespace {

#ifdef TH_HAVE_JPEG
const JpegCodec* load() {
  for (const JpegCodec* codec : {&kJpeg62, &kJpeg80}) {
    void* library = dlopen(codec->file, RTLD_NOW | RTLD_LOCAL);
    if (library && codec->bind(library)) return codec;
    if (library) dlclose(library);
  }
  return nullptr;
}

const PictureFormat& codec() {
  static const JpegCodec* const loaded = load();
  if (!loaded) {
    fail("libjpeg-turbo is not installed: neither %s nor %s can be loaded", kJpeg62.file,
         kJpeg80.file);
  }
  return loaded->format;
}
#else
[[noreturn]] const PictureFormat& codec() {
  fail(
      "tensor was built without libjpeg, which this needs: install libjpeg-dev and build tensor "
      "again");
}
#endif

PictureShape jpeg_shape(const unsigned char* file, size_t size) {
  return codec().shape(file, size);
}
void jpeg_read(const unsigned char* file, size_t size, unsigned char* pixels) {
  codec().read(file, size, pixels);
}
std::string jpeg_write(const PictureShape& shape, const unsigned char* pixels, int quality) {
  return codec().write(shape, pixels, quality);
}

}  // namespace

const PictureFormat kJpeg = {"jpeg", jpeg_shape, jpeg_read, jpeg_write};

}  // namespace th

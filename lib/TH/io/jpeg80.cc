#ifdef TH_HAVE_JPEG
#define TH_JPEG_INTERFACE 80
#define TH_JPEG_NAMESPACE jpeg80
#include "io/jpeg_codec.h"

namespace th {

const JpegCodec kJpeg80 = {"libjpeg.so.8",
                           jpeg80::bind,
                           {"jpeg", jpeg80::jpeg_shape, jpeg80::jpeg_read, jpeg80::jpeg_write}};

}  // namespace th
#endif

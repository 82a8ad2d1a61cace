#ifdef TH_HAVE_JPEG
#define TH_JPEG_INTERFACE 62
#define TH_JPEG_NAMESPACE jpeg62
#include "io/jpeg_codec.h"

namespace th {

const JpegCodec kJpeg62 = {"libjpeg.so.62",
                           jpeg62::bind,
                           {"jpeg", jpeg62::jpeg_shape, jpeg62::jpeg_read, jpeg62::jpeg_write}};

}  // namespace th
#endif

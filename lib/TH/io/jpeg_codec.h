// The codec for the interface TH_JPEG_INTERFACE (62 or 80) of libjpeg, in the namespace
// TH_JPEG_NAMESPACE. The including file defines both macros and includes nothing before, and is not
// part of a unity build. The layout of libjpeg's structs depends on the interface, so its header is
// included in the namespace.

#include <dlfcn.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "io/jpeg.h"

namespace th {
namespace TH_JPEG_NAMESPACE {

#include <jconfig.h>
#undef JPEG_LIB_VERSION
#define JPEG_LIB_VERSION TH_JPEG_INTERFACE
// For interface 62, jpeglib.h declares jpeg_mem_src and jpeg_mem_dest only if this is defined. A
// jconfig.h for interface 80, such as Ubuntu's, does not define it.
#undef MEM_SRCDST_SUPPORTED
#define MEM_SRCDST_SUPPORTED 1
#define JCONFIG_INCLUDED
#include <jpeglib.h>
// After jpeglib.h, because jerror.h includes nothing itself.
#include <jerror.h>

#define TH_JPEG_FUNCTIONS(X) \
  X(std_error)               \
  X(CreateDecompress)        \
  X(mem_src)                 \
  X(read_header)             \
  X(start_decompress)        \
  X(read_scanlines)          \
  X(finish_decompress)       \
  X(destroy_decompress)      \
  X(CreateCompress)          \
  X(mem_dest)                \
  X(set_defaults)            \
  X(set_quality)             \
  X(start_compress)          \
  X(write_scanlines)         \
  X(finish_compress)         \
  X(destroy_compress)

struct Library {
#define TH_JPEG_MEMBER(name) decltype(&jpeg_##name) name;
  TH_JPEG_FUNCTIONS(TH_JPEG_MEMBER)
#undef TH_JPEG_MEMBER
};

Library library;

bool bind(void* handle) {
#define TH_JPEG_FIND(name)                                                               \
  library.name = reinterpret_cast<decltype(&jpeg_##name)>(dlsym(handle, "jpeg_" #name)); \
  if (!library.name) return false;
  TH_JPEG_FUNCTIONS(TH_JPEG_FIND)
#undef TH_JPEG_FIND
  return true;
}

// Files with more scans than this are rejected, because they only waste time.
constexpr int kMostScans = 200;

// libjpeg reports errors by longjmp. No function between setjmp and libjpeg may have objects with
// destructors.
struct Errors {
  jpeg_error_mgr manager;
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

Errors* errors_of(j_common_ptr common) { return reinterpret_cast<Errors*>(common->err); }

void on_error(j_common_ptr common) {
  Errors* errors = errors_of(common);
  errors->manager.format_message(common, errors->message);
  std::longjmp(errors->back, 1);
}

// Warnings mean damaged data that libjpeg replaced, so they are errors, except for a few harmless
// ones.
void on_message(j_common_ptr common, int level) {
  int code = common->err->msg_code;
  if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM &&
      code != JWRN_JFIF_MAJOR && code != JWRN_BOGUS_PROGRESSION) {
    on_error(common);
  }
}
void on_output(j_common_ptr) {}

void on_progress(j_common_ptr common) {
  auto* reader = reinterpret_cast<j_decompress_ptr>(common);
  if (reader->input_scan_number > kMostScans) {
    Errors* errors = errors_of(common);
    std::snprintf(errors->message, sizeof(errors->message), "more than %d scans", kMostScans);
    std::longjmp(errors->back, 1);
  }
}

void set_errors(Errors* errors) {
  library.std_error(&errors->manager);
  errors->manager.error_exit = on_error;
  errors->manager.emit_message = on_message;
  errors->manager.output_message = on_output;
  errors->message[0] = 0;
}

struct Reader {
  jpeg_decompress_struct jpeg = {};
  Errors errors;
  jpeg_progress_mgr progress = {};

  Reader() { set_errors(&errors); }
  ~Reader() { library.destroy_decompress(&jpeg); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

bool read_head(Reader* reader, const unsigned char* file, size_t size) {
  jpeg_decompress_struct* jpeg = &reader->jpeg;
  jpeg->err = &reader->errors.manager;
  if (setjmp(reader->errors.back)) return false;
  library.CreateDecompress(jpeg, JPEG_LIB_VERSION, sizeof(*jpeg));
  reader->progress.progress_monitor = on_progress;
  jpeg->progress = &reader->progress;
  library.mem_src(jpeg, file, size);
  library.read_header(jpeg, TRUE);
  return true;
}

bool read_rows(Reader* reader, const PictureShape* shape, unsigned char* pixels) {
  jpeg_decompress_struct* jpeg = &reader->jpeg;
  if (setjmp(reader->errors.back)) return false;
  jpeg->out_color_space = shape->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  library.start_decompress(jpeg);
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = pixels + static_cast<int64_t>(jpeg->output_scanline) * shape->row_bytes();
    library.read_scanlines(jpeg, &row, 1);
  }
  library.finish_decompress(jpeg);
  return true;
}

PictureShape begin(Reader* reader, const unsigned char* file, size_t size) {
  // Progressive files have at least one bit per block of 64 samples. With chroma at half
  // resolution, a bit stands for up to four times as many samples.
  constexpr double kMostPacked = 2048;
  if (size == 0) fail("the file is empty");
  if (!read_head(reader, file, size)) fail("%s", reader->errors.message);
  const jpeg_decompress_struct& jpeg = reader->jpeg;
  if (jpeg.num_components != 1 && jpeg.num_components != 3) {
    fail("its pixels have %d components; 1 (grey) and 3 (color) are supported",
         jpeg.num_components);
  }
  PictureShape shape = {jpeg.num_components, jpeg.image_height, jpeg.image_width, 8};
  check_unpacked(static_cast<double>(shape.row_bytes()) * static_cast<double>(shape.height), size,
                 kMostPacked, shape);
  return shape;
}

PictureShape jpeg_shape(const unsigned char* file, size_t size) {
  Reader reader;
  return begin(&reader, file, size);
}

void jpeg_read(const unsigned char* file, size_t size, unsigned char* pixels) {
  Reader reader;
  PictureShape shape = begin(&reader, file, size);
  if (!read_rows(&reader, &shape, pixels)) fail("%s", reader.errors.message);
}

struct Writer {
  jpeg_compress_struct jpeg = {};
  Errors errors;
  unsigned char* out = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type

  Writer() { set_errors(&errors); }
  ~Writer() {
    library.destroy_compress(&jpeg);
    std::free(out);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

bool write_all(Writer* writer, const PictureShape* shape, const unsigned char* pixels,
               int quality) {
  jpeg_compress_struct* jpeg = &writer->jpeg;
  jpeg->err = &writer->errors.manager;
  if (setjmp(writer->errors.back)) return false;
  library.CreateCompress(jpeg, JPEG_LIB_VERSION, sizeof(*jpeg));
  library.mem_dest(jpeg, &writer->out, &writer->size);
  jpeg->image_width = static_cast<JDIMENSION>(shape->width);
  jpeg->image_height = static_cast<JDIMENSION>(shape->height);
  jpeg->input_components = static_cast<int>(shape->channels);
  jpeg->in_color_space = shape->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  library.set_defaults(jpeg);
  library.set_quality(jpeg, quality, TRUE);
  library.start_compress(jpeg, TRUE);
  while (jpeg->next_scanline < jpeg->image_height) {
    int64_t begin = static_cast<int64_t>(jpeg->next_scanline) * shape->row_bytes();
    auto* row = const_cast<JSAMPROW>(pixels + begin);
    library.write_scanlines(jpeg, &row, 1);
  }
  library.finish_compress(jpeg);
  return true;
}

std::string jpeg_write(const PictureShape& shape, const unsigned char* pixels, int quality) {
  if (shape.width > JPEG_MAX_DIMENSION || shape.height > JPEG_MAX_DIMENSION) {
    fail("%lld x %lld pixels: a JPEG file has at most %ld in each direction", as_long(shape.width),
         as_long(shape.height), JPEG_MAX_DIMENSION);
  }
  Writer writer;
  if (!write_all(&writer, &shape, pixels, quality)) fail("%s", writer.errors.message);
  return std::string(reinterpret_cast<char*>(writer.out), writer.size);
}

}  // namespace TH_JPEG_NAMESPACE
}  // namespace th

#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "io/picture.h"

#ifdef TH_HAVE_PNG
#include <png.h>
#endif

namespace th {

void check_unpacked(double bytes, size_t file, double packed, const PictureShape& shape) {
  if (bytes / packed > static_cast<double>(file)) {
    fail("%lld x %lld pixels do not fit in a file of %zu bytes", as_long(shape.width),
         as_long(shape.height), file);
  }
}

#ifdef TH_HAVE_PNG

namespace {

// The state of libpng's callbacks. libpng reports errors by longjmp, so no function between setjmp
// and libpng may have objects with destructors.
struct Session {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const unsigned char* file = nullptr;
  size_t left = 0;
  std::string out;
  char message[128] = "out of memory";

  explicit Session(bool reads);
  ~Session() {
    if (reads) {
      png_destroy_read_struct(&png, &info, nullptr);
    } else {
      png_destroy_write_struct(&png, &info);
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool reads;
};

Session* session_of(png_structp png) { return static_cast<Session*>(png_get_io_ptr(png)); }

void on_error(png_structp png, png_const_charp text) {
  auto* session = static_cast<Session*>(png_get_error_ptr(png));
  std::snprintf(session->message, sizeof(session->message), "%s", text);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, size_t count) {
  Session* session = session_of(png);
  if (count > session->left) png_error(png, "the file ends too early");
  std::memcpy(to, session->file, count);
  session->file += count;
  session->left -= count;
}

void on_write(png_structp png, png_bytep from, size_t count) {
  bool kept = true;
  try {
    session_of(png)->out.append(reinterpret_cast<char*>(from), count);
  } catch (const std::exception&) {
    kept = false;
  }
  if (!kept) png_error(png, "out of memory");
}
void on_flush(png_structp) {}

Session::Session(bool is_reader) : reads(is_reader) {
  auto* create = reads ? png_create_read_struct : png_create_write_struct;
  png = create(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    fail("libpng is out of memory, or its version differs from that of the build");
  }
}

// Reads everything before the pixels. Allocates nothing for pixels.
bool read_head(Session* session, PictureShape* shape, double* packed_bytes) {
  png_structp png = session->png;
  png_infop info = session->info;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, session, on_read);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
  // Skip texts and profiles, which may be compressed.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
#endif
  png_read_info(png, info);
  shape->height = png_get_image_height(png, info);
  shape->width = png_get_image_width(png, info);
  *packed_bytes =
      static_cast<double>(png_get_rowbytes(png, info)) * static_cast<double>(shape->height);
  return true;
}

// Makes libpng return rows of samples of 8 or 16 bits. libpng allocates rows.
bool begin_rows(Session* session, PictureShape* shape) {
  png_structp png = session->png;
  png_infop info = session->info;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_expand(png);
  uint16_t one = 1;
  unsigned char little = 0;
  std::memcpy(&little, &one, 1);
  if (little) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  shape->channels = png_get_channels(png, info);
  shape->bits = png_get_bit_depth(png, info);
  return true;
}

bool read_rows(Session* session, const PictureShape* shape, unsigned char* pixels) {
  png_structp png = session->png;
  if (setjmp(png_jmpbuf(png))) return false;
  int passes = png_get_interlace_type(png, session->info) == PNG_INTERLACE_NONE ? 1 : 7;
  int64_t row_bytes = shape->row_bytes();
  for (int pass = 0; pass < passes; ++pass) {
    for (int64_t y = 0; y < shape->height; ++y) {
      png_read_row(png, pixels + y * row_bytes, nullptr);
    }
  }
  png_read_end(png, nullptr);
  return true;
}

// Returns true if most pixels equal their left neighbours, as in drawings. Such pictures become
// smaller without filters, and choosing a filter takes most of the time.
bool is_drawing(const PictureShape& shape, const unsigned char* pixels) {
  const int64_t bytes = shape.channels * (shape.bits / 8);
  int64_t equal = 0, all = 0;
  for (int64_t y = 0; y < shape.height; y += 8) {
    const unsigned char* row = pixels + y * shape.row_bytes();
    for (int64_t x = 1; x < shape.width; ++x, ++all) {
      const unsigned char* at = row + x * bytes;
      equal += std::memcmp(at, at - bytes, static_cast<size_t>(bytes)) == 0;
    }
  }
  return 2 * equal > all;
}

bool write_all(Session* session, const PictureShape* shape, const unsigned char* pixels,
               bool drawing) {
  static const int kColors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
  png_structp png = session->png;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, session, on_write, on_flush);
  png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
  png_set_IHDR(png, session->info, static_cast<png_uint_32>(shape->width),
               static_cast<png_uint_32>(shape->height), shape->bits, kColors[shape->channels - 1],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (drawing) png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_write_info(png, session->info);
  uint16_t one = 1;
  unsigned char little = 0;
  std::memcpy(&little, &one, 1);
  if (little && shape->bits == 16) png_set_swap(png);
  for (int64_t y = 0; y < shape->height; ++y) {
    png_write_row(png, pixels + y * shape->row_bytes());
  }
  png_write_end(png, session->info);
  return true;
}

// Opens the file and reads its header.
PictureShape begin(Session* session, const unsigned char* file, size_t size) {
  constexpr double kMostDeflated = 1032;
  PictureShape shape = {};
  double packed_bytes = 0;
  session->file = file;
  session->left = size;
  if (!read_head(session, &shape, &packed_bytes)) fail("%s", session->message);
  check_unpacked(packed_bytes, size, kMostDeflated, shape);
  if (!begin_rows(session, &shape)) fail("%s", session->message);
  return shape;
}

PictureShape png_shape(const unsigned char* file, size_t size) {
  Session session(true);
  return begin(&session, file, size);
}

void png_read(const unsigned char* file, size_t size, unsigned char* pixels) {
  Session session(true);
  PictureShape shape = begin(&session, file, size);
  if (!read_rows(&session, &shape, pixels)) fail("%s", session.message);
}

std::string png_write(const PictureShape& shape, const unsigned char* pixels, int) {
  Session session(false);
  if (!write_all(&session, &shape, pixels, is_drawing(shape, pixels))) fail("%s", session.message);
  return std::move(session.out);
}

}  // namespace

#else

namespace {
[[noreturn]] void fail_without() {
  fail(
      "tensor was built without libpng, which this needs: install libpng-dev and build tensor "
      "again");
}
PictureShape png_shape(const unsigned char*, size_t) { fail_without(); }
void png_read(const unsigned char*, size_t, unsigned char*) { fail_without(); }
std::string png_write(const PictureShape&, const unsigned char*, int) { fail_without(); }
}  // namespace

#endif

const PictureFormat kPng = {"png", png_shape, png_read, png_write};

}  // namespace th

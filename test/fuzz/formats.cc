// Formats whose readers are C++ classes: pictures, archives, tables as text.

#include "formats.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <vector>

#include "io/csv.h"
#include "io/picture.h"
#include "io/zip.h"

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 24;

void read_picture(const th::PictureFormat& format, const uint8_t* bytes, size_t size) {
  th::PictureShape shape = format.shape(bytes, size);
  if (shape.row_bytes() > kMostBytes / shape.height) return;
  std::vector<unsigned char> pixels(static_cast<size_t>(shape.row_bytes() * shape.height));
  format.read(bytes, size, pixels.data());
}

void read_archive(const uint8_t* bytes, size_t size) {
  int fd = memfd_create("archive", MFD_CLOEXEC);
  if (fd < 0) return;
  bool written = write(fd, bytes, size) == static_cast<ssize_t>(size);
  try {
    th::ZipReader archive(("/proc/self/fd/" + std::to_string(fd)).c_str());
    for (size_t k = 0; written && k < archive.members().size(); ++k) {
      int64_t count = archive.members()[k].size;
      if (count > kMostBytes) continue;
      th::StorageRef storage(th::storage_new(th::DType::Byte, count));
      archive.read(k, 0, storage.get(), count, false);
    }
  } catch (const std::exception&) {
    // A damaged archive is an error.
  }
  close(fd);
}

void read_table(const uint8_t* bytes, size_t size, bool together) {
  auto count = static_cast<int64_t>(size);
  th::StorageRef storage(th::storage_new(th::DType::Char, count));
  if (count) std::memcpy(storage->cpu(th::Access::overwrite), bytes, size);
  th::CsvReader reader(storage.get(), {}, 0);
  reader.read_head(th::CsvReader::Head::found_out);
  auto kind = together ? th::CsvKind::real : th::CsvKind::any;
  reader.begin(std::vector<th::CsvKind>(reader.columns(), kind), together, INT64_MAX);
  while (!reader.run(4096)) {
  }
  for (size_t k = 0; k < (together ? 1 : reader.columns()); ++k) {
    if (reader.kind(k) != th::CsvKind::text) {
      reader.numbers(k);
      continue;
    }
    for (int64_t row = 0; row < reader.rows(); ++row) reader.text(k, row);
  }
}

template <class F>
void accept_errors(F&& read) {
  try {
    read();
  } catch (const std::exception&) {
    // Damaged files are errors.
  }
}

}  // namespace

void read_formats(const uint8_t* bytes, size_t size) {
  accept_errors([&] { read_picture(th::kPng, bytes, size); });
  accept_errors([&] { read_picture(th::kJpeg, bytes, size); });
  accept_errors([&] { read_archive(bytes, size); });
  accept_errors([&] { read_table(bytes, size, true); });
  accept_errors([&] { read_table(bytes, size, false); });
}

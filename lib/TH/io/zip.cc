#include "io/zip.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/error.h"
#include "io/block_pipe_signal.h"
#include "io/file.h"
#include "io/replace_file.h"
#include "memory/descriptor.h"

#ifdef TH_HAVE_LIBZIP
#include "io/libzip.h"
#endif

namespace th {

namespace {
void check_elements(const Storage& storage, int64_t first, int64_t count) {
  if (first < 0 || count < 0 || first > storage.size || count > storage.size - first) {
    fail("%lld elements from element %lld on exceed a storage of %td elements", as_long(count),
         as_long(first), storage.size);
  }
}
}  // namespace

void ZipWriter::add(const char* name, std::string head, Storage* storage, int64_t first,
                    int64_t count) {
  check_elements(*storage, first, count);
  if (std::strlen(name) > UINT16_MAX) {
    fail("the name of a member has %zu bytes; a ZIP file holds names of at most %d",
         std::strlen(name), UINT16_MAX);
  }
  storage_retain(storage);
  StorageRef held(storage);
  members_.push_back({name, std::move(head), std::move(held), first, count});
}

#ifdef TH_HAVE_LIBZIP

namespace {

struct Discard {
  void operator()(zip_t* archive) const { libzip().discard(archive); }
  void operator()(zip_file_t* file) const { libzip().fclose(file); }
};
using ArchiveRef = std::unique_ptr<zip_t, Discard>;

// Throws libzip's error for its last call. libzip does not always report that memory ran out, but
// leaves malloc's errno, so callers set errno to 0 first.
[[noreturn]] void fail_of_zip(const std::string& what, const char* text) {
  if (errno == ENOMEM) throw std::bad_alloc();
  fail("%s%s", what.c_str(), text);
}

[[noreturn]] void fail_of_open(int code) {
  const bool no_memory = errno == ENOMEM;
  zip_error_t error;
  libzip().error_init_with_code(&error, code);
  std::string text = libzip().error_strerror(&error);
  libzip().error_fini(&error);
  if (no_memory) throw std::bad_alloc();
  fail("invalid archive: %s", text.c_str());
}

// Maximum ratio of uncompressed to compressed bytes: the format has no shorter code.
constexpr uint64_t kMostExpansion = 1032;

}  // namespace

struct ZipReader::Archive {
  ArchiveRef zip;
  // The member that is being read, and the bytes of it that have been read.
  std::unique_ptr<zip_file_t, Discard> file;
  size_t member = 0;
  int64_t at = 0;

  void read(const ZipMember& from, char* to, int64_t count) {
    for (const int64_t end = at + count; at < end;) {
      const zip_int64_t got = libzip().fread(file.get(), to, static_cast<zip_uint64_t>(end - at));
      if (got <= 0) {
        fail("member %s, byte %lld of %lld: %s", from.name.c_str(), as_long(at + 1),
             as_long(from.size), got < 0 ? libzip().file_strerror(file.get()) : "it ends here");
      }
      at += got;
      to += got;
    }
  }
};

ZipReader::~ZipReader() = default;

ZipReader::ZipReader(const char* filename) : archive_(std::make_unique<Archive>()) {
  Descriptor file(open(filename, O_RDONLY | O_CLOEXEC));
  struct stat status;
  if (!file.is_open() || fstat(file.get(), &status) != 0) fail("%s", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) {
    fail("%s", S_ISDIR(status.st_mode) ? std::strerror(EISDIR) : "it is not a regular file");
  }
  int code = 0;
  errno = 0;
  archive_->zip.reset(libzip().fdopen(file.get(), 0, &code));
  if (!archive_->zip) fail_of_open(code);
  file.release();  // closed by libzip
  zip_t* zip = archive_->zip.get();
  zip_int64_t count = libzip().get_num_entries(zip, 0);
  auto left = static_cast<uint64_t>(status.st_size);
  for (zip_int64_t k = 0; k < count; ++k) {
    zip_stat_t stat;
    constexpr zip_uint64_t kWanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (libzip().stat_index(zip, static_cast<zip_uint64_t>(k), 0, &stat) != 0 ||
        (stat.valid & kWanted) != kWanted) {
      fail_of_zip("member " + std::to_string(k + 1) + ": ", libzip().strerror(zip));
    }
    if (stat.size > INT64_MAX || stat.size / kMostExpansion > stat.comp_size) {
      fail("member %s: %llu compressed bytes cannot hold %llu bytes", stat.name,
           static_cast<unsigned long long>(stat.comp_size),
           static_cast<unsigned long long>(stat.size));
    }
    // Otherwise a small file could request any amount of memory.
    if (stat.comp_size > left) fail("its members overlap, or the file is truncated");
    left -= stat.comp_size;
    members_.push_back({stat.name, static_cast<int64_t>(stat.size)});
  }
}

void ZipReader::begin(size_t member, int64_t skip, int64_t bytes) {
  if (member >= members_.size()) fail("invalid member number %zu", member);
  const ZipMember& from = members_[member];
  if (skip < 0 || bytes < 0 || skip > from.size || bytes > from.size - skip) {
    fail("member %s: %lld bytes from byte %lld on exceed its %lld bytes", from.name.c_str(),
         as_long(bytes), as_long(skip), as_long(from.size));
  }
  archive_->file.reset();
  errno = 0;
  archive_->file.reset(libzip().fopen_index(archive_->zip.get(), member, 0));
  if (!archive_->file) {
    fail_of_zip("member " + from.name + ": ", libzip().strerror(archive_->zip.get()));
  }
  archive_->member = member;
  archive_->at = 0;
  char skipped[4096];
  while (archive_->at < skip) {
    archive_->read(from, skipped, std::min<int64_t>(skip - archive_->at, sizeof(skipped)));
  }
}

void ZipReader::read(Storage* to, int64_t first, int64_t count, bool swapped) {
  if (!archive_->file) fail("no member is being read");
  const ZipMember& from = members_[archive_->member];
  const auto item = static_cast<int64_t>(item_size(to->dtype));
  check_elements(*to, first, count);
  if (count > (from.size - archive_->at) / item) {
    fail("member %s: %lld elements exceed its %lld bytes", from.name.c_str(), as_long(count),
         as_long(from.size));
  }
  // Members are read from the first element on, so that the storage needs no zeros.
  char* data =
      static_cast<char*>(to->cpu(first == 0 ? Access::overwrite : Access::write)) + first * item;
  archive_->read(from, data, count * item);
  // libzip compares the checksum at the end only. A damaged member may be longer.
  char rest;
  const auto behind =
      archive_->at == from.size ? libzip().fread(archive_->file.get(), &rest, 1) : 0;
  if (behind != 0) {
    fail("member %s: %s", from.name.c_str(),
         behind < 0 ? libzip().file_strerror(archive_->file.get())
                    : "it is longer than the archive states");
  }
  if (swapped) swap_bytes(data, static_cast<size_t>(item), static_cast<size_t>(count));
}

namespace {

// The output file of an archive. libzip's own file output writes 4 KiB at a time, first to a
// temporary file. A pipe cannot go back to the headers, so its archive is written to a temporary
// file first.
struct Target {
  static constexpr size_t kBuffer = size_t{1} << 20;
  std::unique_ptr<char[]> buffer{new char[kBuffer]};
  std::FILE* file = nullptr;
  std::FILE* pipe = nullptr;  // null: the archive is written to its file directly
  zip_error_t error;

  explicit Target(const char* name) {
    libzip().error_init(&error);  // throws if there is no libzip, before the file is opened
    file = open_anew(name);
    if (file && ftello(file) < 0) {
      pipe = std::exchange(file, std::tmpfile());
      if (!file) std::fclose(std::exchange(pipe, nullptr));
    }
    if (file) std::setvbuf(file, buffer.get(), _IOFBF, kBuffer);
  }
  ~Target() {
    close();
    libzip().error_fini(&error);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // Ends the writing. Returns false if something could not be written.
  bool commit() {
    BlockPipeSignal block(pipe);
    const bool is_copied = !pipe || copy_to_pipe();
    return close() && is_copied;
  }
  bool close() {
    const bool is_written = !file || std::fclose(std::exchange(file, nullptr)) == 0;
    return (!pipe || std::fclose(std::exchange(pipe, nullptr)) == 0) && is_written;
  }
  bool copy_to_pipe() {
    char part[1 << 14];
    if (fseeko(file, 0, SEEK_SET) != 0) return false;
    while (const size_t count = std::fread(part, 1, sizeof(part), file)) {
      if (std::fwrite(part, 1, count, pipe) != count) return false;
    }
    return !std::ferror(file);
  }
  zip_int64_t fail_at(int code) {
    libzip().error_set(&error, code, errno);
    return -1;
  }
};

// Answers libzip's calls for a new, write-only file.
zip_int64_t run_target(void* data, void* bytes, zip_uint64_t count, zip_source_cmd_t command) {
  auto& target = *static_cast<Target*>(data);
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_STAT:
      errno = ENOENT;
      return target.fail_at(ZIP_ER_READ);
    case ZIP_SOURCE_ERROR:
      return libzip().error_to_data(&target.error, bytes, count);
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_WRITE: {
      size_t written = std::fwrite(bytes, 1, count, target.file);
      return written == count ? static_cast<zip_int64_t>(count) : target.fail_at(ZIP_ER_WRITE);
    }
    case ZIP_SOURCE_TELL_WRITE: {
      off_t at = ftello(target.file);
      return at >= 0 ? at : target.fail_at(ZIP_ER_TELL);
    }
    case ZIP_SOURCE_SEEK_WRITE: {
      if (count < sizeof(zip_source_args_seek_t)) return target.fail_at(ZIP_ER_INVAL);
      auto* to = static_cast<zip_source_args_seek_t*>(bytes);
      return fseeko(target.file, to->offset, to->whence) == 0 ? 0 : target.fail_at(ZIP_ER_SEEK);
    }
    case ZIP_SOURCE_COMMIT_WRITE:
      return target.commit() ? 0 : target.fail_at(ZIP_ER_WRITE);
    default:
      return target.fail_at(ZIP_ER_OPNOTSUPP);
  }
}

// Forwards libzip's progress. No exception may pass libzip.
struct Progress {
  const ZipWriter::Report& report;
  bool is_cancelled = false;
  std::exception_ptr failure = nullptr;

  static void advance(zip_t*, double fraction, void* data) {
    auto& self = *static_cast<Progress*>(data);
    if (self.is_cancelled) return;
    try {
      self.is_cancelled = !self.report(fraction);
    } catch (...) {
      self.failure = std::current_exception();
      self.is_cancelled = true;
    }
  }
  static int cancels(zip_t*, void* data) { return static_cast<Progress*>(data)->is_cancelled; }

  void watch(zip_t* archive) {
    constexpr double kStep = 0.001;
    libzip().register_progress_callback_with_state(archive, kStep, advance, nullptr, this);
    libzip().register_cancel_callback_with_state(archive, cancels, nullptr, this);
  }
};

// Keeps storages from being resized while libzip reads their elements.
struct Unpin {
  void operator()(Storage* storage) const { unpin(storage); }
};
using Pin = std::unique_ptr<Storage, Unpin>;

}  // namespace

void ZipWriter::write(const char* filename, bool compressed, const Report& report) {
  // A storage may have become smaller since it was added.
  for (const Member& member : members_) check_elements(*member.storage, member.first, member.count);
  Target target(filename);
  if (!target.file) fail("%s", std::strerror(errno));
  if (members_.empty()) {
    // libzip does not create empty archives. This is the end record of one.
    char end[22] = "PK\5\6";
    if (std::fwrite(end, sizeof(end), 1, target.file) != 1 || !target.commit()) {
      fail("%s", std::strerror(errno));
    }
    return;
  }
  errno = 0;
  zip_source_t* to = libzip().source_function_create(run_target, &target, &target.error);
  ArchiveRef archive(to ? libzip().open_from_source(to, ZIP_CREATE, &target.error) : nullptr);
  if (!archive) {
    if (to) libzip().source_free(to);
    fail_of_zip("", libzip().error_strerror(&target.error));
  }
  std::vector<Pin> pins;
  for (Member& member : members_) {
    pins.reserve(pins.size() + 1);
    pin(member.storage.get());
    pins.emplace_back(member.storage.get());
    auto item = static_cast<int64_t>(item_size(member.storage->dtype));
    auto* data = static_cast<char*>(member.storage->cpu(Access::read));
    zip_buffer_fragment_t parts[2];
    parts[0].data = reinterpret_cast<zip_uint8_t*>(&member.head[0]);
    parts[0].length = member.head.size();
    parts[1].data = reinterpret_cast<zip_uint8_t*>(data) + member.first * item;
    parts[1].length = static_cast<zip_uint64_t>(member.count * item);
    zip_uint64_t count = member.count ? 2 : 1;
    zip_source_t* source = libzip().source_buffer_fragment(archive.get(), parts, count, 0);
    zip_int64_t index =
        source ? libzip().file_add(archive.get(), member.name.c_str(), source, ZIP_FL_ENC_UTF_8)
               : -1;
    if (index < 0) {
      if (source) libzip().source_free(source);
      fail_of_zip("member " + member.name + ": ", libzip().strerror(archive.get()));
    }
    libzip().set_file_compression(archive.get(), static_cast<zip_uint64_t>(index),
                                  compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  Progress progress{report};
  if (report) progress.watch(archive.get());
  const bool closed = libzip().close(archive.get()) == 0;
  if (closed) archive.release();
  if (progress.failure) std::rethrow_exception(progress.failure);
  if (!closed) fail_of_zip("", libzip().strerror(archive.get()));
}

#else

namespace {
[[noreturn]] void fail_without() {
  fail(
      "tensor was built without libzip, which this needs: install libzip-dev and build tensor "
      "again");
}
}  // namespace

struct ZipReader::Archive {};
ZipReader::ZipReader(const char*) { fail_without(); }
ZipReader::~ZipReader() = default;
void ZipReader::begin(size_t, int64_t, int64_t) { fail_without(); }
void ZipReader::read(Storage*, int64_t, int64_t, bool) { fail_without(); }
void ZipWriter::write(const char*, bool, const Report&) { fail_without(); }

#endif

}  // namespace th

// Files on disk and pipes, based on streams of the C library.

#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "io/block_pipe_signal.h"
#include "io/file.h"
#include "io/replace_file.h"
#include "tensor/mapped_storage.h"

namespace th {

namespace {

class StreamFile : public File {
 public:
  StreamFile(const char* name, const char* mode, bool pipe)
      : File(mode), name_(name), pipe_(pipe), may_lose_reader_(pipe) {
    if (pipe && readable == writable) fail("a pipe's mode is 'r' or 'w', got '%s'", mode);
    if (pipe) {
      stream_ = popen(name, mode);
      return;
    }
    stream_ = readable ? std::fopen(name, writable ? "r+b" : "rb") : open_anew(name);
    if (!stream_ && readable && writable && errno == ENOENT) stream_ = std::fopen(name, "w+b");
    struct stat status;
    if (!stream_ || fstat(fileno(stream_), &status) != 0) return;
    may_lose_reader_ = S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
    if (S_ISDIR(status.st_mode)) {
      shut();
      errno = EISDIR;
    }
  }
  ~StreamFile() override { shut(); }

  const std::string& name() const { return name_; }
  std::FILE* stream() { return stream_; }

  bool is_open() const override { return stream_; }
  void synchronize() override {
    BlockPipeSignal block(may_lose_reader_);
    if (std::fflush(stream_) != 0) {
      fail_quietly("unable to write to <%s>: %s", name_.c_str(), std::strerror(errno));
    }
  }
  bool seek(size_t position) override {
    BlockPipeSignal block(may_lose_reader_);
    return std::fseek(stream_, static_cast<long>(position), SEEK_SET) == 0;
  }
  bool seek_end() override {
    BlockPipeSignal block(may_lose_reader_);
    return std::fseek(stream_, 0, SEEK_END) == 0;
  }
  size_t position() override {
    const size_t at = find_position();
    if (at == kUnknown) fail_quietly("unable to obtain the offset of <%s>", name_.c_str());
    return at == kUnknown ? 0 : at;
  }
  size_t find_position() override {
    const long at = stream_ ? std::ftell(stream_) : -1;
    return at < 0 ? kUnknown : static_cast<size_t>(at);
  }
  void close() override {
    const int status = shut();
    if (status < 0) {
      fail_quietly("unable to write all of <%s>: %s", name_.c_str(), std::strerror(errno));
    } else if (status > 0 && writable) {
      // A command that is read from may end by SIGPIPE, as not all of its output was read.
      fail_quietly("the command <%s> failed, %s %d", name_.c_str(),
                   WIFEXITED(status) ? "exit status" : "by signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
  }
  size_t available() override {
    struct stat status;
    if (fstat(fileno(stream_), &status) != 0 || !S_ISREG(status.st_mode)) return kUnknown;
    long at = std::ftell(stream_);
    return at < 0 || at > status.st_size ? 0 : status.st_size - at;
  }

  StorageRef map(DType type, ptrdiff_t first, ptrdiff_t count) override {
    check_open();
    return StorageRef(storage_from_descriptor(type, name_.c_str(), fileno(stream_), first, count));
  }

 protected:
  // The C library requires a positioning call between writing and reading.
  void turn(bool writes) {
    BlockPipeSignal block(may_lose_reader_ && wrote_ != writes);
    if (readable && writable && wrote_ != writes) std::fseek(stream_, 0, SEEK_CUR);
    wrote_ = writes;
  }
  size_t read_bytes(void* to, size_t count) override {
    turn(false);
    return count ? std::fread(to, 1, count, stream_) : 0;
  }
  size_t write_bytes(const void* from, size_t count) override {
    turn(true);
    BlockPipeSignal block(may_lose_reader_);
    return count ? std::fwrite(from, 1, count, stream_) : 0;
  }
  int next_byte() override {
    turn(false);
    return std::fgetc(stream_);
  }
  void put_back(int byte) override { std::ungetc(byte, stream_); }

 private:
  // Closes the file. Returns -1 if not everything could be written, and else 0, or the status of
  // the command of a pipe.
  int shut() {
    std::FILE* stream = std::exchange(stream_, nullptr);
    if (!stream) return 0;
    BlockPipeSignal block(may_lose_reader_);
    if (!pipe_) return std::fclose(stream);
    const bool is_written = !writable || std::fflush(stream) == 0;
    const int error = errno, status = pclose(stream);
    if (is_written) return status;
    errno = error;
    return -1;
  }

  std::FILE* stream_ = nullptr;
  std::string name_;
  bool pipe_;             // a command
  bool may_lose_reader_;  // a command, a named pipe or a socket
  bool wrote_ = false;
};

File* open_stream(const char* name, const char* mode, bool quiet, bool pipe) {
  if (!name) fail_argument(1, "a name is expected, got NULL");
  auto file = std::make_unique<StreamFile>(name, mode, pipe);
  if (!file->is_open()) {
    if (quiet) return nullptr;
    fail("cannot open <%s> in mode %s: %s", name, mode, std::strerror(errno));
  }
  file->quiet = quiet;
  return file.release();
}

StreamFile& stream_file(File& file) {
  auto* stream = dynamic_cast<StreamFile*>(&file);
  if (!stream) fail_argument(1, "a file on disk or a pipe is expected");
  return *stream;
}

}  // namespace

File* open_disk_file(const char* name, const char* mode, bool quiet) {
  return open_stream(name, mode, quiet, false);
}
File* open_for_seeking(const char* name) {
  std::unique_ptr<File> file(open_disk_file(name, "r", false));
  file->binary = file->quiet = true;
  // Files of /proc report a size of 0, or cannot seek to their end.
  if (!file->seek_end() || file->position() == 0 || !file->seek(0)) {
    StorageRef bytes = file->read_storage(DType::Char, PTRDIFF_MAX / 2);
    storage_resize(bytes.get(), bytes->size + 1);
    static_cast<char*>(bytes->cpu(Access::write))[bytes->size - 1] = '\0';
    file.reset(open_memory_file(bytes.get(), "r"));
    file->binary = file->quiet = true;
  }
  return file.release();
}
File* open_pipe(const char* command, const char* mode, bool quiet) {
  return open_stream(command, mode, quiet, true);
}
const std::string& name_of_file(File& file) { return stream_file(file).name(); }
void set_unbuffered(File& file) {
  file.check_open();
  std::setvbuf(stream_file(file).stream(), nullptr, _IONBF, 0);
}

}  // namespace th

#ifndef TH_IO_FILE_H
#define TH_IO_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/visibility.h"
#include "tensor/storage.h"

namespace th TH_VISIBLE {

// A file of bytes, and of numbers in text or binary form.
class File {
 public:
  virtual ~File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool readable, writable, quiet = false, binary = false, spacing = true, failed = false;
  bool swapped = false;  // binary numbers have the reverse byte order
  int long_bytes = 8;
  bool in_use = false;  // a call that finalizers may interrupt is using the file

  // Return the number of numbers that were read or written.
  size_t read(DType type, void* data, size_t n);
  size_t write(DType type, const void* data, size_t n);
  // Returns a new storage of at most n numbers, as many as the file has. Does not allocate more
  // memory than the file has bytes.
  StorageRef read_storage(DType type, size_t n);
  // Reads the rest of the file, or a line, into a block of the heap.
  size_t read_text(bool line, char** text);
  size_t write_text(const char* text, size_t size);

  virtual bool is_open() const = 0;
  virtual void synchronize() = 0;
  virtual bool seek(size_t position) = 0;
  virtual bool seek_end() = 0;
  virtual size_t position() = 0;
  // Returns the position; kUnknown for pipes and closed files. Never fails.
  virtual size_t find_position() = 0;
  virtual void close() = 0;
  // Returns the number of bytes to the end; kUnknown for pipes.
  virtual size_t available() = 0;
  static constexpr size_t kUnknown = SIZE_MAX;
  // Maps `count` elements from byte `first` on, which is a multiple of their size. Throws if the
  // file is not on disk.
  virtual StorageRef map(DType type, ptrdiff_t first, ptrdiff_t count);

  void check_open() const;
  // Throws, or only sets `failed` if the file is quiet.
  void fail_quietly(const char* format, ...) __attribute__((format(printf, 2, 3)));

 protected:
  // mode: "r", "w" or "rw".
  explicit File(const char* mode);
  virtual size_t read_bytes(void* to, size_t count) = 0;
  virtual size_t write_bytes(const void* from, size_t count) = 0;
  virtual int next_byte() = 0;  // returns -1 at the end
  virtual void put_back(int byte) = 0;

 private:
  void check_readable() const;
  void fail_to_write(size_t count, size_t n);  // with the reason in errno, if there is one
  size_t read_some(DType type, char* data, size_t n);
  void end_reading(size_t count, size_t n);
  bool read_number(DType type, void* to);
  bool write_number(DType type, const void* from);
  size_t read_binary(DType type, char* data, size_t n);
  size_t write_binary(DType type, const char* data, size_t n);
};

File* open_disk_file(const char* name, const char* mode, bool quiet);
// Opens a file to read bytes from it, quietly. The file can seek: if it is a pipe, it is read to
// its end into memory.
File* open_for_seeking(const char* name);
File* open_pipe(const char* command, const char* mode, bool quiet);
// Returns the name of a file. Throws if it is not a file on disk or a pipe.
const std::string& name_of_file(File& file);
void set_unbuffered(File& file);

// The storage is retained; null: a new one.
File* open_memory_file(Storage* storage, const char* mode);
// Cuts the storage to the size of the file and returns it. Throws if it is not a file in memory.
Storage* storage_of_file(File& file);

// Reverses the order of the bytes of each of n elements.
void swap_bytes(char* data, size_t item_bytes, size_t n);

}  // namespace TH_VISIBLE

#endif

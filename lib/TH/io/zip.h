#ifndef TH_IO_ZIP_H
#define TH_IO_ZIP_H

// Archives, by libzip. If it is missing, the functions raise errors.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensor/storage.h"

namespace th {

struct ZipMember {
  std::string name;
  int64_t size;  // uncompressed size in bytes
};

// Reads an archive.
class ZipReader {
 public:
  explicit ZipReader(const char* filename);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  // Begins to read `bytes` bytes of a member, after `skip` ones. Error: the member is shorter.
  void begin(size_t member, int64_t skip, int64_t bytes);
  // Reads the next `count` elements of the member into a storage, from its element `first` on.
  // swapped: reverse the byte order.
  void read(Storage* to, int64_t first, int64_t count, bool swapped);

 private:
  std::vector<ZipMember> members_;
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

// Writes an archive. Each member has a header and elements of a storage.
class ZipWriter {
 public:
  void add(const char* name, std::string head, Storage* storage, int64_t first, int64_t count);
  // report(fraction) is called now and then with the part of the elements that is written. If it
  // returns false, writing ends with an error.
  using Report = std::function<bool(double fraction)>;
  void write(const char* filename, bool compressed, const Report& report = nullptr);

 private:
  struct Member {
    std::string name, head;
    StorageRef storage;
    int64_t first, count;
  };
  std::vector<Member> members_;
};

}  // namespace th

#endif

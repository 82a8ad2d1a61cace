#ifndef TH_IO_ZIP_H
#define TH_IO_ZIP_H

// Archives of files, by libzip; where it was not there when this was built, errors.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/visibility.h"
#include "tensor/storage.h"

namespace th TH_VISIBLE {

struct ZipMember {
  std::string name;
  int64_t size;  // in bytes, once it is uncompressed
};

// An archive that is read.
class ZipReader {
 public:
  explicit ZipReader(const char* filename);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  // The bytes of a member behind the first `skip`, as many as count elements have, to the storage.
  void read(size_t member, int64_t skip, Storage* to, int64_t count, bool swapped);

 private:
  std::vector<ZipMember> members_;
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

// Members that become an archive: a head and elements of a storage each.
class ZipWriter {
 public:
  void add(const char* name, std::string head, Storage* storage, int64_t first, int64_t count);
  void write(const char* filename, bool compressed);

 private:
  struct Member {
    std::string name, head;
    StorageRef storage;
    int64_t first, count;
  };
  std::vector<Member> members_;
};

}  // namespace TH_VISIBLE

#endif

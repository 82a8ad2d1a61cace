#ifndef TH_IO_ARRAY_FILE_H
#define TH_IO_ARRAY_FILE_H

// Files of arrays: .npy, .npz and .safetensors. The extension of the file name selects the format.
// Messages of errors begin with the file name.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/visibility.h"
#include "io/replace_file.h"
#include "io/stored_array.h"
#include "tensor/tensor.h"

namespace th TH_VISIBLE {

// Reads a file. An array is read in steps, so that the caller can report progress in between:
// begin(), run() until it returns 0, finish().
class ArrayReader {
 public:
  // extension: that of the format; null: that of the file name. Errors: an unknown extension; a
  // file that cannot be read; an invalid header.
  static std::unique_ptr<ArrayReader> open(const char* filename, const char* extension = nullptr);
  virtual ~ArrayReader() = default;
  ArrayReader(const ArrayReader&) = delete;
  ArrayReader& operator=(const ArrayReader&) = delete;

  size_t count() const { return arrays_.size(); }
  // An .npy file has one array, whose name is empty.
  const std::string& name(size_t k) const { return arrays_.at(k).name; }
  // Returns the position of an array, or -1.
  int64_t find(const std::string& name) const;
  // Returns what the file states about an array. In an .npz file this reads its header, so it can
  // fail.
  const StoredArray& array(size_t k);
  const Metadata& metadata() const { return metadata_; }

  // map: the elements are mapped into memory, privately, instead of read. An .npy file that cannot
  // be mapped is an error. Others read the arrays that cannot be mapped.
  void begin(size_t k, bool map);
  // Reads about `bytes` bytes. Returns the number of bytes that it has read; 0 at the end.
  int64_t run(int64_t bytes);
  TensorRef finish();
  TensorRef read(size_t k, bool map);

 protected:
  ArrayReader() = default;
  void add(StoredArray array);

  // Reads the header of an array, if the constructor has not.
  virtual void describe(StoredArray&) {}
  // Returns the storage of a mapped array. Returns null if the array has to be read.
  virtual StorageRef map(const StoredArray&);
  virtual void start(const StoredArray&) {}
  // Reads elements of the array: `count` ones from `first` on, or more. Returns how many.
  virtual int64_t read_elements(const StoredArray& array, Storage* to, int64_t first,
                                int64_t count) = 0;

  std::vector<StoredArray> arrays_;
  Metadata metadata_;

 private:
  template <class F>
  auto named(const F& f) const;

  std::string filename_;
  std::map<std::string, size_t> positions_;
  size_t at_ = 0;       // the array that is being read
  StorageRef storage_;  // its elements
  int64_t done_ = 0;    // elements that are read
};

// Writes a file, which replaces an existing one as a whole. The tensors are added, then begin() and
// run() write them, and commit() replaces the file. Until then, the old file is unchanged.
class ArrayWriter {
 public:
  // extension: as above. Errors: an unknown extension. The file is opened by begin().
  static std::unique_ptr<ArrayWriter> create(const char* filename, const char* extension = nullptr);
  virtual ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  // The elements are those at the time of run(), or of add() if t is not contiguous. The name is
  // ignored in an .npy file, which has one tensor. Errors: a name that the format does not allow,
  // or that was added before.
  void add(const std::string& name, Tensor* t);
  // Errors: the format has no metadata, or is not compressed.
  void set_metadata(const std::string& key, const std::string& value);
  void compress();

  // Returns the number of bytes of all elements.
  int64_t begin();
  // Formats that are written in one call of run() call report(bytes) meanwhile, with the bytes
  // written since its last call. If it returns false, run() ends with an error.
  using Report = std::function<bool(int64_t bytes)>;
  void set_report(Report report) { report_ = std::move(report); }
  // Writes about `bytes` bytes. Returns the number of bytes that it has written; 0 at the end.
  int64_t run(int64_t bytes);
  void commit(Sync sync = Sync::if_replaced);
  // Does all three.
  void write();

 protected:
  struct Item {
    std::string name;
    TensorRef tensor;  // contiguous
  };
  ArrayWriter();
  virtual void check(const Item& item) const = 0;
  virtual void check_metadata(const std::string& key, const std::string& value) const;
  virtual void check_compress() const;
  // Opens the file and writes what comes before the elements. May change the order of items_.
  virtual void start(const char* path) = 0;
  // Writes elements of an item from `first` on: `count` ones, or more. Returns how many.
  virtual int64_t write_elements(const Item& item, int64_t first, int64_t count) = 0;
  virtual void close() = 0;
  // Reports that a part of all elements has been written. Returns false to cancel.
  bool report(double fraction);

  Report report_;
  std::vector<Item> items_;
  Metadata metadata_;
  bool compressed_ = false;

 private:
  template <class F>
  auto named(const F& f) const;
  void check_open() const;

  std::string filename_;
  std::set<std::string> names_;
  std::unique_ptr<Replacement> replacement_;
  bool is_committed_ = false, has_failed_ = false;
  size_t at_ = 0;     // the item that is being written
  int64_t done_ = 0;  // elements of it that are written
  int64_t bytes_ = 0, reported_ = 0;
};

// The formats.
std::unique_ptr<ArrayReader> open_npy(const char* filename);
std::unique_ptr<ArrayReader> open_npz(const char* filename);
std::unique_ptr<ArrayReader> open_safetensors(const char* filename);
std::unique_ptr<ArrayWriter> create_npy();
std::unique_ptr<ArrayWriter> create_npz();
std::unique_ptr<ArrayWriter> create_safetensors();

}  // namespace TH_VISIBLE

#endif

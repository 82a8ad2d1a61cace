// C functions of files.

#include "THDiskFile.h"
#include "THFile.h"
#include "THMemoryFile.h"

#include "generic/bridge.h"
#include "io/file.h"

namespace {

th::File& file_of(THFile* self) {
  if (!self) th::fail_argument(1, "a file is expected, got NULL");
  return *reinterpret_cast<th::File*>(self);
}
THFile* typed(th::File* file) { return reinterpret_cast<THFile*>(file); }

constexpr bool kLittleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

void set_long_size(THFile* self, int size) {
  if (size != 0 && size != 4 && size != 8) {
    th::fail_argument(2, "a size of 0, 4 or 8 is expected, got %d", size);
  }
  file_of(self).long_bytes = size ? size : 8;
}

}  // namespace

extern "C" {

#define TH_FILE_QUESTION(name, value)       \
  int THFile_##name(THFile* self) {         \
    return th::guard([&] {                  \
      const th::File& file = file_of(self); \
      return int(value);                    \
    });                                     \
  }
#define TH_FILE_ACTION(name, ...)     \
  void THFile_##name(THFile* self) {  \
    th::guard([&] {                   \
      th::File& file = file_of(self); \
      __VA_ARGS__;                    \
    });                               \
  }
#include "io/file_methods.def"

void THFile_free(THFile* self) {
  th::guard([&] { delete reinterpret_cast<th::File*>(self); });
}
void THFile_seek(THFile* self, size_t position) {
  th::guard([&] {
    th::File& file = file_of(self);
    file.check_open();
    if (!file.seek(position)) file.fail_quietly("unable to seek at position %zu", position);
  });
}
size_t THFile_position(THFile* self) {
  return th::guard([&] {
    file_of(self).check_open();
    return file_of(self).position();
  });
}

#define TH_FILE_FUNCTIONS(Name, type)                                                 \
  type THFile_read##Name##Scalar(THFile* self) {                                      \
    return th::guard([&] {                                                            \
      type value{};                                                                   \
      file_of(self).read(th::DType::Name, &value, 1);                                 \
      return value;                                                                   \
    });                                                                               \
  }                                                                                   \
  void THFile_write##Name##Scalar(THFile* self, type scalar) {                        \
    th::guard([&] { file_of(self).write(th::DType::Name, &scalar, 1); });             \
  }                                                                                   \
  size_t THFile_read##Name(THFile* self, TH##Name##Storage* storage) {                \
    return th::guard([&] {                                                            \
      th::Storage* s = th::erase_storage(storage);                                    \
      th::trace_use(s, th::ElementUse::writes);                                       \
      return file_of(self).read(th::DType::Name, s->cpu(th::Access::write), s->size); \
    });                                                                               \
  }                                                                                   \
  size_t THFile_write##Name(THFile* self, TH##Name##Storage* storage) {               \
    return th::guard([&] {                                                            \
      th::Storage* s = th::erase_storage(storage);                                    \
      return file_of(self).write(th::DType::Name, s->cpu(th::Access::read), s->size); \
    });                                                                               \
  }                                                                                   \
  size_t THFile_read##Name##Raw(THFile* self, type* data, size_t n) {                 \
    return th::guard([&] { return file_of(self).read(th::DType::Name, data, n); });   \
  }                                                                                   \
  size_t THFile_write##Name##Raw(THFile* self, type* data, size_t n) {                \
    return th::guard([&] { return file_of(self).write(th::DType::Name, data, n); });  \
  }
TH_FILE_FUNCTIONS(Byte, unsigned char)
TH_FILE_FUNCTIONS(Char, char)
TH_FILE_FUNCTIONS(Short, short)
TH_FILE_FUNCTIONS(Int, int)
TH_FILE_FUNCTIONS(Long, int64_t)
TH_FILE_FUNCTIONS(Float, float)
TH_FILE_FUNCTIONS(Double, double)
TH_FILE_FUNCTIONS(Half, THHalf)

size_t THFile_readStringRaw(THFile* self, const char* format, char** text) {
  return th::guard([&] {
    if (!format || format[0] != '*' || (format[1] != 'a' && format[1] != 'l')) {
      th::fail_argument(2, "'*a' or '*l' is expected");
    }
    return file_of(self).read_text(format[1] == 'l', text);
  });
}
size_t THFile_writeStringRaw(THFile* self, const char* text, size_t size) {
  return th::guard([&] { return file_of(self).write_text(text, size); });
}

THFile* THDiskFile_new(const char* name, const char* mode, int quiet) {
  return th::guard([&] { return typed(th::open_disk_file(name, mode, quiet != 0)); });
}
THFile* THPipeFile_new(const char* name, const char* mode, int quiet) {
  return th::guard([&] { return typed(th::open_pipe(name, mode, quiet != 0)); });
}
const char* THDiskFile_name(THFile* self) {
  return th::guard([&] { return th::name_of_file(file_of(self)).c_str(); });
}
int THDiskFile_isLittleEndianCPU(void) { return kLittleEndian; }
int THDiskFile_isBigEndianCPU(void) { return !kLittleEndian; }
void THDiskFile_nativeEndianEncoding(THFile* self) {
  th::guard([&] { file_of(self).swapped = false; });
}
void THDiskFile_littleEndianEncoding(THFile* self) {
  th::guard([&] { file_of(self).swapped = !kLittleEndian; });
}
void THDiskFile_bigEndianEncoding(THFile* self) {
  th::guard([&] { file_of(self).swapped = kLittleEndian; });
}
void THDiskFile_longSize(THFile* self, int size) {
  th::guard([&] { set_long_size(self, size); });
}
void THDiskFile_noBuffer(THFile* self) {
  th::guard([&] { th::set_unbuffered(file_of(self)); });
}

THFile* THMemoryFile_newWithStorage(THCharStorage* storage, const char* mode) {
  return th::guard([&] { return typed(th::open_memory_file(th::erase_storage(storage), mode)); });
}
THFile* THMemoryFile_new(const char* mode) {
  return th::guard([&] { return typed(th::open_memory_file(nullptr, mode)); });
}
THCharStorage* THMemoryFile_storage(THFile* self) {
  return th::guard(
      [&] { return reinterpret_cast<THCharStorage*>(th::storage_of_file(file_of(self))); });
}
void THMemoryFile_longSize(THFile* self, int size) {
  th::guard([&] { set_long_size(self, size); });
}
}

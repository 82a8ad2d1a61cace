// C++ parts of the readers and writers of lua/extras/formats: parts of storages to and from files,
// members of archives, and files that are replaced as a whole.

#include <cstring>

#include "bindings.h"
#include "files.h"
#include "io/picture.h"
#include "io/replace_file.h"
#include "native.h"

namespace bind {

template <>
const char* Native<th::Replacement>::key() {
  return "tensor.Replacement";
}
template <>
const char* Native<std::string>::key() {
  return "tensor.Bytes";
}

namespace {

// A range of elements: the storage at index, first (from 1) and count at the next two positions.
struct Range {
  Storage* storage;
  int64_t first, count;
};
Range check_range(lua_State* L, int index) {
  Range range = {check_storage(L, state_of(L), index), check_index(L, index + 1, "an element"),
                 check_integer(L, index + 2)};
  bool inside = range.first >= 0 && range.count >= 0 && range.first <= range.storage->size &&
                range.count <= range.storage->size - range.first;
  if (!inside) argument_error(L, index + 1, "elements of the storage are expected");
  return range;
}
char* at(const Range& range, th::Access access) {
  auto* data = static_cast<char*>(range.storage->cpu(access));
  return data + range.first * static_cast<int64_t>(th::item_size(range.storage->dtype));
}

// _readrange(file, storage, first, count): returns the number of elements read.
int read_range(lua_State* L) {
  Range range = check_range(L, 2);
  refuse_held(L, state_of(L), "load", range.storage);
  trace_elements(L, "load", range.storage, th::ElementUse::writes);
  size_t count = 0;
  with_file(L, "load", [&](File& file) {
    Pinned pinned(range.storage);
    count = file.read(range.storage->dtype, at(range, th::Access::write),
                      static_cast<size_t>(range.count));
  });
  push_integer(L, count);
  return 1;
}

// _newfile(filename): returns a replacement of the file, and the name of the file to write.
int new_file(lua_State* L) {
  const char* name = check_text(L, 1, "save");
  lua_settop(L, 1);
  auto** box = Native<th::Replacement>::push(L);
  protect(L, "save", [&] { *box = new th::Replacement(name); });
  const std::string& path = (*box)->path();
  lua_pushlstring(L, path.data(), path.size());
  return 2;
}

// _commitfile(replacement [, sync]): replaces the file by the written one.
int commit_file(lua_State* L) {
  th::Replacement& replacement = Native<th::Replacement>::check(L, 1);
  protect(L, "save", [&] { replacement.commit(sync_of(L, 2)); });
  return 0;
}

// _dropfile(replacement): removes the written file.
int drop_file(lua_State* L) {
  Native<th::Replacement>::check(L, 1);
  return Native<th::Replacement>::destroy(L);
}

const th::PictureFormat& check_picture_format(lua_State* L, int index) {
  const char* name = luaL_checkstring(L, index);
  return std::strcmp(name, th::kPng.name) == 0 ? th::kPng : th::kJpeg;
}

const unsigned char* bytes_of(Storage* storage) {
  return static_cast<const unsigned char*>(storage->cpu(th::Access::read));
}

// _pictureshape(format, file): returns channels, height, width, bits. The file is a ByteStorage.
int picture_shape(lua_State* L) {
  const th::PictureFormat& format = check_picture_format(L, 1);
  Range file = {check_storage(L, state_of(L), 2), 0, 0};
  th::PictureShape shape = {};
  protect(L, "load", [&] {
    Pinned pinned(file.storage);
    shape = format.shape(bytes_of(file.storage), static_cast<size_t>(file.storage->size));
  });
  push_integer(L, shape.channels);
  push_integer(L, shape.height);
  push_integer(L, shape.width);
  lua_pushnumber(L, shape.bits);
  return 4;
}

// _pictureread(format, file, pixels): fills the storage pixels.
int picture_read(lua_State* L) {
  const th::PictureFormat& format = check_picture_format(L, 1);
  Storage* file = check_storage(L, state_of(L), 2);
  Storage* pixels = check_storage(L, state_of(L), 3);
  refuse_held(L, state_of(L), "load", pixels);
  trace_elements(L, "load", pixels, th::ElementUse::writes);
  protect(L, "load", [&] {
    Pinned pinned(file), also_pinned(pixels);
    const unsigned char* bytes = bytes_of(file);
    auto size = static_cast<size_t>(file->size);
    th::PictureShape shape = format.shape(bytes, size);
    auto item = static_cast<int64_t>(th::item_size(pixels->dtype));
    if (item * 8 != shape.bits || pixels->size / shape.height < shape.channels * shape.width) {
      th::fail("the picture has more pixels than the storage has elements");
    }
    format.read(bytes, size, static_cast<unsigned char*>(pixels->cpu(th::Access::overwrite)));
  });
  return 0;
}

// _picturewrite(format, pixels, first, count, channels, height, width, quality): returns the file
// as a string.
int picture_write(lua_State* L) {
  const th::PictureFormat& format = check_picture_format(L, 1);
  lua_settop(L, 8);
  auto** box = Native<std::string>::push(L);  // before the storage is read: it may run finalizers
  Range pixels = check_range(L, 2);
  auto item = static_cast<int>(th::item_size(pixels.storage->dtype));
  th::PictureShape shape = {check_integer(L, 5), check_integer(L, 6), check_integer(L, 7),
                            8 * item};
  auto quality = static_cast<int>(check_integer(L, 8));
  bool inside = item <= 2 && shape.channels >= 1 && shape.channels <= 4 && shape.height >= 1 &&
                shape.width >= 1 && shape.width <= 0x7fffffff && shape.height <= 0x7fffffff &&
                pixels.count / shape.channels / shape.width >= shape.height;
  if (!inside) return argument_error(L, 2, "the pixels of a picture are expected");
  protect(L, "save", [&] {
    Pinned pinned(pixels.storage);
    auto* data = reinterpret_cast<unsigned char*>(at(pixels, th::Access::read));
    *box = new std::string(format.write(shape, data, quality));
  });
  lua_pushlstring(L, (*box)->data(), (*box)->size());
  return 1;
}

const Method functions[] = {
    {"_readrange", guarded<read_range>},       {"_newfile", guarded<new_file>},
    {"_commitfile", guarded<commit_file>},     {"_dropfile", guarded<drop_file>},
    {"_pictureshape", guarded<picture_shape>}, {"_pictureread", guarded<picture_read>},
    {"_picturewrite", guarded<picture_write>},
};

}  // namespace

void register_format_functions(lua_State* L, int module) { set_functions(L, functions, module); }

}  // namespace bind

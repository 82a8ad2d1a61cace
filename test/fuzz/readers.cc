// Readers of untrusted bytes: Caffe's blobs, the numbers and text of files, and other formats. Each
// input is read as all of these.

#include <TH.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "formats.h"

namespace {

struct Input {
  const uint8_t* bytes;
  size_t size;
};

void read_blob(void* data) {
  auto* input = static_cast<Input*>(data);
  THFloatBlob* blob = THFloatBlob_new();
  struct Call {
    THFloatBlob* blob;
    Input* input;
  } call = {blob, input};
  int failed = THTry(
      [](void* given) {
        auto* own = static_cast<Call*>(given);
        THFloatBlob_fromProto(own->blob, own->input->bytes, own->input->size, 1);
      },
      &call, nullptr, 0);
  if (!failed) {
    // Writes the blob and reads it again: the result must be equal.
    THByteStorage* written = THByteStorage_new();
    THFloatBlob_toProto(blob, 1, written);
    THFloatBlob* again = THFloatBlob_new();
    THFloatBlob_fromProto(again, THByteStorage_data(written), THByteStorage_size(written), 1);
    if (THFloatBlob_count(blob) != THFloatBlob_count(again)) std::abort();
    THFloatBlob_free(again);
    THByteStorage_free(written);
  }
  THFloatBlob_free(blob);
}

void read_blobs(void* data) {
  auto* input = static_cast<Input*>(data);
  THBlobProto_isDouble(input->bytes, input->size);
  THBlobProto_isVector(input->bytes, input->size);
  THDoubleBlob* blobs[4] = {};
  ptrdiff_t count = THDoubleBlob_newFromProtoVector(input->bytes, input->size, blobs, 4);
  for (ptrdiff_t k = 0; k < count && k < 4; ++k) THDoubleBlob_free(blobs[k]);
}

// Each byte is a call, and all of them are the file, too.
void read_file(const Input& input, bool binary) {
  THCharStorage* storage = THCharStorage_newWithSize(static_cast<ptrdiff_t>(input.size + 1));
  char* bytes = THCharStorage_data(storage);
  std::memcpy(bytes, input.bytes, input.size);
  bytes[input.size] = 0;
  THFile* file = THMemoryFile_newWithStorage(storage, "rw");
  if (binary) THFile_binary(file);
  THFile_quiet(file);
  THLongStorage* longs = THLongStorage_newWithSize(3);
  THFloatStorage* floats = THFloatStorage_newWithSize(2);
  for (size_t k = 0; k < input.size && k < 64; ++k) {
    char* text = nullptr;
    switch (input.bytes[k] % 12) {
      case 0:
        THFile_readIntScalar(file);
        break;
      case 1:
        THFile_readLong(file, longs);
        break;
      case 2:
        THFile_readFloat(file, floats);
        break;
      case 3:
        THFile_readDoubleScalar(file);
        break;
      case 4:
        THFile_readHalfScalar(file);
        break;
      case 5:
        THFile_readStringRaw(file, "*l", &text);
        break;
      case 6:
        THFile_seek(file, k);
        break;
      case 7:
        THFile_noAutoSpacing(file);
        break;
      case 8:
        THMemoryFile_longSize(file, k % 2 ? 4 : 8);
        break;
      case 9:
        THFile_writeIntScalar(file, static_cast<int>(k));
        break;
      case 10:
        THFile_writeFloat(file, floats);
        break;
      default:
        THFile_readShortScalar(file);
        break;
    }
    if (text) THFree(text);
  }
  THFloatStorage_free(floats);
  THLongStorage_free(longs);
  THFile_free(file);
  THCharStorage_free(storage);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  Input input = {bytes, size};
  THTry(read_blob, &input, nullptr, 0);
  THTry(read_blobs, &input, nullptr, 0);
  read_file(input, false);
  read_file(input, true);
  read_formats(bytes, size);
  return 0;
}

// THFile on disk, in memory and behind a pipe.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "soft_devices.h"

namespace th {
namespace {

// The same on disk and in memory.
class Files : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    int fd = mkstemp(name_);
    close(fd);
    file_ = GetParam() ? THDiskFile_new(name_, "rw", 0) : THMemoryFile_new("rw");
  }
  void TearDown() override {
    THFile_free(file_);
    unlink(name_);
  }
  // Returns the contents of the file.
  std::string text() {
    size_t at = THFile_position(file_);
    THFile_seek(file_, 0);
    char* all = nullptr;
    size_t length = THFile_readStringRaw(file_, "*a", &all);
    std::string result(all, length);
    THFree(all);
    THFile_seek(file_, at);
    return result;
  }
  char name_[30] = "/tmp/th_file_XXXXXX";
  THFile* file_;
};

// Growing moves what is written.
TEST(MemoryFile, IsWrittenFromItsOwnStorage) {
  THFile* file = THMemoryFile_new("rw");
  THFile_noAutoSpacing(file);
  const std::string once(1000, 'x');
  THFile_writeStringRaw(file, once.data(), once.size());
  THCharStorage* storage = THMemoryFile_storage(file);
  for (int k = 0; k < 5; ++k) THFile_writeCharRaw(file, storage->data, 1000);
  EXPECT_EQ(THFile_position(file), 6000u);
  THFile_seek(file, 0);
  char* all = nullptr;
  ASSERT_EQ(THFile_readStringRaw(file, "*a", &all), 6000u);
  EXPECT_EQ(std::string(all, 6000), std::string(6000, 'x'));
  THFree(all);
  THFile_free(file);
}

TEST_P(Files, NumbersAreText) {
  int ints[] = {1, -20, 300};
  float floats[] = {0.1f, 1e30f, -2};
  int64_t longs[] = {std::numeric_limits<int64_t>::min(), 7};
  EXPECT_EQ(THFile_writeIntRaw(file_, ints, 3), 3u);
  EXPECT_EQ(THFile_writeFloatRaw(file_, floats, 3), 3u);
  THFile_writeDoubleScalar(file_, 1.0 / 3);
  EXPECT_EQ(THFile_writeLongRaw(file_, longs, 2), 2u);
  THFile_writeHalfScalar(file_, TH_float2half(0.5f));
  THFile_noAutoSpacing(file_);
  THFile_writeShortScalar(file_, -5);
  EXPECT_EQ(text(),
            "1 -20 300\n0.100000001 1.00000002e+30 -2\n0.33333333333333331\n"
            "-9223372036854775808 7\n0.5\n-5");
  THFile_autoSpacing(file_);
  THFile_seek(file_, 0);
  int read_ints[3] = {};
  EXPECT_EQ(THFile_readIntRaw(file_, read_ints, 3), 3u);
  EXPECT_EQ(read_ints[1], -20);
  EXPECT_EQ(THFile_position(file_), 10u) << "the newline is read, too";
  THFloatStorage* s = THFloatStorage_newWithSize(3);
  EXPECT_EQ(THFile_readFloat(file_, s), 3u);
  EXPECT_EQ(s->data[0], 0.1f);
  EXPECT_EQ(s->data[1], 1e30f);
  EXPECT_EQ(THFile_readDoubleScalar(file_), 1.0 / 3);
  EXPECT_EQ(THFile_readLongScalar(file_), longs[0]);
  EXPECT_EQ(THFile_readLongScalar(file_), 7);
  EXPECT_EQ(TH_half2float(THFile_readHalfScalar(file_)), 0.5f);
  EXPECT_EQ(THFile_readShortScalar(file_), -5);
  THFloatStorage_free(s);
}

TEST_P(Files, NumbersAreBytes) {
  THFile_binary(file_);
  EXPECT_EQ(THFile_isBinary(file_), 1);
  double doubles[] = {1.5, -2};
  THFile_writeDoubleRaw(file_, doubles, 2);
  if (GetParam()) THDiskFile_bigEndianEncoding(file_);
  THFile_writeShortScalar(file_, 0x0102);
  GetParam() ? THDiskFile_longSize(file_, 4) : THMemoryFile_longSize(file_, 4);
  THFile_writeLongScalar(file_, -3);
  EXPECT_EQ(THFile_position(file_), 16u + 2 + 4);
  THFile_seekEnd(file_);
  EXPECT_EQ(THFile_position(file_), 22u);
  THFile_seek(file_, 16);
  EXPECT_EQ(THFile_readByteScalar(file_), GetParam() ? 1 : 2);
  THFile_seek(file_, 16);
  EXPECT_EQ(THFile_readShortScalar(file_), 0x0102);
  EXPECT_EQ(THFile_readLongScalar(file_), -3);
  if (GetParam()) THDiskFile_nativeEndianEncoding(file_);
  THFile_seek(file_, 8);
  EXPECT_EQ(THFile_readDoubleScalar(file_), -2);
}

TEST_P(Files, TextIsReadByLines) {
  THFile_writeStringRaw(file_, "one\n\ntwo", 8);
  THFile_seek(file_, 0);
  for (const char* expected : {"one", "", "two"}) {
    char* line = nullptr;
    EXPECT_EQ(THFile_readStringRaw(file_, "*l", &line), std::strlen(expected));
    EXPECT_STREQ(line, expected);
    THFree(line);
  }
  char* line = nullptr;
  EXPECT_NE(error_of([&] { THFile_readStringRaw(file_, "*l", &line); }), "");
  EXPECT_NE(error_of([&] { THFile_readStringRaw(file_, "line", &line); }), "");
}

TEST_P(Files, TellOfErrorsOnlyWhenPedantic) {
  THFile_writeStringRaw(file_, "12 x", 4);
  THFile_seek(file_, 0);
  int ints[3];
  EXPECT_EQ(error_of([&] { THFile_readIntRaw(file_, ints, 3); }),
            "THFile_readIntRaw: read error: read 1 blocks instead of 3");
  EXPECT_EQ(THFile_hasError(file_), 1);
  THFile_clearError(file_);
  THFile_quiet(file_);
  EXPECT_EQ(THFile_isQuiet(file_), 1);
  EXPECT_EQ(THFile_readIntRaw(file_, ints, 1), 0u);
  EXPECT_EQ(THFile_hasError(file_), 1);
  THFile_clearError(file_);
  THFile_binary(file_);
  GetParam() ? THDiskFile_longSize(file_, 4) : THMemoryFile_longSize(file_, 4);
  int64_t too_large[] = {1, int64_t{1} << 40};
  EXPECT_EQ(THFile_writeLongRaw(file_, too_large, 2), 0u);
  EXPECT_EQ(THFile_hasError(file_), 1);
  THFile_pedantic(file_);
  EXPECT_NE(error_of([&] { THFile_writeLongRaw(file_, too_large, 2); }).find("1099511627776"),
            std::string::npos);
  THFile_close(file_);
  EXPECT_EQ(THFile_isOpened(file_), 0);
  EXPECT_NE(error_of([&] { THFile_readIntScalar(file_); }), "");
  EXPECT_NE(error_of([&] { THFile_seek(file_, 0); }), "");
}

INSTANTIATE_TEST_SUITE_P(Kinds, Files, testing::Bool(),
                         [](const auto& info) { return info.param ? "disk" : "memory"; });

TEST(DiskFile, IsOpenedByItsMode) {
  EXPECT_NE(error_of([] { THDiskFile_new("/nowhere/at/all", "r", 0); }).find("/nowhere/at/all"),
            std::string::npos);
  EXPECT_EQ(THDiskFile_new("/nowhere/at/all", "r", 1), nullptr);
  EXPECT_NE(error_of([] { THDiskFile_new("/dev/null", "a", 0); }), "");
  THFile* file = THDiskFile_new("/dev/null", "r", 0);
  EXPECT_STREQ(THDiskFile_name(file), "/dev/null");
  EXPECT_EQ(THFile_isReadable(file) * 10 + THFile_isWritable(file), 10);
  EXPECT_NE(error_of([&] { THFile_writeIntScalar(file, 1); }), "");
  EXPECT_NE(error_of([&] { THMemoryFile_storage(file); }), "");
  THDiskFile_noBuffer(file);
  THFile_free(file);
}

TEST(PipeFile, ReadsWhatACommandSays) {
  THFile* file = THPipeFile_new("echo 3 4", "r", 0);
  EXPECT_EQ(THFile_readIntScalar(file) * 10 + THFile_readIntScalar(file), 34);
  THFile_free(file);
  EXPECT_NE(error_of([] { THPipeFile_new("true", "rw", 0); }), "");
}

TEST(MemoryFile, IsAStorageThatEndsInZero) {
  THFile* file = THMemoryFile_new("w");
  for (int i = 0; i < 100; ++i) THFile_writeIntScalar(file, i);
  THCharStorage* storage = THMemoryFile_storage(file);
  ASSERT_EQ(storage->size, 10 * 2 + 90 * 3 + 1);
  EXPECT_EQ(storage->data[storage->size - 1], 0);
  THFile* again = THMemoryFile_newWithStorage(storage, "r");
  THFile_free(file);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(THFile_readIntScalar(again), i);
  EXPECT_NE(error_of([&] { THFile_readIntScalar(again); }), "");
  THFile_free(again);
  THCharStorage* open = THCharStorage_newWithSize1('x');
  EXPECT_NE(error_of([&] { THMemoryFile_newWithStorage(open, "r"); }), "");
  THCharStorage_free(open);
}

}  // namespace
}  // namespace th

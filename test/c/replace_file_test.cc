// Files that are replaced as a whole.

#include "io/replace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "memory/map_allocator.h"

// Counts the calls of libTH, too.
static int synchronized = 0;
extern "C" int fsync(int fd) {
  ++synchronized;
  return static_cast<int>(syscall(SYS_fsync, fd));
}

namespace th {
namespace {

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
void put(const std::string& name, const std::string& text) {
  std::ofstream(name, std::ios::binary | std::ios::trunc) << text;
}
template <class F>
std::string message_of(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// With temporary files that have no name, and that have one.
class Replacing : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { ASSERT_TRUE(mkdtemp(folder_)); }
  void TearDown() override {
    std::string command = std::string("rm -r ") + folder_;
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  std::string at(const std::string& name) const { return std::string(folder_) + "/" + name; }
  void replace(const std::string& name, const std::string& text) {
    Replacement replacement(name.c_str(), GetParam());
    put(replacement.path(), text);
    replacement.commit();
  }
  // How many files there are.
  int count() const {
    std::string command = std::string("ls -A ") + folder_ + " | wc -l";
    FILE* pipe = popen(command.c_str(), "r");
    int files = -1;
    EXPECT_EQ(std::fscanf(pipe, "%d", &files), 1);
    pclose(pipe);
    return files;
  }
  char folder_[30] = "/tmp/th_replace_XXXXXX";
};

INSTANTIATE_TEST_SUITE_P(UnnamedAndNamed, Replacing, testing::Bool());

struct stat regular() {
  struct stat status = {};
  status.st_mode = S_IFREG | 0644;
  status.st_nlink = 1;
  status.st_ino = 12345;
  return status;
}

// While another process renames a file to the name, stat can find the old file with 0 names. Such a
// file must not be overwritten.
TEST(WayToReplace, IsAskedForAgainIfTheFileHasJustGone) {
  struct stat status = regular();
  EXPECT_EQ(way_to_replace(status, true, true).way, Way::rename);
  status.st_nlink = 0;
  EXPECT_EQ(way_to_replace(status, true, true).way, Way::retry);
  EXPECT_EQ(way_to_replace(status, true, false).way, Way::retry);
  EXPECT_EQ(way_to_replace(status, false, true).way, Way::overwrite);
}

TEST(WayToReplace, IsOverwritingIfARenameChangesMoreThanTheContents) {
  struct stat status = regular();
  status.st_nlink = 2;
  EXPECT_EQ(way_to_replace(status, true, true).way, Way::overwrite);
  status.st_nlink = 1;
  EXPECT_EQ(way_to_replace(status, true, false).way, Way::overwrite);
  EXPECT_EQ(fstat(1, &status), 0);
  status.st_nlink = 1;
  EXPECT_EQ(way_to_replace(status, true, true).way, Way::overwrite);
}

TEST_P(Replacing, WaitsForTheDiskAsRequested) {
  const auto count_syncs = [&](const char* name, Sync sync) {
    const int before = synchronized;
    Replacement replacement(at(name).c_str(), GetParam());
    put(replacement.path(), "text");
    replacement.commit(sync);
    EXPECT_EQ(content(at(name)), "text");
    return synchronized - before;
  };
  EXPECT_EQ(count_syncs("first", Sync::if_replaced), 0);
  EXPECT_EQ(count_syncs("first", Sync::if_replaced), 1);
  EXPECT_EQ(count_syncs("first", Sync::never), 0);
  // The file and its directory.
  EXPECT_EQ(count_syncs("first", Sync::always), 2);
  EXPECT_EQ(count_syncs("second", Sync::always), 2);
}

TEST_P(Replacing, LeavesTheOldContentsUntilCommitAndNoOtherFile) {
  put(at("a"), "old");
  {
    Replacement replacement(at("a").c_str(), GetParam());
    put(replacement.path(), "new");
    EXPECT_EQ(content(at("a")), "old");
  }
  EXPECT_EQ(content(at("a")), "old");
  EXPECT_EQ(count(), 1);
  replace(at("a"), "new");
  replace(at("b"), "another");
  EXPECT_EQ(content(at("a")), "new");
  EXPECT_EQ(content(at("b")), "another");
  EXPECT_EQ(count(), 2);
}

TEST_P(Replacing, KeepsNamesOfAnyLength) {
  std::string longest(NAME_MAX, 'x');
  replace(at(longest), "old");
  {
    Replacement replacement(at(longest).c_str(), GetParam());
    EXPECT_NE(replacement.path(), at(longest));
    put(replacement.path(), "new");
    EXPECT_EQ(content(at(longest)), "old");
    replacement.commit();
  }
  EXPECT_EQ(content(at(longest)), "new");
  EXPECT_EQ(count(), 1);
  EXPECT_NE(message_of([&] { replace(at(longest + "x"), ""); }), "");
}

TEST_P(Replacing, KeepsHardLinks) {
  put(at("a"), "a longer text");
  ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
  replace(at("b"), "short");
  EXPECT_EQ(content(at("a")), "short");
  replace(at("a"), "once more a longer text");
  EXPECT_EQ(content(at("b")), "once more a longer text");
  EXPECT_EQ(count(), 2);
}

TEST_P(Replacing, FollowsLinks) {
  ASSERT_EQ(symlink("b", at("a").c_str()), 0);
  ASSERT_EQ(symlink(at("c").c_str(), at("b").c_str()), 0);
  for (const char* text : {"one", "two"}) {
    replace(at("a"), text);
    EXPECT_EQ(content(at("c")), text);
  }
  EXPECT_EQ(count(), 3);
  ASSERT_EQ(symlink("loop", at("loop").c_str()), 0);
  std::string message = message_of([&] { replace(at("loop"), ""); });
  EXPECT_NE(message.find("loop> in mode w:"), std::string::npos) << message;
}

TEST_P(Replacing, KeepsPermissions) {
  put(at("a"), "old");
  ASSERT_EQ(chmod(at("a").c_str(), 0640), 0);
  mode_t before = umask(027);
  replace(at("a"), "new");
  replace(at("b"), "new");
  umask(before);
  struct stat status;
  ASSERT_EQ(stat(at("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  ASSERT_EQ(stat(at("b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_P(Replacing, RefusesToOverwriteAMappedFile) {
  put(at("a"), "old text");
  ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
  auto* context = THMapAllocatorContext_new(at("a").c_str(), 0);
  auto* mapped = static_cast<char*>(THMapAllocator.malloc(context, 0));
  std::string message = message_of([&] { replace(at("b"), ""); });
  EXPECT_NE(message.find("is mapped by a tensor"), std::string::npos) << message;
  EXPECT_NE(message.find("several names"), std::string::npos) << message;
  EXPECT_EQ(std::string(mapped, 8), "old text");
  EXPECT_EQ(content(at("a")), "old text");
  // With one name the mapped file stays behind the new one.
  ASSERT_EQ(unlink(at("b").c_str()), 0);
  replace(at("a"), "");
  EXPECT_EQ(std::string(mapped, 8), "old text");
  THMapAllocator.free(context, mapped);
  ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
  replace(at("b"), "new");
  EXPECT_EQ(content(at("a")), "new");
}

// On a full disk, the old contents stay, or the error names a file with the new ones.
TEST_P(Replacing, LosesNothingOnAFullDisk) {
  std::string old(5000, 'o'), now(50000, 'n');
  put(at("a"), old);
  ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  std::string message;
  {
    Replacement replacement(at("a").c_str(), GetParam());
    put(replacement.path(), now);
    rlimit less = {20000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    message = message_of([&] { replacement.commit(); });
    setrlimit(RLIMIT_FSIZE, &before);
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  size_t kept = message.find("its new contents are in <");
  if (kept == std::string::npos) {
    EXPECT_EQ(content(at("b")), old);
    EXPECT_EQ(count(), 2);
  } else {
    std::string name = message.substr(message.rfind('<') + 1);
    EXPECT_EQ(content(name.substr(0, name.find('>'))), now);
  }
}

TEST_P(Replacing, WaitsForOtherProcessesThatOverwrite) {
  put(at("a"), "old");
  ASSERT_EQ(link(at("a").c_str(), at("b").c_str()), 0);
  constexpr int kWriters = 3, kRounds = 10;
  const size_t size = 300000;
  for (int w = 0; w < kWriters; ++w) {
    if (fork() != 0) continue;
    std::string message, text(size + w, static_cast<char>('a' + w));
    for (int k = 0; k < kRounds && message.empty(); ++k) {
      message = message_of([&] { replace(at("b"), text); });
    }
    _exit(message.empty() ? 0 : 1);
  }
  for (int w = 0; w < kWriters; ++w) {
    int status = 1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  std::string text = content(at("a"));
  ASSERT_GE(text.size(), size);
  EXPECT_EQ(text, std::string(size + (text[0] - 'a'), text[0]));
  EXPECT_EQ(count(), 2);
}

#ifdef __linux__
// Returns an access control list in the form of the kernel. User 65534 may read.
std::string access_control_list() {
  struct Entry {
    uint16_t tag, permissions;
    uint32_t id;
  };
  constexpr uint32_t kNone = 0xffffffff, kVersion = 2;
  const Entry entries[] = {
      {1, 6, kNone}, {2, 4, 65534}, {4, 0, kNone}, {16, 4, kNone}, {32, 0, kNone}};
  std::string text(reinterpret_cast<const char*>(&kVersion), sizeof(kVersion));
  return text.append(reinterpret_cast<const char*>(entries), sizeof(entries));
}
std::string attribute(const std::string& path, const char* name) {
  char value[1000];
  const ssize_t length = getxattr(path.c_str(), name, value, sizeof(value));
  return length < 0 ? "none" : std::string(value, static_cast<size_t>(length));
}
bool set_attribute(const std::string& path, const char* name, const std::string& value) {
  return setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

TEST_P(Replacing, KeepsAttributes) {
  put(at("a"), "old");
  const std::string list = access_control_list();
  if (!set_attribute(at("a"), "user.note", "text") && errno == ENOTSUP) {
    GTEST_SKIP() << "the file system has no extended attributes";
  }
  replace(at("a"), "new");
  EXPECT_EQ(content(at("a")), "new");
  EXPECT_EQ(attribute(at("a"), "user.note"), "text");
  put(at("b"), "old");
  if (!set_attribute(at("b"), "system.posix_acl_access", list) && errno == ENOTSUP) {
    GTEST_SKIP() << "the file system has no access control lists";
  }
  const std::string before = attribute(at("b"), "system.posix_acl_access");
  replace(at("b"), "new");
  EXPECT_EQ(content(at("b")), "new");
  EXPECT_EQ(attribute(at("b"), "system.posix_acl_access"), before);
  // New files get the list of the directory. A file that is older keeps its permissions.
  put(at("c"), "old");
  ASSERT_TRUE(set_attribute(folder_, "system.posix_acl_default", list));
  replace(at("c"), "new");
  EXPECT_EQ(attribute(at("c"), "system.posix_acl_access"), "none");
  EXPECT_EQ(count(), 3);
}
#endif

}  // namespace
}  // namespace th

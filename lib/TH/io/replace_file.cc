// Files that are replaced as a whole: whoever reads them finds what was there or what is there now.

#include "io/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "memory/error.h"

namespace th {
namespace {

// The file that a name leads to; empty where a link leads nowhere.
std::string resolve(const char* name) {
  struct stat status;
  if (lstat(name, &status) != 0 || !S_ISLNK(status.st_mode)) return name;
  char path[PATH_MAX];
  return realpath(name, path) ? path : "";
}

bool may_replace(const std::string& target) {
  struct stat status;
  if (target.empty()) return false;
  if (stat(target.c_str(), &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && status.st_nlink == 1 && status.st_uid == geteuid() &&
         access(target.c_str(), W_OK) == 0;
}

// With the rights that the process gives to new files.
bool create(const std::string& name) {
  int fd = open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

bool flush_to_disk(const char* name) {
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool flushed = fsync(fd) == 0;
  int failure = errno;
  close(fd);
  errno = failure;
  return flushed;
}

}  // namespace

// Not by fopen: a file that is cut to no bytes, even from none, is put to the disk by ext4 as soon
// as it is closed.
std::FILE* open_anew(const char* name) {
  int fd = open(name, O_WRONLY | O_CREAT, 0666);
  struct stat status;
  if (fd < 0) return nullptr;
  bool done = fstat(fd, &status) == 0 &&
              (!S_ISREG(status.st_mode) || status.st_size == 0 || ftruncate(fd, 0) == 0);
  std::FILE* file = done ? fdopen(fd, "wb") : nullptr;
  if (!file) {
    int failure = errno;
    close(fd);
    errno = failure;
  }
  return file;
}

Replacement begin_replacement(const char* name) {
  static unsigned count = 0;
  Replacement made;
  made.target = resolve(name);
  if (!may_replace(made.target)) return {};
  constexpr int kTries = 100;
  for (int k = 0; k < kTries; ++k) {
    char ending[64];
    std::snprintf(ending, sizeof(ending), ".%ld-%u.tmp", static_cast<long>(getpid()),
                  __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED));
    made.temporary = made.target + ending;
    if (create(made.temporary)) return made;
    if (errno != EEXIST) break;
  }
  return {};
}

void end_replacement(const char* temporary, const char* target) {
  struct stat status;
  bool replaces = stat(target, &status) == 0;
  bool done =
      !replaces || (chmod(temporary, status.st_mode & 07777) == 0 && flush_to_disk(temporary));
  if (!done || std::rename(temporary, target) != 0) {
    fail("cannot replace <%s>: %s", target, std::strerror(errno));
  }
}

}  // namespace th

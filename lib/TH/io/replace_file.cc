// Replaces files as a whole: readers see the old contents or the new ones.

#include "io/replace_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/limits.h>
#include <sys/xattr.h>
#endif

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "memory/heap.h"
#include "memory/map_allocator.h"

namespace th {
namespace {

constexpr mode_t kPermissions = 07777;
constexpr int kTries = 100;

[[noreturn]] void fail_to_open(const std::string& name, int code) {
  fail("cannot open <%s> in mode w: %s", name.c_str(), std::strerror(code));
}
[[noreturn]] void fail_to_replace(const std::string& name, int code) {
  fail("cannot replace <%s>: %s", name.c_str(), std::strerror(code));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Returns the directory with the last slash; empty: the current directory.
std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// Follows symbolic links to the final file, which need not exist.
std::string follow_links(const std::string& name) {
  constexpr int kMostLinks = 40;
  std::string path = name;
  char link[PATH_MAX];
  for (int k = 0; k < kMostLinks; ++k) {
    ssize_t length = readlink(path.c_str(), link, sizeof(link));
    if (length < 0) return path;
    std::string to(link, static_cast<size_t>(length));
    path = to[0] == '/' ? to : directory_of(path) + to;
  }
  fail_to_open(name, ELOOP);
}

std::string random_suffix() {
  static const char kLetters[] = "abcdefghijklmnopqrstuvwxyz012345";
  std::random_device source;
  std::string text = ".";
  for (int k = 0; k < 8; ++k) text += kLetters[source() % 32];
  return text + ".tmp";
}

// Calls make with unused names until it returns true or sets errno to a value other than EEXIST.
// Shortens a name that is too long. Returns the name, or an empty string.
template <class F>
std::string find_name(const std::string& beside, const F& make) {
  std::string start = beside;
  for (int k = 0; k < kTries; ++k) {
    std::string name = start + random_suffix();
    if (make(name)) return name;
    if (errno == ENAMETOOLONG && start == beside) {
      start = directory_of(beside) + "save";
    } else if (errno != EEXIST) {
      break;
    }
  }
  return {};
}

#ifdef __linux__
// Returns the extended attributes of a file by name: its access control list, its security label,
// and those of programs. There are none if the file system does not support them.
std::map<std::string, std::string> attributes_of(const std::string& path) {
  std::map<std::string, std::string> attributes;
  std::vector<char> names(XATTR_LIST_MAX), value(XATTR_SIZE_MAX);
  const ssize_t size = listxattr(path.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < size;) {
    const std::string name = &names[static_cast<size_t>(at)];
    at += static_cast<ssize_t>(name.size()) + 1;
    // The kernel computes two of them from the contents. Others belong to the file system.
    const auto begins = [&](const char* text) { return name.rfind(text, 0) == 0; };
    const bool is_computed = name == "security.ima" || name == "security.evm";
    if (is_computed || !(begins("user.") || begins("security.") || begins("system.posix_acl_"))) {
      continue;
    }
    const ssize_t length = getxattr(path.c_str(), name.c_str(), value.data(), value.size());
    attributes[name].assign(value.data(), length > 0 ? static_cast<size_t>(length) : 0);
  }
  return attributes;
}
// Gives a file the attributes of another one. Returns false if that is not allowed.
bool copy_attributes(const std::string& from, const std::string& to) {
  const auto wanted = attributes_of(from);
  auto own = attributes_of(to);
  for (const auto& [name, value] : wanted) {
    const auto found = own.find(name);
    const bool is_same = found != own.end() && found->second == value;
    if (found != own.end()) own.erase(found);
    if (is_same) continue;
    if (setxattr(to.c_str(), name.c_str(), value.data(), value.size(), 0) != 0) return false;
  }
  for (const auto& other : own) {
    if (removexattr(to.c_str(), other.first.c_str()) != 0) return false;
  }
  return true;
}
#else
bool copy_attributes(const std::string&, const std::string&) { return true; }
#endif

bool is_standard_stream(const struct stat& status) {
  struct stat stream;
  for (int fd = 0; fd <= 2; ++fd) {
    if (fstat(fd, &stream) == 0 && same_file(stream, status)) return true;
  }
  return false;
}

// Waits until no other process overwrites the file. Does nothing on file systems without locks.
void wait_for_lock(int fd) {
  constexpr useconds_t kPause = 5000;
  const void* before = stop_sign();
  while (flock(fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR)) {
    if (stop_sign() != before) fail("interrupted");
    usleep(kPause);
  }
}

// Reserves disk space for the file, so that the disk cannot become full while it is written. Does
// not change the size of the file. Does nothing on file systems that do not support it.
bool reserve(int fd, off_t old_size, off_t size) {
#ifdef FALLOC_FL_KEEP_SIZE
  if (size == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0) return true;
  if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG) return true;
  int failure = errno;
  if (ftruncate(fd, old_size) != 0) {
    // Blocks beyond the end of the file stay reserved.
  }
  errno = failure;
  return false;
#else
  static_cast<void>(fd), static_cast<void>(old_size), static_cast<void>(size);
  return true;
#endif
}

// Copies the first size bytes of one file to another.
bool copy_bytes(int from, int to, off_t size) {
  constexpr size_t kBuffer = size_t{1} << 20;
  auto buffer = std::make_unique<char[]>(kBuffer);
  for (off_t at = 0; at < size;) {
    ssize_t got = pread(from, buffer.get(), kBuffer, at);
    if (got <= 0) {
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;
      return false;
    }
    for (ssize_t done = 0; done < got;) {
      ssize_t put = pwrite(to, buffer.get() + done, static_cast<size_t>(got - done), at + done);
      if (put < 0 && errno != EINTR) return false;
      done += put > 0 ? put : 0;
    }
    at += got;
  }
  return true;
}

}  // namespace

// Does not use fopen: ext4 flushes a truncated file to the disk as soon as it is closed, even if
// its size was 0.
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

WayToReplace way_to_replace(const struct stat& old, bool has_target_path, bool in_directory) {
  // Another process renamed a file to this name while stat looked it up.
  if (old.st_nlink == 0 && has_target_path) return {Way::retry, ""};
  if (old.st_nlink > 1) return {Way::overwrite, "it has several names"};
  if (!has_target_path) return {Way::overwrite, "its name leads to an open file"};
  // Otherwise later output of the process would go to the old file.
  if (is_standard_stream(old)) return {Way::overwrite, "it is a standard stream"};
  if (!in_directory) return {Way::overwrite, "its directory cannot be written"};
  return {Way::rename, ""};
}

// ---- the temporary file -------------------------------------------------------------------------

// Unnamed files are removed by the kernel when the process ends, even if it is killed.
bool Replacement::open_unnamed(const std::string& directory) {
#ifdef O_TMPFILE
  const char* where = directory.empty() ? "." : directory.c_str();
  fd_.reset(open(where, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  if (!fd_.is_open()) return false;
  path_ = "/proc/self/fd/" + std::to_string(fd_.get());
  struct stat own, found;
  if (fstat(fd_.get(), &own) == 0 && stat(path_.c_str(), &found) == 0 && same_file(own, found)) {
    return true;
  }
  fd_.reset();
#else
  static_cast<void>(directory);
#endif
  return false;
}

bool Replacement::open_named() {
  temporary_ = find_name(beside_, [&](const std::string& name) {
    fd_.reset(open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
    return fd_.is_open();
  });
  return fd_.is_open();
}

void Replacement::open_temporary(bool exists, bool unnamed) {
  beside_ = target_;
  if ((unnamed && open_unnamed(directory_of(beside_))) || open_named()) return;
  if (!exists) fail_to_open(name_, errno);
  const char* directory = std::getenv("TMPDIR");
  std::string elsewhere = std::string(directory && *directory ? directory : P_tmpdir) + "/";
  beside_ = elsewhere + target_.substr(directory_of(target_).size());
  in_directory_ = false;
  if ((unnamed && open_unnamed(elsewhere)) || open_named()) return;
  fail("no temporary file for <%s> can be made in its directory or in <%s>: %s", name_.c_str(),
       elsewhere.c_str(), std::strerror(errno));
}

Replacement::Replacement(const char* name, bool unnamed) : name_(name), owner_(getpid()) {
  struct stat status;
  bool exists = stat(name, &status) == 0;
  if (name_.empty() || (!exists && errno != ENOENT)) fail_to_open(name_, errno);
  if (exists && S_ISDIR(status.st_mode)) fail_to_open(name_, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    path_ = name_;
    return;
  }
  if (exists && !Descriptor(open(name, O_WRONLY | O_CLOEXEC)).is_open()) fail_to_open(name_, errno);
  target_ = follow_links(name_);
  open_temporary(exists, unnamed);
  // Other users cannot read the contents before the file has its final permissions.
  new_mode_ = fstat(fd_.get(), &status) == 0 ? status.st_mode & kPermissions : 0600;
  fchmod(fd_.get(), 0600);
}

Replacement::~Replacement() {
  if (!temporary_.empty() && owner_ == getpid()) unlink(temporary_.c_str());
}

// Links the temporary file to a name, from which it can be renamed.
void Replacement::link_temporary() {
  if (!temporary_.empty()) return;
  temporary_ = find_name(beside_, [&](const std::string& name) {
    return linkat(AT_FDCWD, path_.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (temporary_.empty()) fail_to_replace(name_, errno);
}

// ---- replacing the target -----------------------------------------------------------------------

void Replacement::commit(Sync sync) {
  if (!fd_.is_open()) return;
  for (int k = 1; k <= kTries; ++k) {
    struct stat old, found;
    if (stat(name_.c_str(), &old) != 0) {
      if (errno != ENOENT) fail_to_replace(name_, errno);
      if (!in_directory_) {
        fail("<%s> was removed while its new contents were written", name_.c_str());
      }
      rename_over(nullptr, sync);
      return;
    }
    if (!S_ISREG(old.st_mode)) fail("<%s> has become a device or directory", name_.c_str());
    // A name in /proc may lead to a file without a path, or whose path now belongs to another file.
    bool has_path = stat(target_.c_str(), &found) == 0;
    if (has_path && !same_file(old, found)) {
      if (k < kTries) continue;
      has_path = false;
    }
    WayToReplace chosen = way_to_replace(old, has_path, in_directory_);
    // Some file systems report no names for any file. A rename is safe there, too.
    if (chosen.way == Way::retry && k < kTries) continue;
    const char* reason = chosen.way == Way::overwrite ? chosen.reason : rename_over(&old, sync);
    if (!reason || overwrite(reason)) return;
  }
  fail("<%s> is replaced by other processes again and again", name_.c_str());
}

// old: the existing file, or null. Returns null, or the reason why the file must be overwritten.
const char* Replacement::rename_over(const struct stat* old, Sync sync) {
  struct stat made;
  if (fstat(fd_.get(), &made) != 0) fail_to_replace(name_, errno);
  bool same_owner = !old || (old->st_uid == made.st_uid && old->st_gid == made.st_gid);
  if (!same_owner && fchown(fd_.get(), old->st_uid, old->st_gid) != 0) {
    return "it has another owner or group";
  }
  if (fchmod(fd_.get(), old ? old->st_mode & kPermissions : new_mode_) != 0) {
    fail_to_replace(name_, errno);
  }
  // The new file may have inherited an access control list from its directory.
  if (old && !copy_attributes(name_, path())) {
    fchmod(fd_.get(), 0600);
    return "it has extended attributes that cannot be copied";
  }
  // The old contents are dropped only once the new ones are on the disk.
  const bool waits = sync == Sync::always || (sync == Sync::if_replaced && old);
  if (waits && fsync(fd_.get()) != 0) fail_to_replace(name_, errno);
  link_temporary();
  if (std::rename(temporary_.c_str(), target_.c_str()) == 0) {
    temporary_.clear();
    if (sync == Sync::always) synchronize_directory();
    return nullptr;
  }
  // The directory has the sticky bit, or the file is a mount point.
  bool refused = errno == EPERM || errno == EACCES || errno == EBUSY || errno == EXDEV;
  if (!old || !refused) fail_to_replace(name_, errno);
  return "its directory keeps it";
}

// Waits until the name is on the disk, too, if the file system can do that. The file is replaced
// already.
void Replacement::synchronize_directory() {
  const size_t slash = target_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : target_.substr(0, slash + 1);
  Descriptor fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.is_open() && (fsync(fd.get()) == 0 || errno == EINVAL)) return;
  fail("<%s> is written, but its directory may not be on the disk: %s", name_.c_str(),
       std::strerror(errno));
}

// Overwrites the file. Returns false if the name refers to another file meanwhile.
bool Replacement::overwrite(const char* reason) {
  struct stat opened, found;
  // Tensors that have mapped the file may be garbage. Their finalizers may need the lock.
  if (stat(name_.c_str(), &found) == 0 && is_mapped(found.st_dev, found.st_ino)) collect_garbage();
  Descriptor to(open(name_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!to.is_open()) fail_to_replace(name_, errno);
  wait_for_lock(to.get());
  if (fstat(to.get(), &opened) != 0) fail_to_replace(name_, errno);
  if (stat(name_.c_str(), &found) != 0 || !same_file(opened, found)) return false;
  if (is_mapped(opened.st_dev, opened.st_ino)) {
    fail("<%s> is mapped by a tensor and cannot be replaced, since %s; save to another file",
         name_.c_str(), reason);
  }
  copy_into(to.get(), opened.st_size);
  return true;
}

void Replacement::copy_into(int to, off_t old_size) {
  struct stat made;
  if (fstat(fd_.get(), &made) != 0 || !reserve(to, old_size, made.st_size)) {
    fail_to_replace(name_, errno);
  }
  // From here on the new contents have a name and are on the disk, in case the process or the
  // machine stops.
  link_temporary();
  if (fsync(fd_.get()) != 0) fail_to_replace(name_, errno);
  bool copied =
      copy_bytes(fd_.get(), to, made.st_size) && ftruncate(to, made.st_size) == 0 && fsync(to) == 0;
  if (copied) return;
  int failure = errno;
  std::string kept = std::exchange(temporary_, {});
  fail("<%s> is damaged, as it was overwritten only in part: %s; its new contents are in <%s>",
       name_.c_str(), std::strerror(failure), kept.c_str());
}

}  // namespace th

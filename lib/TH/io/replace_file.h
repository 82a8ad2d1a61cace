#ifndef TH_IO_REPLACE_FILE_H
#define TH_IO_REPLACE_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdio>
#include <string>

#include "base/visibility.h"
#include "memory/descriptor.h"

namespace th TH_VISIBLE {

// The files for which commit() waits until they are on the disk. if_replaced: if it replaces
// another one, whose contents would be lost if the machine stopped.
enum class Sync { if_replaced, always, never };

// A file that is written anew without losing its old contents before the new ones are complete.
//
// The new contents go to a temporary file in the directory of the old file, or in TMPDIR if that
// directory cannot be written. commit() then renames the temporary file. It copies the contents
// into the old file instead if a rename would change more than the contents: see Way::overwrite.
class Replacement {
 public:
  // unnamed: the temporary file gets no name before commit, if the file system can do that.
  // Errors: the file cannot be written, or no temporary file can be made.
  explicit Replacement(const char* name, bool unnamed = true);
  // Removes the temporary file.
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  // Returns the name of the file to write: a temporary file, or a device or pipe itself.
  const std::string& path() const { return temporary_.empty() ? path_ : temporary_; }
  // Replaces the old contents. Call it once, after everything is written and closed. If it throws,
  // the old contents are unchanged, unless the message states otherwise. A file that is overwritten
  // is always on the disk.
  void commit(Sync sync = Sync::if_replaced);

 private:
  bool open_unnamed(const std::string& directory);
  bool open_named();
  void open_temporary(bool exists, bool unnamed);
  void link_temporary();
  const char* rename_over(const struct stat* old, Sync sync);
  void synchronize_directory();
  bool overwrite(const char* reason);
  void copy_into(int to, off_t old_size);

  std::string name_;          // the caller's name
  std::string target_;        // the name without symbolic links
  std::string beside_;        // prefix of the temporary file's name
  std::string temporary_;     // the name of the temporary file; empty if unnamed
  std::string path_;          // a path for an unnamed file
  Descriptor fd_;             // the temporary file, if it is open
  bool in_directory_ = true;  // the temporary file is in the directory of the target
  mode_t new_mode_ = 0;       // the permissions of a new file
  pid_t owner_;               // the process that removes the temporary file
};

// How the contents of an existing regular file are replaced.
enum class Way {
  retry,      // another process has just replaced it
  rename,     // the temporary file becomes the file
  overwrite,  // the contents are copied into the file
};
struct WayToReplace {
  Way way;
  const char* reason;  // for overwrite, as part of a message
};
// old: the file. has_target_path: its path without symbolic links is known. in_directory: the
// temporary file is in the same directory.
WayToReplace way_to_replace(const struct stat& old, bool has_target_path, bool in_directory);

// Opens a file for writing and empties it; NULL with errno on failure.
std::FILE* open_anew(const char* name);

}  // namespace TH_VISIBLE

#endif

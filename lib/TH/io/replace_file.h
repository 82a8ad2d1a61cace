#ifndef TH_IO_REPLACE_FILE_H
#define TH_IO_REPLACE_FILE_H

#include <cstdio>
#include <string>

#include "memory/visibility.h"

namespace th TH_VISIBLE {

// A new file beside the one of that name, to be written in its place. Empty names where that has
// to be written itself: it is no regular file, has several names, or may not be made anew.
struct Replacement {
  std::string temporary;
  std::string target;  // of the name, where that is a link
};
Replacement begin_replacement(const char* name);
// What was written becomes the file, all at once, with the rights that it had.
void end_replacement(const char* temporary, const char* target);

// A file to be written from its beginning, without what was in it; NULL with errno where it cannot.
std::FILE* open_anew(const char* name);

}  // namespace TH_VISIBLE

#endif

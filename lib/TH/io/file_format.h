#ifndef TH_IO_FILE_FORMAT_H
#define TH_IO_FILE_FORMAT_H

// File names: the extension, and messages that begin with the name.

#include <cctype>
#include <cstring>
#include <string>

#include "base/error.h"

namespace th {

// Returns the extension of a file name in lower case, without the point, or an empty string.
inline std::string extension_of(const std::string& filename) {
  const size_t point = filename.find_last_of("./\\");
  if (point == std::string::npos || filename[point] != '.') return {};
  std::string extension = filename.substr(point + 1);
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

// Returns f(). An error whose message does not contain the file name gets it in front.
template <class F>
auto with_file_name(const std::string& filename, const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error& error) {
    if (std::strstr(error.what(), filename.c_str())) throw;
    fail("%s: %s", filename.c_str(), error.what());
  }
}

}  // namespace th

#endif

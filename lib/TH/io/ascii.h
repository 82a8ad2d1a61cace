#ifndef TH_IO_ASCII_H
#define TH_IO_ASCII_H

// Classes of ASCII characters, whatever locale the program has set.

namespace th {

inline bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace th

#endif

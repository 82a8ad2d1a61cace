#ifndef TH_TEST_FUZZ_FORMATS_H
#define TH_TEST_FUZZ_FORMATS_H

#include <cstddef>
#include <cstdint>

// Reads the bytes as a file of each format.
void read_formats(const uint8_t* bytes, size_t size);

#endif

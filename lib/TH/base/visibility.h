#ifndef TH_BASE_VISIBILITY_H
#define TH_BASE_VISIBILITY_H

// Exports the C++ functions of libTH that the Lua binding calls. The binding is built together with
// libTH; this is not a public interface.
#define TH_VISIBLE __attribute__((visibility("default")))

#endif

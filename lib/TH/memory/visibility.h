#ifndef TH_MEMORY_VISIBILITY_H
#define TH_MEMORY_VISIBILITY_H

// The Lua bindings, built together with libTH, call its C++ core; these names are exported for
// them, and are no interface for anyone else.
#define TH_VISIBLE __attribute__((visibility("default")))

#endif

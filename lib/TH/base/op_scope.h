#ifndef TH_BASE_OP_SCOPE_H
#define TH_BASE_OP_SCOPE_H

// The operation that a thread executes, and the operations that fell back to the CPU, of all
// threads.

#include <cstdint>
#include <map>
#include <string>

#include "base/op.h"
#include "base/visibility.h"

namespace th TH_VISIBLE {

// The operation that the calling thread executes; null: none. In nested calls it is the outermost
// one. Inline, because each operation opens several scopes.
extern __thread const char* executing_op __attribute__((tls_model("initial-exec")));
inline const char* current_op() noexcept { return executing_op; }

class OpScope {
 public:
  explicit OpScope(const char* name) noexcept : outermost_(!executing_op) {
    if (outermost_) begin(name);
  }
  explicit OpScope(Op op) noexcept : outermost_(!executing_op) {
    if (outermost_) begin(lua_name(op));
  }
  ~OpScope() {
    if (outermost_) executing_op = nullptr;
  }
  OpScope(const OpScope&) = delete;
  OpScope& operator=(const OpScope&) = delete;

 private:
  static void begin(const char* name) noexcept;

  bool outermost_;
};

// Records that the CPU accesses a storage whose device is not the CPU. Counts as one fallback per
// operation.
void note_use_on_host();
// Within the scope of this class such accesses are intended and not counted.
class AllowHostAccess {
 public:
  AllowHostAccess() noexcept;
  ~AllowHostAccess();
  AllowHostAccess(const AllowHostAccess&) = delete;
  AllowHostAccess& operator=(const AllowHostAccess&) = delete;

 private:
  bool noted_before_;
};
// If warn is true, the first fallback of each operation is reported on stderr.
void warn_of_fallbacks(bool warn) noexcept;

// The number of fallbacks, by name of the operation.
std::map<std::string, int64_t> fallbacks();
void reset_fallbacks();

}  // namespace TH_VISIBLE

#endif

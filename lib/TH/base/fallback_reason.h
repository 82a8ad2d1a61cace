#ifndef TH_BASE_FALLBACK_REASON_H
#define TH_BASE_FALLBACK_REASON_H

namespace th {

// Sets the reason that the next warning of a fallback of the calling thread contains. Null: none.
// The text must live until the next call.
void set_fallback_reason(const char* reason) noexcept;

}  // namespace th

#endif

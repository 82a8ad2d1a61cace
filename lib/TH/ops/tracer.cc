#include "ops/tracer.h"

namespace th {

std::atomic<int> active_tracers{0};

namespace {

thread_local TracedCall* innermost = nullptr;
std::atomic<Tracer*> process_tracer{nullptr};

}  // namespace

// The tracers of the calling thread, as a list.
class ThreadTracers {
 public:
  static Tracer*& first() noexcept {
    static thread_local Tracer* tracers = nullptr;
    return tracers;
  }
  static void add(Tracer* tracer) noexcept {
    tracer->first_depth_ = innermost ? innermost->depth_ + 1 : 0;
    tracer->next_ = first();
    first() = tracer;
  }
  static bool remove(Tracer* tracer) noexcept {
    Tracer** place = &first();
    while (*place && *place != tracer) place = &(*place)->next_;
    if (!*place) return false;
    *place = tracer->next_;
    return true;
  }
  // A tracer may remove itself in report().
  template <class F>
  static void each(const F& report) {
    for (Tracer* tracer = first(); tracer;) {
      Tracer* next = tracer->next_;
      report(*tracer);
      tracer = next;
    }
  }
};

void add_tracer(Tracer* tracer) noexcept {
  ThreadTracers::add(tracer);
  ++active_tracers;
}

void remove_tracer(Tracer* tracer) noexcept {
  if (ThreadTracers::remove(tracer)) --active_tracers;
}

void set_process_tracer(Tracer* tracer) noexcept {
  const bool before = process_tracer.exchange(tracer) != nullptr;
  if (before != (tracer != nullptr)) active_tracers += tracer ? 1 : -1;
}

void trace_access_slow(const char* what) noexcept {
  ThreadTracers::each([what](Tracer& tracer) { tracer.accessed(what); });
}

void trace_allocation_slow(Storage* s) noexcept {
  ThreadTracers::each([s](Tracer& tracer) { tracer.allocated(s); });
}

void trace_fallback() noexcept {
  if (innermost) innermost->fell_back_ = true;
}

TracedCall::TracedCall(const OpRow& row, void* arguments) noexcept
    : row_(row), arguments_(arguments), outer_(innermost), depth_(outer_ ? outer_->depth_ + 1 : 0) {
  innermost = this;
  if (Tracer* tracer = process_tracer) tracer->begin(*this);
  ThreadTracers::each([this](Tracer& tracer) { tracer.begin(*this); });
}

void TracedCall::finish() {
  if (Tracer* tracer = process_tracer) tracer->end(*this, false);
  ThreadTracers::each([this](Tracer& tracer) { tracer.end(*this, false); });
  finished_ = true;
}

TracedCall::~TracedCall() {
  if (!finished_) {
    if (Tracer* tracer = process_tracer) tracer->end(*this, true);
    ThreadTracers::each([this](Tracer& tracer) { tracer.end(*this, true); });
  }
  innermost = outer_;
}

}  // namespace th

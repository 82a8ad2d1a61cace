#include "ops/tracer.h"

#include <cstring>
#include <exception>

namespace th {

std::atomic<int> active_tracers{0};

namespace {

thread_local TracedCall* innermost = nullptr;
thread_local Tracer* reporting = nullptr;  // the tracer of the thread that is running
std::atomic<Tracer*> process_tracer{nullptr};

class Reporting {
 public:
  explicit Reporting(Tracer* tracer) noexcept : before_(reporting) { reporting = tracer; }
  ~Reporting() { reporting = before_; }

 private:
  Tracer* before_;
};

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
    tracer->last_depth_ = INT_MAX;
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
  // The tracers that get the reports of the calls that are made now.
  static Tracer* first_to_report() noexcept { return reporting ? reporting->next_ : first(); }
  // A tracer may remove itself in report().
  template <class F>
  static void each(const F& report) {
    for (Tracer* tracer = first_to_report(); tracer;) {
      Tracer* next = tracer->next_;
      Reporting scope(tracer);
      report(*tracer);
      tracer = next;
    }
  }

  static void begin(TracedCall* call) noexcept {
    each([&](Tracer& tracer) {
      if (call->depth_ < tracer.first_depth_ || call->depth_ > tracer.last_depth_) return;
      if (tracer.begin(*call)) {
        call->entered_ = true;
      } else {
        tracer.last_depth_ = call->depth_;
      }
    });
  }
  template <class F>
  static void end(const TracedCall& call, const F& report) noexcept {
    each([&](Tracer& tracer) {
      if (call.depth_ < tracer.first_depth_) {
        tracer.first_depth_ = call.depth_;  // of the calls that follow
      } else if (call.depth_ <= tracer.last_depth_) {
        tracer.last_depth_ = INT_MAX;
        report(tracer);
      }
    });
  }
};

void add_tracer(Tracer* tracer) noexcept {
  ThreadTracers::add(tracer);
  ++active_tracers;
}

void remove_tracer(Tracer* tracer) noexcept {
  if (ThreadTracers::remove(tracer)) --active_tracers;
}

bool has_tracers() noexcept { return ThreadTracers::first() != nullptr; }

void set_process_tracer(Tracer* tracer) noexcept {
  const bool before = process_tracer.exchange(tracer) != nullptr;
  if (before != (tracer != nullptr)) active_tracers += tracer ? 1 : -1;
}

void trace_access_slow(const char* what, const Storage* s) noexcept {
  ThreadTracers::each([what, s](Tracer& tracer) { tracer.accessed(what, s); });
}

void trace_use_slow(Storage* s, ElementUse use) {
  ThreadTracers::each([s, use](Tracer& tracer) { tracer.used(s, use); });
}

void trace_allocation_slow(Storage* s) noexcept {
  ThreadTracers::each([s](Tracer& tracer) { tracer.allocated(s); });
}

void trace_returned(Tensor* number) noexcept {
  ThreadTracers::each([number](Tracer& tracer) { tracer.returned(number); });
}

bool is_followed_slow(const Tensor* const* tensors, size_t count) noexcept {
  bool followed = false;
  ThreadTracers::each([&](const Tracer& tracer) {
    for (size_t k = 0; k < count; ++k) {
      followed = followed || tracer.follows(*tensors[k]);
    }
  });
  return followed;
}

void trace_fallback() noexcept {
  if (innermost) innermost->fell_back_ = true;
}

bool writes(const TracedCall& call, const Parameter& p) noexcept {
  if (p.kind != ParameterKind::inout) return p.is_result();
  for (const Parameter& other : call.row()) {
    const bool is_training =
        other.kind == ParameterKind::flag && std::strcmp(other.name, "training") == 0;
    if (is_training) return argument<bool>(call.arguments(), other);
  }
  return true;
}

TracedCall::TracedCall(const OpRow& row, void* arguments) noexcept
    : row_(row), arguments_(arguments), outer_(innermost), depth_(outer_ ? outer_->depth_ + 1 : 0) {
  innermost = this;
  if (Tracer* tracer = process_tracer) tracer->begin(*this);
  ThreadTracers::begin(this);
}

// Every tracer gets the report, also if one of them throws.
void TracedCall::report_end(bool failed) {
  finished_ = true;
  std::exception_ptr error;
  auto report = [&](Tracer& tracer) {
    try {
      tracer.end(*this, failed || error);
    } catch (...) {
      if (!error) error = std::current_exception();
    }
  };
  if (Tracer* tracer = process_tracer) report(*tracer);
  ThreadTracers::end(*this, report);
  if (error && !failed) std::rethrow_exception(error);
}

void TracedCall::finish() { report_end(false); }

TracedCall::~TracedCall() {
  if (!finished_) report_end(true);
  innermost = outer_;
}

}  // namespace th

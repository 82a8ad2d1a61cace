#include "cpu/fourier_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <mutex>
#include <new>
#include <type_traits>
#include <vector>

#include "backend/fourier_call.h"
#include "cpu/fourier_kernels.h"
#include "memory/heap.h"

namespace th {

namespace {

using Root = std::complex<long double>;

// exp(-2 pi i k / n) for 0 <= k < n, as products of two tables of about sqrt(n) roots.
class Roots {
 public:
  explicit Roots(int64_t n) : n_(n) {
    while ((int64_t{1} << 2 * bits_) < n) ++bits_;
    const int64_t width = int64_t{1} << bits_;
    for (int64_t k = 0; k < width; ++k) fine_.push_back(exact(k));
    for (int64_t k = 0; k < n; k += width) coarse_.push_back(exact(k));
  }
  Root operator[](int64_t k) const {
    const auto low = static_cast<size_t>(k & ((int64_t{1} << bits_) - 1));
    const Root a = coarse_[static_cast<size_t>(k >> bits_)], b = fine_[low];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  Root exact(int64_t k) const {
    constexpr long double turn = 6.283185307179586476925286766559L;
    const long double angle = -turn * static_cast<long double>(k) / static_cast<long double>(n_);
    return {std::cos(angle), std::sin(angle)};
  }
  int64_t n_;
  int bits_ = 0;
  std::vector<Root> fine_, coarse_;
};

// The radices of n in the order of the stages; empty if a prime factor is too large for a stage.
// The first stage of a single transform has short vectors, so its radix is not the largest one.
std::vector<int> radices_of(int64_t n) {
  std::vector<int> radices;
  int twos = 0;
  for (; n % 2 == 0; n /= 2) ++twos;
  for (; twos > 0 && twos % 3 != 0; twos -= 2) {
    if (twos == 1) break;
    radices.push_back(4);
  }
  for (; twos >= 3; twos -= 3) radices.push_back(8);
  if (twos == 1) radices.push_back(2);
  for (int factor = 3; factor <= kLargestRadix; factor += 2) {
    for (; n % factor == 0; n /= factor) radices.push_back(factor);
  }
  if (n > 1) radices.clear();
  return radices;
}

template <class T>
class OwnedPlan {
 public:
  explicit OwnedPlan(int64_t n) {
    plan_.n = n;
    plan_.bytes = 0;
    plan_.stages = 0;
    plan_.convolution = nullptr;
    plan_.chirp = plan_.spectrum = nullptr;
    const std::vector<int> radices = radices_of(n);
    if (n > 1 && radices.empty()) {
      prepare_convolution();
    } else {
      int64_t rest = n;
      for (int radix : radices) {
        rest /= radix;
        plan_.stage[plan_.stages++] = {radix, rest, twiddles(radix, rest), roots(radix)};
      }
    }
    const Roots half(2 * n);
    plan_.half_roots = table(n + 1, [&](int64_t k) { return half[k]; });
  }
  const FourierPlan<T>& plan() const { return plan_; }

 private:
  const T* keep(std::vector<T>&& table) {
    plan_.bytes += static_cast<int64_t>(table.size() * sizeof(T));
    tables_.push_back(std::move(table));
    return tables_.back().data();
  }

  // Adds a table of f(0) ... f(n - 1): real parts, then imaginary parts.
  template <class F>
  const T* table(int64_t n, const F& f) {
    std::vector<T> values(static_cast<size_t>(2 * n));
    for (int64_t k = 0; k < n; ++k) {
      const auto value = f(k);
      values[static_cast<size_t>(k)] = static_cast<T>(value.real());
      values[static_cast<size_t>(n + k)] = static_cast<T>(value.imag());
    }
    return keep(std::move(values));
  }

  const T* roots(int radix) {
    const Roots all(radix);
    return table(radix, [&](int64_t k) { return std::conj(all[k]); });
  }

  const T* twiddles(int radix, int64_t rest) {
    std::vector<T> values(static_cast<size_t>(2 * (radix - 1) * rest));
    const Roots all(radix * rest);
    for (int64_t k = 1; k < radix; ++k) {
      T* row = values.data() + 2 * (k - 1) * rest;
      for (int64_t p = 0; p < rest; ++p) {
        const Root root = all[k * p];
        row[p] = static_cast<T>(root.real());
        row[rest + p] = static_cast<T>(root.imag());
      }
    }
    return keep(std::move(values));
  }

  void prepare_convolution() {
    const int64_t n = plan_.n, m = fast_fourier_size(2 * n - 1);
    inner_ = fourier_plan<T>(m);
    plan_.convolution = inner_.get();
    plan_.bytes += inner_->bytes;
    const Roots all(2 * n);
    std::vector<Root> chirp;
    for (int64_t k = 0, square = 0; k < n; ++k) {
      chirp.push_back(all[square]);
      square = (square + 2 * k + 1) % (2 * n);
    }
    plan_.chirp = table(n, [&](int64_t k) { return chirp[static_cast<size_t>(k)]; });
    std::vector<std::complex<double>> wave(static_cast<size_t>(m)), spectrum(wave.size());
    for (int64_t k = 0; k < n; ++k) {
      const auto value = std::complex<double>(std::conj(chirp[static_cast<size_t>(k)]));
      wave[static_cast<size_t>(k)] = value;
      if (k > 0) wave[static_cast<size_t>(m - k)] = value;
    }
    transform(wave.data(), spectrum.data(), m);
    plan_.spectrum = table(m, [&](int64_t k) { return spectrum[static_cast<size_t>(k)]; });
  }

  // to = the transform of n elements, divided by n.
  static void transform(const std::complex<double>* from, std::complex<double>* to, int64_t n) {
    constexpr int64_t item = sizeof(double);
    FourierCall call;
    call.dtype = DType::Double;
    call.kind = FourierKind::complex;
    call.inverse = false;
    call.scale = 1 / static_cast<double>(n);
    call.n = call.in_count = n;
    call.out_step = call.in_step = 2 * item;
    call.out_part = call.in_part = item;
    const auto plan = fourier_plan<double>(n);
    std::vector<double> work(static_cast<size_t>(fourier_work(*plan, 1)));
    const char* in = reinterpret_cast<const char*>(from);
    char* out = reinterpret_cast<char*>(to);
    fourier_kernels().of_double({plan.get(), &call, 1, &out, &in, work.data()});
  }

  FourierPlan<T> plan_;
  std::shared_ptr<const FourierPlan<T>> inner_;
  std::vector<std::vector<T>> tables_;
};

// The latest plans of one type, the newest first.
template <class T>
class PlanCache {
 public:
  using Plan = std::shared_ptr<const FourierPlan<T>>;

  static PlanCache& instance() {
    // Never destroyed: threads may outlive static objects. clear_plans must not allocate memory.
    alignas(PlanCache) static char memory[sizeof(PlanCache)];
    static auto* const cache = new (memory) PlanCache;
    return *cache;
  }
  Plan find(int64_t n) {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto found = std::find_if(plans_.begin(), plans_.end(),
                                    [n](const Plan& plan) { return plan && plan->n == n; });
    if (found == plans_.end()) return nullptr;
    std::rotate(plans_.begin(), found, found + 1);
    return plans_.front();
  }
  void add(const Plan& added) {
    const std::lock_guard<std::mutex> guard(lock_);
    plans_.back() = added;
    std::rotate(plans_.begin(), plans_.end() - 1, plans_.end());
    int64_t bytes = 0;
    for (Plan& plan : plans_) {
      if (plan) bytes += plan->bytes;
      if (bytes > kMostBytes && plan != added) plan = nullptr;
    }
  }
  // Returns true if there were any plans.
  bool clear() {
    const std::lock_guard<std::mutex> guard(lock_);
    const bool any = plans_.front() != nullptr;
    plans_.fill(nullptr);
    return any;
  }

 private:
  static constexpr int64_t kMostBytes = int64_t{64} << 20;
  std::mutex lock_;
  std::array<Plan, 16> plans_;
};

// Plans in use stay alive.
bool clear_plans() noexcept {
  const bool floats = PlanCache<float>::instance().clear();
  return PlanCache<double>::instance().clear() || floats;
}

}  // namespace

template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(int64_t n) {
  auto& cache = PlanCache<T>::instance();
  if (auto kept = cache.find(n)) return kept;
  recycle_also(clear_plans);
  auto* const made = static_cast<OwnedPlan<T>*>(try_to_allocate([n]() -> void* {
    try {
      return new OwnedPlan<T>(n);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }));
  if (!made) throw std::bad_alloc();
  const std::shared_ptr<const OwnedPlan<T>> owned(made);
  const std::shared_ptr<const FourierPlan<T>> plan(owned, &owned->plan());
  cache.add(plan);
  return plan;
}
template std::shared_ptr<const FourierPlan<float>> fourier_plan<float>(int64_t n);
template std::shared_ptr<const FourierPlan<double>> fourier_plan<double>(int64_t n);

}  // namespace th

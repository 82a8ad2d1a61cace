#include "backend/device_list.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "soft/soft_device.h"
#include "backend/plugin.h"
#include "backend/table_device.h"
#include "memory/error.h"

namespace th {
namespace {

// Devices of one kind, opened when they are first asked for; they live as long as the process.
class Devices {
 public:
  Devices(const DeviceTable* table, const char* prefix, std::string problem)
      : table_(table), prefix_(prefix), problem_(std::move(problem)) {
    int count = 0;
    if (table_ && table_->count(&count) != kDeviceOk) {
      problem_ = table_->message();
      count = 0;
    }
    devices_.resize(static_cast<size_t>(count));
  }

  int count() const { return static_cast<int>(devices_.size()); }
  // Why there are none, if that is known.
  const std::string& problem() const { return problem_; }
  std::string name(int index) const { return prefix_ + (":" + std::to_string(index + 1)); }

  void add_opened(std::vector<Device*>* out) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& device : devices_) {
      if (device) out->push_back(device.get());
    }
  }

  Device* get(int index) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto& device = devices_[static_cast<size_t>(index)];
    if (!device) device = std::make_unique<TableDevice>(*table_, index, name(index));
    return device.get();
  }

 private:
  const DeviceTable* table_;
  const char* prefix_;
  std::string problem_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TableDevice>> devices_;
};

bool soft_is_gpu() {
  const char* text = std::getenv("TENSOR_DEVICE");
  return text && std::strncmp(text, "soft", 4) == 0 && (text[4] == '\0' || text[4] == ':');
}

Devices& soft_devices() {
  static auto* devices = new Devices(soft_device_table(), soft_is_gpu() ? "gpu" : "soft", "");
  return *devices;
}

std::atomic<bool> cuda_is_known{false};
Devices& cuda_devices() {
  static auto* devices = [] {
    std::string problem;
    const DeviceTable* table = load_cuda_plugin(&problem);
    auto* found = new Devices(table, soft_is_gpu() ? "cuda" : "gpu", problem);
    cuda_is_known = true;
    return found;
  }();
  return *devices;
}

Devices& gpu_devices() { return soft_is_gpu() ? soft_devices() : cuda_devices(); }

// The number after "gpu" or "gpu:"; 0: it is none.
int number_after(const char* rest) {
  if (*rest == '\0') return 1;
  if (*rest != ':' || rest[1] < '1' || rest[1] > '9') return 0;
  char* end = nullptr;
  long number = std::strtol(rest + 1, &end, 10);
  return *end == '\0' && number <= 0xffff ? static_cast<int>(number) : 0;
}

std::string names_of_all() {
  std::string names = "cpu";
  for (Devices* devices : {&cuda_devices(), &soft_devices()}) {
    for (int k = 0; k < devices->count(); ++k) names += ", " + devices->name(k);
  }
  return names;
}

std::atomic<Device*> chosen_default{nullptr};

}  // namespace

Device* find_device(const char* name) {
  struct Kind {
    const char* prefix;
    Devices& (*devices)();
  };
  static constexpr Kind kinds[] = {
      {"gpu", gpu_devices}, {"cuda", cuda_devices}, {"soft", soft_devices}};
  if (std::strcmp(name, "cpu") == 0) return nullptr;
  for (const Kind& kind : kinds) {
    size_t length = std::strlen(kind.prefix);
    if (std::strncmp(name, kind.prefix, length) != 0) continue;
    int number = number_after(name + length);
    if (number == 0) continue;
    Devices& devices = kind.devices();
    if (number <= devices.count()) return devices.get(number - 1);
    const std::string& problem = devices.problem();
    fail("no device '%s'%s%s; there are: %s", name, problem.empty() ? "" : ": ", problem.c_str(),
         names_of_all().c_str());
  }
  fail(
      "no device '%.60s': expected cpu, gpu, cuda or soft, with or without a number from 1 as in "
      "gpu:1; there are: %s",
      name, names_of_all().c_str());
}

std::vector<Device*> all_devices() {
  std::vector<Device*> all;
  auto add = [&](Devices& devices) {
    for (int k = 0; k < devices.count(); ++k) all.push_back(devices.get(k));
  };
  add(gpu_devices());
  add(soft_is_gpu() ? cuda_devices() : soft_devices());
  return all;
}

std::vector<Device*> opened_devices() {
  std::vector<Device*> opened;
  if (cuda_is_known) cuda_devices().add_opened(&opened);
  soft_devices().add_opened(&opened);
  return opened;
}

// ---- of memory/device.h

Device* default_device() noexcept {
  if (Device* chosen = chosen_default.load()) return chosen;
  try {
    Devices& gpus = gpu_devices();
    return gpus.count() ? gpus.get(0) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void set_default_device(Device* device) noexcept { chosen_default.store(device); }

}  // namespace th

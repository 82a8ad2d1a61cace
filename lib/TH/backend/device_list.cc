#include "backend/device_list.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "backend/plugin.h"
#include "backend/table_device.h"
#include "base/error.h"
#include "memory/heap.h"

namespace th {
namespace {

// The devices of one kind. They live as long as the process.
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

  int dlpack_type() const { return table_ ? table_->dlpack_type : 0; }
  int count() const { return static_cast<int>(devices_.size()); }
  // The reason why there are no devices, or an empty text.
  const std::string& problem() const { return problem_; }
  std::string name(int index) const { return prefix_ + (":" + std::to_string(index + 1)); }

  void add_opened(std::vector<Device*>* out) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& device : devices_) {
      if (device && device->is_open()) out->push_back(device.get());
    }
  }

  // The device need not be open.
  TableDevice* get(int index) {
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

// Returns the plugin of the process's gpu: TENSOR_DEVICE=kind or kind:n selects it.
const DevicePlugin& gpu_plugin() {
  const char* text = std::getenv("TENSOR_DEVICE");
  for (const DevicePlugin& plugin : kDevicePlugins) {
    size_t length = std::strlen(plugin.kind);
    if (text && std::strncmp(text, plugin.kind, length) == 0 &&
        (text[length] == '\0' || text[length] == ':')) {
      return plugin;
    }
  }
  return kDevicePlugins[0];
}

// The devices of each plugin. Plugins are loaded at the first request.
class Kinds {
 public:
  Devices& operator[](const DevicePlugin& plugin) {
    Kind& kind = kinds_[&plugin - kDevicePlugins];
    if (Devices* devices = kind.devices.load()) return *devices;
    // std::call_once would pass exceptions through the C library, which ends the process if memory
    // has run out. Finalizers may need the lock.
    DeferGC defer_gc;
    std::lock_guard<std::mutex> lock(kind.mutex);
    if (!kind.devices.load()) {
      std::string problem;
      const DeviceTable* table = load_plugin(plugin, &problem);
      kind.devices = new Devices(table, &plugin == &gpu_ ? "gpu" : plugin.kind, problem);
    }
    return *kind.devices.load();
  }
  // Null: not loaded yet.
  Devices* loaded(const DevicePlugin& plugin) {
    return kinds_[&plugin - kDevicePlugins].devices.load();
  }
  const DevicePlugin& gpu() const { return gpu_; }

 private:
  struct Kind {
    std::mutex mutex;
    std::atomic<Devices*> devices{nullptr};
  };
  const DevicePlugin& gpu_ = gpu_plugin();
  Kind kinds_[kDevicePluginCount];
};

// Never destroyed.
Kinds& kinds() {
  static auto* all = new Kinds;
  return *all;
}

// Calls f(Devices&) for each kind, first for the kind that "gpu" means.
template <class F>
void for_each_kind(const F& f) {
  f(kinds()[kinds().gpu()]);
  for (const DevicePlugin& plugin : kDevicePlugins) {
    if (&plugin != &kinds().gpu()) f(kinds()[plugin]);
  }
}

// Returns the number after the kind's name in "gpu" or "gpu:2"; 0: the name is of another kind.
int number_after(const char* kind, const char* name) {
  size_t length = std::strlen(kind);
  if (std::strncmp(name, kind, length) != 0) return 0;
  const char* rest = name + length;
  if (*rest == '\0') return 1;
  if (*rest != ':' || rest[1] < '1' || rest[1] > '9') return 0;
  char* end = nullptr;
  long number = std::strtol(rest + 1, &end, 10);
  return *end == '\0' && number <= 0xffff ? static_cast<int>(number) : 0;
}

std::string names_of_all() {
  std::string names = "cpu";
  for_each_kind([&](Devices& devices) {
    for (int k = 0; k < devices.count(); ++k) names += ", " + devices.name(k);
  });
  return names;
}

Device* device_of(const char* name, const DevicePlugin& plugin, int number) {
  Devices& devices = kinds()[plugin];
  if (number <= devices.count()) {
    TableDevice* device = devices.get(number - 1);
    device->open();
    return device;
  }
  const std::string& problem = devices.problem();
  fail("no device '%s'%s%s; there are: %s", name, problem.empty() ? "" : ": ", problem.c_str(),
       names_of_all().c_str());
}

std::atomic<Device*> chosen_default{nullptr};

}  // namespace

Device* find_device(const char* name) {
  if (std::strcmp(name, "cpu") == 0) return nullptr;
  if (int number = number_after("gpu", name)) return device_of(name, kinds().gpu(), number);
  std::string expected = "cpu, gpu";
  for (const DevicePlugin& plugin : kDevicePlugins) {
    if (int number = number_after(plugin.kind, name)) return device_of(name, plugin, number);
    expected += (&plugin == kDevicePlugins + kDevicePluginCount - 1 ? " or " : ", ");
    expected += plugin.kind;
  }
  fail("no device '%.60s': expected %s, with or without a number from 1 as in gpu:1; there are: %s",
       name, expected.c_str(), names_of_all().c_str());
}

std::vector<Device*> all_devices() {
  std::vector<Device*> all;
  for_each_kind([&](Devices& devices) {
    for (int k = 0; k < devices.count(); ++k) all.push_back(devices.get(k));
  });
  return all;
}

std::vector<MissingDevices> missing_devices() {
  std::vector<MissingDevices> missing;
  for (const DevicePlugin& plugin : kDevicePlugins) {
    Devices& devices = kinds()[plugin];
    if (devices.count() == 0) missing.push_back({plugin.kind, devices.problem()});
  }
  return missing;
}

std::vector<Device*> opened_devices() {
  std::vector<Device*> opened;
  for (const DevicePlugin& plugin : kDevicePlugins) {
    if (Devices* devices = kinds().loaded(plugin)) devices->add_opened(&opened);
  }
  return opened;
}

// ---- of memory/device.h

Device* default_device() noexcept {
  if (Device* chosen = chosen_default.load()) return chosen;
  try {
    Devices& gpus = kinds()[kinds().gpu()];
    return gpus.count() ? gpus.get(0) : nullptr;
  } catch (...) {
    return nullptr;
  }
}

Device* find_dlpack_device(int type, int index) {
  TableDevice* found = nullptr;
  for_each_kind([&](Devices& devices) {
    if (devices.dlpack_type() != type) return;
    if (index >= 0 && index < devices.count()) found = devices.get(index);
  });
  if (found) found->open();
  return found;
}

void set_default_device(Device* device) noexcept { chosen_default.store(device); }

}  // namespace th

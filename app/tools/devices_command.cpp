// SPDX-License-Identifier: MIT
#include "app/tools/devices_command.h"

#include <fmt/format.h>

#include <ostream>

#include "app/figures.h"
#include "app/models/inference.h"
#include "base/json.h"
#include "engine/run/device/device_choice.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;
using kernels::vulkan::GpuInfo;

constexpr const char* kNoVulkan =
    "No graphics processor with Vulkan: it takes the Vulkan loader (Debian: libvulkan1) and its "
    "maker's driver, or Mesa's (mesa-vulkan-drivers).\n";

const char* type_text(GpuInfo::Type type) {
  switch (type) {
    case GpuInfo::Type::integrated:
      return "integrated";
    case GpuInfo::Type::discrete:
      return "discrete";
    case GpuInfo::Type::virtual_gpu:
      return "virtual";
    case GpuInfo::Type::processor:
      return "the processor, playing the part";
    case GpuInfo::Type::other:
      break;
  }
  return "of another kind";
}

std::string option_of(const GpuInfo& gpu) {
  return engine::device_text({engine::DeviceChoice::Kind::vulkan, gpu.index});
}

std::string described(const GpuInfo& gpu) {
  std::string text =
      fmt::format("{}  {}, {}\n", option_of(gpu), ui::one_line(gpu.name), type_text(gpu.type));
  text += fmt::format("  driver  {}\n", ui::one_line(gpu.driver));
  text += fmt::format("  memory  {}{}, {} of it free\n", size_text(gpu.memory_bytes),
                      gpu.shares_memory ? " shared with the processor" : "",
                      size_text(gpu.available_bytes));
  if (gpu.matrix_cores) text += "  matrix cores\n";
  if (!gpu.lacks.empty()) text += fmt::format("  cannot be used: {}\n", gpu.lacks);
  return text;
}

}  // namespace

std::string devices_text(const std::vector<GpuInfo>& gpus, const std::string& processor) {
  std::string text;
  for (const GpuInfo& gpu : gpus) text += described(gpu);
  text += fmt::format("cpu  {}\n", processor);
  return gpus.empty() ? text + kNoVulkan : text;
}

std::string devices_json(const std::vector<GpuInfo>& gpus, const std::string& processor) {
  Json list = Json::array();
  for (const GpuInfo& gpu : gpus) {
    Json one{{"device", option_of(gpu)},
             {"name", gpu.name},
             {"driver", gpu.driver},
             {"type", type_text(gpu.type)},
             {"memory_bytes", gpu.memory_bytes},
             {"available_bytes", gpu.available_bytes},
             {"shares_memory", gpu.shares_memory},
             {"matrix_cores", gpu.matrix_cores},
             {"usable", gpu.lacks.empty()}};
    if (!gpu.lacks.empty()) one["lacks"] = gpu.lacks;
    list.push_back(std::move(one));
  }
  list.push_back(Json{{"device", "cpu"}, {"name", processor}, {"usable", true}});
  return list.dump(2) + '\n';
}

int run_devices(const DevicesQuery& query, std::ostream& out) {
  const std::vector<GpuInfo> gpus = kernels::vulkan::list_gpus();
  const std::string processor =
      fmt::format("the processor, {}, {}", counted(kernels::usable_cores(), "thread"),
                  kernels::name(chosen_kernel_table().isa));
  out << (query.json ? devices_json(gpus, processor) : devices_text(gpus, processor));
  return 0;
}

}  // namespace confab::app

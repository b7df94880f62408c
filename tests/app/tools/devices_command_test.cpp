// SPDX-License-Identifier: MIT
#include "app/tools/devices_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/cli.h"
#include "app/error.h"

namespace confab::app {
namespace {

using kernels::vulkan::GpuInfo;
using testing::HasSubstr;
using testing::Not;

std::vector<GpuInfo> two_devices() {
  GpuInfo fast;
  fast.name = "Radeon\n7";
  fast.driver = "radv Mesa 25";
  fast.type = GpuInfo::Type::discrete;
  fast.memory_bytes = std::uint64_t{16} << 30;
  fast.available_bytes = std::uint64_t{15} << 30;
  fast.matrix_cores = true;
  GpuInfo old;
  old.index = 1;
  old.name = "Old";
  old.type = GpuInfo::Type::integrated;
  old.shares_memory = true;
  old.lacks = "its driver is older than Vulkan 1.2";
  return {fast, old};
}

TEST(DevicesCommandTest, TellsWhatOptionsNameAndWhatIsLacking) {
  const std::string text = devices_text(two_devices(), "the processor, 4 threads");
  EXPECT_THAT(text, HasSubstr("vulkan  Radeon 7, discrete\n"));
  EXPECT_THAT(text, HasSubstr("16.0 GiB, 15.0 GiB of it free"));
  EXPECT_THAT(text, HasSubstr("matrix cores"));
  EXPECT_THAT(text, HasSubstr("vulkan:1  Old, integrated\n"));
  EXPECT_THAT(text, HasSubstr("cannot be used: its driver is older than Vulkan 1.2\n"));
  EXPECT_THAT(text, HasSubstr("cpu  the processor, 4 threads\n"));
  EXPECT_THAT(text, Not(HasSubstr("libvulkan1")));
}

TEST(DevicesCommandTest, WithoutVulkanSaysWhatToInstall) {
  const std::string text = devices_text({}, "the processor, 4 threads");
  EXPECT_THAT(text, HasSubstr("cpu  the processor, 4 threads\n"));
  EXPECT_THAT(text, HasSubstr("libvulkan1"));
}

TEST(DevicesCommandTest, JsonHasAllOfThem) {
  const auto json = nlohmann::json::parse(devices_json(two_devices(), "here"));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["device"], "vulkan");
  EXPECT_EQ(json[0]["memory_bytes"], std::uint64_t{16} << 30);
  EXPECT_EQ(json[0]["usable"], true);
  EXPECT_EQ(json[1]["device"], "vulkan:1");
  EXPECT_EQ(json[1]["usable"], false);
  EXPECT_EQ(json[1]["lacks"], "its driver is older than Vulkan 1.2");
  EXPECT_EQ(json[2]["device"], "cpu");
}

TEST(DevicesCommandTest, ListsThoseOfThisMachine) {
  std::ostringstream out;
  const auto query = std::get<DevicesQuery>(parse_command_line({"devices", "--json"}, {}));
  EXPECT_EQ(run_devices(query, out), 0);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json.size(), kernels::vulkan::list_gpus().size() + 1);
  EXPECT_EQ(json.back()["device"], "cpu");
  EXPECT_THROW(parse_command_line({"devices", "all"}, {}), UsageError);
}

}  // namespace
}  // namespace confab::app

// SPDX-License-Identifier: MIT
// Every unit has a test of its own name in the mirrored place.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// Units whose tests stand elsewhere, each with the reason. At most a tenth of all units.
const std::set<std::string> kTestedElsewhere{
    "app/main.cpp",  // run by tests/app/{once,plain_chat,screen_chat}_test.cpp
    // Every other test of kernels/vulkan and engine/gpu stands on these.
    "kernels/vulkan/api.cpp",
    "kernels/vulkan/none.cpp",     // where all of those are left out
    "engine/gpu/gpu_buffers.cpp",  // as these are parts of the pass: gpu_decoder_test.cpp
    "engine/gpu/feed_forward_recorder.cpp",
    "engine/gpu/few_products_recorder.cpp",  // and few_by_cores_test.cpp
    "engine/gpu/gpu_forward.cpp",
    // self_test_test.cpp, and tests/faults/programs_test.cpp program by program
    "engine/gpu/self_test/layer_cases.cpp",
    "engine/gpu/self_test/mixture_cases.cpp",
};

bool is_instruction_set_folder(const fs::path& unit) {
  const std::string parent = unit.parent_path().filename().string();
  return parent == "scalar" || parent == "avx2" || parent == "avx512" || parent == "neon";
}

TEST(MirrorTest, EveryUnitHasItsTest) {
  const fs::path root = CONFAB_SOURCE_DIR;
  std::vector<std::string> without;
  std::size_t n_units = 0;
  for (const std::string folder : {"base", "kernels", "engine", "sessions", "ui", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const fs::path unit = fs::relative(entry.path(), root);
      const std::string stem = unit.stem().string();
      // One parametrised test an operation runs on all instruction sets.
      if (is_instruction_set_folder(unit) || stem.ends_with("_data")) continue;
      ++n_units;
      const fs::path test = root / "tests" / unit.parent_path() / (stem + "_test.cpp");
      if (!fs::exists(test) && kTestedElsewhere.count(unit.string()) == 0)
        without.push_back(unit.string());
    }
  }
  EXPECT_GT(n_units, 0U);
  EXPECT_LE(kTestedElsewhere.size() * 10, n_units);
  for (const std::string& unit : without) ADD_FAILURE() << unit << " has no test";
}

}  // namespace

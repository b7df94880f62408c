// SPDX-License-Identifier: MIT
// No unit goes untested: a test of its name stands in the mirrored folder, or a test below the same
// top folder includes its header, since tests mirror subjects, and a subject may be several units.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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
    "engine/gpu/gpu_buffers.cpp",  // part of the pass: gpu_decoder_test.cpp
};

bool is_instruction_set_folder(const fs::path& unit) {
  const std::string parent = unit.parent_path().filename().string();
  return parent == "scalar" || parent == "avx2" || parent == "avx512" || parent == "neon";
}

// What the tests below a folder include, without the ending.
std::set<std::string> included_by_tests(const fs::path& folder) {
  std::set<std::string> units;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("#include \"") && line.ends_with(".h\""))
        units.insert(line.substr(10, line.size() - 13));
  }
  return units;
}

TEST(MirrorTest, NoUnitGoesUntested) {
  const fs::path root = CONFAB_SOURCE_DIR;
  std::vector<std::string> without;
  std::size_t n_units = 0;
  for (const std::string folder : {"base", "kernels", "engine", "sessions", "ui", "app"}) {
    const std::set<std::string> included = included_by_tests(root / "tests" / folder);
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const fs::path unit = fs::relative(entry.path(), root);
      const fs::path stem = unit.parent_path() / unit.stem();
      // One parametrised test an operation runs on all instruction sets.
      if (is_instruction_set_folder(unit) || stem.string().ends_with("_data")) continue;
      ++n_units;
      if (!fs::exists(root / "tests" / (stem.string() + "_test.cpp")) &&
          !included.contains(stem.string()) && !kTestedElsewhere.contains(unit.string()))
        without.push_back(unit.string());
    }
  }
  EXPECT_GT(n_units, 0U);
  EXPECT_LE(kTestedElsewhere.size() * 10, n_units);
  for (const std::string& unit : without) ADD_FAILURE() << unit << " has no test";
}

}  // namespace

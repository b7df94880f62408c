// SPDX-License-Identifier: MIT
#include "engine/model/arch/architecture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "engine/gguf/gguf.h"
#include "engine/gguf/key_reader.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/golden.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ArchitectureTest, IsFoundByName) {
  EXPECT_EQ(find_architecture("llama"), &kLlama);
  EXPECT_EQ(find_architecture("qwen2"), &kQwen2);
  EXPECT_EQ(find_architecture("LLAMA"), nullptr);
  EXPECT_EQ(find_architecture(""), nullptr);
  EXPECT_THAT(
      known_architectures(),
      testing::HasSubstr("gemma3, gemma4, glm4, glm4moe, gpt-oss, granite, granitemoe, llama"));
}

// What the files here define, by the line `.name = "..."`.
std::set<std::string> defined_architectures() {
  std::set<std::string> names;
  const std::regex definition(R"~(\n    \.name = "([^"]+)")~");
  for (const auto& file :
       std::filesystem::directory_iterator(CONFAB_SOURCE_DIR "/engine/model/arch")) {
    const std::string text = read_text(file.path());
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it)
      names.insert((*it)[1]);
  }
  return names;
}

TEST(ArchitectureTest, TheRegistryHasEveryFile) {
  const std::set<std::string> names = defined_architectures();
  EXPECT_GE(names.size(), 21U);
  for (const std::string& name : names) EXPECT_NE(find_architecture(name), nullptr) << name;
  EXPECT_EQ(std::ranges::count(known_architectures(), ',') + 1,
            static_cast<std::ptrdiff_t>(names.size()));
}

TEST(ArchitectureTest, RefusesExperts) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.gguf";
  tiny_model().add("llama.expert_count", std::uint32_t{0}).write(path);
  EXPECT_EQ(error_of([&] {
              const Gguf gguf(path);
              refuse_experts(KeyReader(gguf, "llama"));
            }),
            "");
  tiny_model().add("llama.expert_count", std::uint32_t{8}).write(path);
  EXPECT_EQ(
      error_of([&] {
        const Gguf gguf(path);
        refuse_experts(KeyReader(gguf, "llama"));
      }),
      path + ": key llama.expert_count is 8, but this version cannot run mixtures of experts");
}

}  // namespace
}  // namespace confab::engine

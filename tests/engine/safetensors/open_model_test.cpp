// SPDX-License-Identifier: MIT
#include "engine/safetensors/open_model.h"

#include <gtest/gtest.h>

#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/tiny_folder.h"

namespace confab::engine {
namespace {

TEST(OpenModelTest, OpensFilesAndFolders) {
  const Twin twin{.of = "Qwen2ForCausalLM", .architecture = "qwen2", .biases = true};
  const TempDir dir;
  const std::string file = (dir / "twin.gguf").string(), folder = dir.path().string();
  twin_file(twin).write(file);
  EXPECT_FALSE(is_model_folder(folder));
  write_tiny_folder(dir, Gguf(file), twin);
  EXPECT_TRUE(is_model_folder(folder));
  EXPECT_FALSE(is_model_folder(file));
  const std::size_t n_tensors = Gguf(file).tensors().size();
  for (const std::string& path : {file, folder, folder + "/model.safetensors"})
    EXPECT_EQ(open_model(path).tensors().size(), n_tensors) << path;
}

TEST(OpenModelTest, AFolderOfSomethingElseIsNoModel) {
  const TempDir dir;
  EXPECT_EQ(error_of([&] { open_model(dir.path().string()); }),
            dir.path().string() + ": is a directory, expected a regular file");
}

}  // namespace
}  // namespace confab::engine

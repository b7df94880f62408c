// SPDX-License-Identifier: MIT
#include "app/tools/models_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/models/inference.h"
#include "app/models/read_speed.h"
#include "tests/app/home_dir.h"
#include "tests/app/program.h"
#include "tests/engine/safetensors/packed_folder.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

ModelsOptions of_model(const std::string& path) {
  ModelsOptions options;
  options.model.path = path;
  return options;
}

// The home has a measurement, as after the first time.
class ModelsCommandTest : public testing::Test {
 protected:
  ModelsCommandTest() {
    const ReadSpeedKey key{kernels::usable_cores(), kernels::name(chosen_kernel_table().isa)};
    keep_read_gbs(read_speed_file(), key, 20);
  }
  int run(const ModelsOptions& options) { return run_models(options, ui::Cols{0}, out_, err_); }

  HomeDir home_;
  std::ostringstream out_, err_;
};

TEST_F(ModelsCommandTest, ListsWhatIsHereAndMarksTheDefault) {
  engine::tiny_model().write(home_.file(".local/share/confab/models/own.gguf", ""));
  EXPECT_EQ(run(of_model("own.gguf")), 0);
  EXPECT_THAT(out_.str(), ContainsRegex("\\* own.gguf +llama +0M +F32 +[0-9.]+ KiB +512 +yes +"
                                        "[0-9]+ +folder +~/.local/share/confab/models"));
  EXPECT_THAT(out_.str(), ContainsRegex("  confab-demo.gguf .* 46M .* bundled "));
  EXPECT_THAT(err_.str(), HasSubstr("confab -m NAME"));
  EXPECT_THAT(err_.str(), HasSubstr("at 20.0 GB/s"));
}

TEST_F(ModelsCommandTest, AMissingDefaultIsToldAndTheRestListed) {
  EXPECT_EQ(run(of_model("nowhere.gguf")), 0);
  EXPECT_THAT(err_.str(), HasSubstr("nowhere.gguf"));
  EXPECT_THAT(out_.str(), HasSubstr("  confab-demo.gguf"));
}

TEST_F(ModelsCommandTest, BrokenFilesAreListedWithTheirFault) {
  home_.file(".local/share/confab/models/broken.gguf", "GGUX");
  home_.file(".local/share/confab/models/m-00001-of-00002.gguf", "GGUF");
  EXPECT_EQ(run({}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("  broken.gguf"));
  EXPECT_THAT(err_.str(), ContainsRegex("broken.gguf cannot be run: .*broken.gguf: "));
  EXPECT_THAT(err_.str(), HasSubstr("m-00002-of-00002.gguf is not there"));
}

TEST_F(ModelsCommandTest, OtherRevisionsAreListedWhenAskedFor) {
  home_.file(".cache/huggingface/hub/models--o--r/snapshots/0123456789/x.gguf", "GGUF");
  ModelsOptions options;
  options.json = true;
  run(options);
  EXPECT_THAT(out_.str(), Not(HasSubstr("o/r@")));
  options.all_revisions = true;
  run(options);
  EXPECT_THAT(out_.str(), HasSubstr("\"name\": \"o/r@01234567/x.gguf\""));
}

// A folder for MLX where LM Studio has them.
void write_mlx(const std::filesystem::path& folder) {
  const engine::Twin twin{.of = "Qwen3ForCausalLM", .architecture = "qwen3", .head_norms = true};
  const TempDir files, made;
  engine::twin_file(twin).write((made / "twin.gguf").string());
  engine::write_packed_folder(files, (made / "twin.gguf").string(), twin, {.name = "mlx"});
  std::filesystem::create_directories(folder.parent_path());
  std::filesystem::copy(files.path(), folder);
}

TEST_F(ModelsCommandTest, FoldersOfSafetensorsAreListedAsModels) {
  write_mlx(home_ / ".lmstudio/models/mlx/tiny-4bit");
  home_.file(".lmstudio/models/mlx/other/config.json",
             R"({"architectures": ["MambaForCausalLM"]})");
  home_.file(".lmstudio/models/mlx/other/model.safetensors", "");
  EXPECT_EQ(run({}), 0);
  EXPECT_THAT(out_.str(),
              ContainsRegex("  mlx/tiny-4bit +qwen3 +0M +MLX4 +[0-9.]+ KiB +512 +yes +[0-9]+ +LM "
                            "Studio +~/.lmstudio/models/mlx/tiny-4bit"));
  EXPECT_THAT(out_.str(), ContainsRegex("  mlx/other .* cannot run "));
  EXPECT_THAT(err_.str(),
              ContainsRegex("mlx/other cannot be run: .*MambaForCausalLM cannot be run"));
}

TEST(ModelsCommandRunTest, AFolderIsRunByAPartOfItsName) {
  const TempDir home;
  write_mlx(home / ".lmstudio/models/mlx/tiny-4bit");
  const RunResult answer =
      run_program(home, {"-m", "Tiny-4bit", "-p", "Hi", "-n", "3", "--ignore-eos", "--incognito"});
  EXPECT_EQ(answer.status, 6) << answer.err;  // cut short
  const std::string out = (home / "small.gguf").string();
  const RunResult made =
      run_program(home, {"quantize", "~/.lmstudio/models/mlx/tiny-4bit", out, "Q8_0"});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(
      run_program(home, {"-m", out, "-p", "Hi", "-n", "3", "--ignore-eos", "--incognito"}).status,
      6);
}

TEST(ModelsCommandRunTest, TheDefaultIsThatOfTheConfiguration) {
  const TempDir home;
  home.file(".local/share/confab/models/own.gguf", "GGUF");
  home.file(".config/confab/config.toml", "model = \"own.gguf\"\n");
  const RunResult result = run_program(home, {"models"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("\n* own.gguf"));
}

}  // namespace
}  // namespace confab::app

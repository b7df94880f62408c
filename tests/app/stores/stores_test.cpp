// SPDX-License-Identifier: MIT
#include "app/stores/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/paths.h"
#include "tests/app/stores/fake_home.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> names(const std::vector<FoundModel>& models) {
  std::vector<std::string> out;
  for (const FoundModel& model : models) out.push_back(model.name);
  return out;
}

const FoundModel& the(const FoundFiles& files, const std::string& name) {
  const auto found = std::ranges::find(files.models, name, &FoundModel::name);
  if (found == files.models.end()) throw std::runtime_error("not found: " + name);
  return *found;
}

constexpr const char* kLibrary = "registry.ollama.ai/library/";
constexpr const char* kOllama = "home/.ollama/models";

void fill_hub(const FakeHome& home) {
  const std::string hub = ".cache/huggingface/hub/", qwen = hub + "models--org--qwen";
  home.hub_file(qwen, kCommit, "qwen-Q4_K_M.gguf");
  home.hub_file(qwen, kCommit, "mmproj-F16.gguf");
  home.hub_file(qwen, kCommit, "mtp-qwen-Q8_0.gguf");
  home.hub_file(qwen, kCommit, "imatrix.gguf");
  home.hub_file(qwen, kOldCommit, "qwen-Q4_K_M.gguf");
  home.text(qwen + "/refs/main", kCommit);
  home.model(qwen + "/blobs/77.incomplete");
  const std::string big = hub + "models--org--big";
  for (const char* part : {"1", "2"})
    home.hub_file(big, kCommit, std::string("Q8_0/big-Q8_0-0000") + part + "-of-00002.gguf");
  for (const char* part : {"1", "3"})
    home.hub_file(big, kCommit, std::string("big-F16-0000") + part + "-of-00003.gguf");
  home.text(big + "/refs/main", kCommit);
  home.link("../../blobs/nothing", big + "/snapshots/" + kCommit + "/dangling.gguf");
}

void fill_safetensors(const FakeHome& home) {
  const std::string hub = ".cache/huggingface/hub/models--";
  const auto snapshot = [&](const char* repository) {
    home.text(hub + repository + "/refs/main", kCommit);
    return hub + repository + "/snapshots/" + kCommit;
  };
  home.shards(snapshot("org--shards"));
  home.shards(snapshot("org--torn"));
  const std::string torn = snapshot("org--torn") + "/model-2.safetensors";
  fs::remove(home.at(torn));
  home.model(hub + "org--torn/blobs/9.incomplete");
  home.link("../../blobs/9.incomplete", torn);
  home.safetensors(snapshot("org--both"));
  home.model(snapshot("org--both") + "/both-Q8_0.gguf");
  home.text(snapshot("org--lora") + "/adapter_config.json", "{}");
  home.model(snapshot("org--lora") + "/adapter_model.safetensors");
  home.text(snapshot("org--picture") + "/model_index.json", "{}");
  home.safetensors(snapshot("org--picture") + "/text_encoder");
  home.safetensors(snapshot("org--minilm"), "BertModel");
  home.text(snapshot("org--minilm") + "/modules.json", "[]");
  home.safetensors(".lmstudio/models/mlx/tiny-4bit");
  home.link(home.at(".lmstudio/models/mlx/tiny-4bit"), ".local/share/confab/models/linked");
  home.model(".local/share/confab/models/loose/model.safetensors");
}

void fill_ollama(const FakeHome& home) {
  home.ollama(kOllama, std::string(kLibrary) + "llama3.2/3b", {{"model", "a1"}});
  home.ollama(kOllama, std::string(kLibrary) + "llama3.2/latest", {{"model", "a1"}});
  home.ollama(kOllama, "hf.co/org/gemma/Q4_K_M", {{"model", "a2"}, {"projector", "a3"}});
  home.ollama(kOllama, "registry.example.com/team/own/v1", {{"model", "a4"}, {"draft", "a5"}});
  home.ollama(kOllama, std::string(kLibrary) + "cloud/latest", {{"license", "a6"}});
  home.ollama(kOllama, std::string(kLibrary) + "lora/latest", {{"adapter", "a7"}});
  home.ollama(kOllama, std::string(kLibrary) + "tuned/latest",
              {{"model", "a8"}, {"adapter", "a7"}});
  home.text(".ollama/models/manifests/registry.ollama.ai/library/broken/latest", "{\"layers\":");
  home.model(".ollama/models/blobs/sha256-ff-partial");
}

void fill_others(const FakeHome& home) {
  home.model(".cache/llama.cpp/old-Q8_0.gguf");
  home.model(".cache/llama.cpp/old2.gguf.downloadInProgress");
  home.model(".lmstudio/models/pub/phi/phi-Q4_0.gguf");
  home.model(".lmstudio/models/pub/phi/part.gguf.part");
  fs::create_hard_link(home.at(".cache/llama.cpp/old-Q8_0.gguf"),
                       home.at(".lmstudio/models/pub/phi/hard-link.gguf"));
  home.link("..", ".lmstudio/models/pub/loop");
  home.text(".lmstudio/settings.json", "{broken");
  const std::string jan = ".local/share/Jan/data/llamacpp/models/";
  home.model(jan + "jan-nano/model.gguf");
  home.text(jan + "jan-nano/model.yml", "model_path: llamacpp/models/jan-nano/model.gguf\n");
  home.text(jan + "imported/model.yml",
            "model_path: " + home.at("Downloads/own.gguf").string() + "\n");
  home.model("Downloads/own.gguf");
  home.model(".local/share/nomic.ai/GPT4All/falcon.gguf");
  home.model(".local/share/nomic.ai/GPT4All/incomplete-x.gguf");
  const std::string own = ".local/share/confab/models/";
  home.model(own + "mine-7b-Q4_K_M.gguf");
  home.model(own + "other-1b-Q4_K_M.gguf");
  home.model(own + "eagle3-mine-7b.gguf");
  home.model(own + "falcon.gguf");
  home.link("gone.gguf", own + "gone-link.gguf");
  fs::create_directories(home.at(own + "folder.gguf"));
  home.link(home.at(".lmstudio/models/pub/phi/phi-Q4_0.gguf"), own + "phi-link.gguf");
}

// A home with every store in it, and everything in them that is not a model.
class StoresTest : public testing::Test {
 protected:
  StoresTest() {
    fill_hub(home_);
    fill_safetensors(home_);
    fill_ollama(home_);
    fill_others(home_);
  }
  FoundFiles found(const ModelSearch& search = {}) const {
    return find_files(home_.places(), search);
  }
  FakeHome home_;
};

TEST_F(StoresTest, FindsEverythingNothingTwiceAndNothingElse) {
  const std::string second =
      shorten_home(home_.at(".local/share/nomic.ai/GPT4All/falcon.gguf").string());
  EXPECT_THAT(
      names(found().models),
      UnorderedElementsAre("falcon.gguf", second, "hf.co/org/gemma:Q4_K_M", "imported", "jan-nano",
                           "linked", "llama3.2:3b", "mine-7b-Q4_K_M.gguf", "old-Q8_0.gguf",
                           "org/big/Q8_0/big-Q8_0-00001-of-00002.gguf", "org/both/both-Q8_0.gguf",
                           "org/qwen/qwen-Q4_K_M.gguf", "org/shards", "other-1b-Q4_K_M.gguf",
                           "phi-link.gguf", "registry.example.com/team/own:v1"));
}

TEST_F(StoresTest, MacOsHasPlacesOfItsOwn) {
  home_.model("Library/Caches/llama.cpp/mac.gguf");
  home_.model("Library/Application Support/nomic.ai/GPT4All/gpt.gguf");
  home_.model("Library/Application Support/Jan/data/models/jan.gguf");
  const FoundFiles files = find_files(home_.places(true), {});
  EXPECT_EQ(the(files, "mac.gguf").store, Store::llama_cpp);
  EXPECT_EQ(the(files, "gpt.gguf").store, Store::gpt4all);
  EXPECT_EQ(the(files, "jan.gguf").store, Store::jan);
  EXPECT_EQ(the(files, "org/qwen/qwen-Q4_K_M.gguf").store, Store::hugging_face);
  EXPECT_EQ(the(files, "llama3.2:3b").store, Store::ollama);
  EXPECT_THAT(names(files.models), testing::Not(testing::Contains("jan-nano")));
}

TEST_F(StoresTest, OneFileHasAllItsNames) {
  const FoundFiles files = found();
  EXPECT_THAT(the(files, "llama3.2:3b").also, ElementsAre("llama3.2:latest"));
  EXPECT_THAT(the(files, "old-Q8_0.gguf").also, ElementsAre("pub/phi/hard-link.gguf"));
  EXPECT_THAT(the(files, "phi-link.gguf").also, ElementsAre("pub/phi/phi-Q4_0.gguf"));
  EXPECT_THAT(the(files, "jan-nano").also, ElementsAre("jan-nano/model.gguf"));
  EXPECT_THAT(the(files, "linked").also, ElementsAre("mlx/tiny-4bit"));
}

TEST_F(StoresTest, ModelsOfOllamaThatDifferInMoreThanTheirFileAreSeveral) {
  const std::string library = kLibrary;
  home_.ollama(kOllama, library + "mario/latest", {{"model", "a1"}, {"system", "b1"}});
  home_.ollama(kOllama, library + "warm/latest", {{"model", "a1"}, {"params", "b2"}});
  home_.ollama(kOllama, library + "warm/again", {{"model", "a1"}, {"params", "b2"}});
  const FoundFiles files = found();
  EXPECT_EQ(the(files, "mario:latest").path, the(files, "llama3.2:3b").path);
  EXPECT_THAT(the(files, "warm:again").also, ElementsAre("warm:latest"));
  EXPECT_EQ(files.models.size(), 18u);
}

TEST_F(StoresTest, DraftsAndProjectorsAreBesideTheirModels) {
  const FoundFiles files = found();
  const FoundModel& qwen = the(files, "org/qwen/qwen-Q4_K_M.gguf");
  ASSERT_EQ(qwen.drafts.size(), 1u);
  EXPECT_EQ(qwen.drafts[0].name, "org/qwen/mtp-qwen-Q8_0.gguf");
  EXPECT_TRUE(fs::exists(qwen.drafts[0].path));
  ASSERT_EQ(qwen.projectors.size(), 1u);
  EXPECT_EQ(qwen.projectors[0].name, "org/qwen/mmproj-F16.gguf");
  EXPECT_EQ(the(files, "registry.example.com/team/own:v1").drafts.size(), 1u);
  EXPECT_EQ(the(files, "hf.co/org/gemma:Q4_K_M").projectors.size(), 1u);
  EXPECT_EQ(the(files, "mine-7b-Q4_K_M.gguf").drafts.size(), 1u);
  EXPECT_THAT(the(files, "other-1b-Q4_K_M.gguf").drafts, IsEmpty());
  EXPECT_THAT(names(files.drafts), ElementsAre("eagle3-mine-7b.gguf", "org/qwen/mtp-qwen-Q8_0.gguf",
                                               "registry.example.com/team/own:v1 draft"));
}

TEST_F(StoresTest, ShardsAreOneModelWithTheSizeOfAll) {
  const FoundModel big = the(found(), "org/big/Q8_0/big-Q8_0-00001-of-00002.gguf");
  const fs::path second = big.path.parent_path() / "big-Q8_0-00002-of-00002.gguf";
  EXPECT_EQ(big.bytes, fs::file_size(big.path) + fs::file_size(second));
  const FoundModel shards = the(found(), "org/shards");
  EXPECT_EQ(shards.bytes, fs::file_size(shards.path / "model-1.safetensors") +
                              fs::file_size(shards.path / "model-2.safetensors"));
}

TEST_F(StoresTest, NotesSayWhyWhatLooksLikeAModelIsNone) {
  EXPECT_THAT(found().notes,
              UnorderedElementsAre(
                  testing::HasSubstr("big-F16-00002-of-00003.gguf is not there: a part of a model "
                                     "with 3 files"),
                  testing::HasSubstr("model-2.safetensors is not there: a part of a model with 2 "
                                     "files"),
                  "tuned:latest: is a model with an adapter, which confab cannot apply"));
}

TEST_F(StoresTest, OtherRevisionsAreFoundWhenAskedFor) {
  const FoundModel old =
      the(found({.revisions = Revisions::all}), "org/qwen@fedcba98/qwen-Q4_K_M.gguf");
  EXPECT_THAT(old.path.string(), testing::HasSubstr(kOldCommit));
}

TEST_F(StoresTest, AModelInUseKeepsTheNameThatItsStoreHas) {
  const FoundModel qwen = the(found(), "org/qwen/qwen-Q4_K_M.gguf");
  EXPECT_EQ(the(found({.current = qwen.path}), "org/qwen/qwen-Q4_K_M.gguf"), qwen);
  const FoundModel shards = the(found(), "org/shards");
  EXPECT_EQ(the(found({.current = shards.path}), "org/shards"), shards);
  const std::string own = home_.model("work/w.gguf");
  EXPECT_EQ(the(found({.current = own}), "w.gguf").path, own);
}

TEST_F(StoresTest, AFolderThatCannotBeReadTakesNothingFromOthers) {
  if (geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  const fs::path ollama = home_.at(".ollama/models/manifests");
  fs::permissions(ollama, fs::perms::none);
  const FoundFiles files = found();
  fs::permissions(ollama, fs::perms::owner_all);
  EXPECT_EQ(files.models.size(), 13u);
  EXPECT_THAT(
      files.notes,
      testing::Contains(testing::HasSubstr(".ollama/models cannot be read: Permission denied")));
}

TEST(StoresOfAnEmptyHomeTest, AreEmpty) {
  const FakeHome home;
  const FoundFiles files = find_files(home.places(), {});
  EXPECT_THAT(files.models, IsEmpty());
  EXPECT_THAT(files.drafts, IsEmpty());
  EXPECT_THAT(files.notes, IsEmpty());
}

}  // namespace
}  // namespace confab::app

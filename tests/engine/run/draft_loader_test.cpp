// SPDX-License-Identifier: MIT
#include "engine/run/draft_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/run/context_plan.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

class DraftLoaderTest : public testing::Test {
 protected:
  ContextPlan plan(std::uint64_t available = kPlenty) {
    return plan_context(*model_, {.path = file_.path()}, available);
  }
  static LoadOptions with(const std::string& draft, bool wanted = true) {
    return {.draft = {.path = draft, .wanted = wanted, .p_min = 0.5F, .least = 2}};
  }
  // Why a draft model that is wanted is refused; it is a notice where nobody wants it.
  std::string refusal(const std::string& draft, std::uint64_t available = kPlenty) {
    ContextPlan planned = plan(available);
    const std::string error = error_of([&] { load_draft(*model_, planned, with(draft)); });
    const LoadedDraft left_out = load_draft(*model_, planned, with(draft, false));
    EXPECT_EQ(left_out.model, nullptr);
    EXPECT_EQ(left_out.notice, "no draft model: " + error);
    EXPECT_EQ(planned.memory.draft_bytes, 0U);
    EXPECT_EQ(error.find('\n'), std::string::npos);
    return error;
  }

  const TinyModelFile file_{{.n_ctx = 1024}};
  const TinyModelFile draft_{{.seed = 7, .n_layer = 1, .n_ctx = 256}};
  const std::unique_ptr<const Model> model_ = Model::load(file_.path());
};

TEST_F(DraftLoaderTest, IsLoadedAsTheOptionsSay) {
  ContextPlan planned = plan();
  const std::uint64_t before = planned.memory.total_bytes();
  const LoadedDraft draft = load_draft(*model_, planned, with(draft_.path()));
  ASSERT_NE(draft.model, nullptr);
  EXPECT_EQ(draft.notice, "");
  EXPECT_EQ(draft.options.n_ctx, 256);  // its own limit
  EXPECT_EQ(draft.options.rule.n_vocab, 300);
  EXPECT_EQ(draft.options.rule.p_min, 0.5F);
  EXPECT_EQ(draft.options.rule.least, 2);
  EXPECT_GT(planned.memory.draft_bytes, draft.model->gguf.file_bytes());
  EXPECT_EQ(planned.memory.total_bytes(), before + planned.memory.draft_bytes);
}

TEST_F(DraftLoaderTest, MayHaveBegunBefore) {
  ContextPlan planned = plan();
  const LoadOptions options = with(draft_.path());
  EXPECT_NE(load_draft(*model_, planned, options, begin_draft(options)).model, nullptr);
  EXPECT_FALSE(begin_draft({}).valid());
  const LoadOptions missing = with("/nowhere.gguf"), left_out = with("/nowhere.gguf", false);
  const auto load_begun = [&](const LoadOptions& o) {
    return load_draft(*model_, planned, o, begin_draft(o));
  };
  EXPECT_NE(error_of([&] { load_begun(missing); }).find("/nowhere.gguf"), std::string::npos);
  EXPECT_NE(load_begun(left_out).notice.find("/nowhere.gguf"), std::string::npos);
}

TEST_F(DraftLoaderTest, EitherMayHaveRecurrentLayers) {
  const TinyModelFile recurrent({.architecture = "qwen35", .n_ctx = 1024});
  const auto model = Model::load(recurrent.path());
  for (const std::string& draft : {recurrent.path(), draft_.path()}) {
    ContextPlan planned = plan_context(*model, {.path = recurrent.path()}, kPlenty);
    EXPECT_NE(load_draft(*model, planned, with(draft)).model, nullptr);
  }
  ContextPlan planned = plan();
  EXPECT_NE(load_draft(*model_, planned, with(recurrent.path())).model, nullptr);
}

TEST_F(DraftLoaderTest, NoneIsNamed) {
  ContextPlan planned = plan();
  const LoadedDraft draft = load_draft(*model_, planned, {});
  EXPECT_EQ(draft.model, nullptr);
  EXPECT_EQ(draft.notice, "");
}

TEST_F(DraftLoaderTest, RefusesOtherVocabularies) {
  const TemporaryFolder folder;
  TinyVocab vocab = tiny_vocab();
  vocab.tokens[280] = "other";
  GgufWriter other = tiny_model();
  other.remove("tokenizer.ggml.tokens").add_array("tokenizer.ggml.tokens", vocab.tokens);
  other.write(folder / "other.gguf");
  EXPECT_THAT(refusal(folder / "other.gguf"),
              AllOf(StartsWith(folder / "other.gguf"), HasSubstr("cannot draft for"),
                    HasSubstr("token 280 is \"other\", not")));
}

TEST_F(DraftLoaderTest, RefusesWhatDoesNotFitIntoMemory) {
  EXPECT_THAT(refusal(draft_.path(), plan().memory.total_bytes() + 1000),
              AllOf(StartsWith(draft_.path()), HasSubstr("KiB of memory"),
                    HasSubstr("leaves only 1000 B")));
}

TEST_F(DraftLoaderTest, RefusesWhatIsNoModel) {
  EXPECT_THAT(refusal(draft_.path() + "x"), StartsWith(draft_.path() + "x"));
}

// Who asked for a draft model, but not for a context, gets both; else the context is worth more.
TEST_F(DraftLoaderTest, AContextThatNobodyAskedForMakesRoom) {
  const auto draft = Model::load(draft_.path());
  const std::uint64_t room =
      plan_context(*model_, {.n_ctx = 512}, kPlenty, draft.get()).memory.total_bytes();
  ContextPlan wanted = plan(room);
  EXPECT_EQ(wanted.n_ctx, 1024);
  ASSERT_NE(load_draft(*model_, wanted, with(draft_.path())).model, nullptr);
  EXPECT_EQ(wanted.n_ctx, 512);
  EXPECT_TRUE(wanted.memory.fits());
  EXPECT_GT(wanted.memory.draft_bytes, 0U);
  EXPECT_THAT(wanted.notice, HasSubstr("instead of 1024"));
  ContextPlan offered = plan(room);
  EXPECT_EQ(load_draft(*model_, offered, with(draft_.path(), false)).model, nullptr);
  EXPECT_EQ(offered.n_ctx, 1024);
  LoadOptions asked = with(draft_.path());
  asked.n_ctx = 1024;
  ContextPlan fixed = plan(room);
  EXPECT_THAT(error_of([&] { load_draft(*model_, fixed, asked); }), HasSubstr("cannot draft"));
}

TEST_F(DraftLoaderTest, ForceInsistsOnADraftModelThatIsWantedAlone) {
  ContextPlan planned = plan(plan().memory.total_bytes() + 1000);
  LoadOptions options = with(draft_.path());
  options.force = true;
  EXPECT_NE(load_draft(*model_, planned, options).model, nullptr);
  ContextPlan again = plan(plan().memory.total_bytes() + 1000);
  options.draft.wanted = false;
  EXPECT_EQ(load_draft(*model_, again, options).model, nullptr);
}

TEST_F(DraftLoaderTest, ExpertsMakeRoomForADraftModelThatIsWanted) {
  const TinyModelFile file({.n_ctx = 512, .n_expert = 16});
  const auto mixture = Model::load(file.path());
  const LoadOptions options{.path = file.path(), .n_ctx = 512};
  const std::uint64_t whole = plan_context(*mixture, options, kPlenty).memory.total_bytes();
  for (const bool wanted : {false, true}) {
    ContextPlan planned = plan_context(*mixture, options, whole);
    LoadOptions drafted = with(draft_.path(), wanted);
    drafted.n_ctx = 512;
    EXPECT_EQ(load_draft(*mixture, planned, drafted).model != nullptr, wanted);
  }
}

}  // namespace
}  // namespace confab::engine

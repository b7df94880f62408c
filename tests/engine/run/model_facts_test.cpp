// SPDX-License-Identifier: MIT
#include "engine/run/model_facts.h"

#include <gtest/gtest.h>

#include "engine/gguf/gguf.h"
#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/run/context_plan.h"
#include "engine/run/draft_loader.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

TEST(ModelFactsTest, AModelWithoutANameHasThatOfItsFile) {
  const TinyModelFile file{{}};
  const Gguf gguf(file.path());
  const std::string base = file.path().substr(file.path().find_last_of('/') + 1);
  const auto own = gguf.find_string("general.name");
  EXPECT_EQ(model_name(gguf), own ? std::string(*own) : base);
  EXPECT_FALSE(model_name(gguf).empty());
  EXPECT_TRUE(recommended_sampling(gguf).empty());
}

TEST(ModelFactsTest, PeopleAreToldThePlanAndWhatIsAmissInALineEach) {
  const TinyModelFile file{{}};
  const auto model = Model::load(file.path());
  ContextPlan plan;
  plan.n_ctx = 128;
  plan.n_threads = 3;
  plan.type_k = kernels::Dtype::F16;
  plan.notice = "short";
  const TemplateSource source{.text = "{{ messages }}", .origin = "given"};
  LoadedDraft draft;
  draft.notice = "no draft";
  const ModelInfo info = make_info(*model, plan, kernels::Isa::scalar, source, draft);
  EXPECT_EQ(info.name, model_name(model->gguf));
  EXPECT_EQ(info.n_ctx, 128);
  EXPECT_EQ(info.n_threads, 3);
  EXPECT_EQ(info.kv_types, "f16/q8_0");
  EXPECT_EQ(info.isa, "scalar");
  EXPECT_EQ(info.chat_template, "given");
  EXPECT_EQ(info.notice, "short\nno draft");
  EXPECT_TRUE(info.draft.empty());
  EXPECT_GT(info.n_params, 0);
  draft.notice.clear();
  EXPECT_EQ(make_info(*model, plan, kernels::Isa::scalar, source, draft).notice, "short");
}

TEST(ModelFactsTest, WhatOthersRecommendGoesBeforeTheFile) {
  ModelInfo info;
  info.sampling = {{"temp", 1}};
  info.notice = "short";
  const Recommended more{.sampling = {{"temperature", 0.5}},
                         .stop = {"<end>"},
                         .system = "Be brief.",
                         .notice = "no template"};
  const ModelInfo both = with_recommended(info, more);
  ASSERT_EQ(both.sampling.size(), 2U);
  EXPECT_EQ(both.sampling[0].name, "temperature");
  EXPECT_EQ(both.stop, more.stop);
  EXPECT_EQ(both.system, "Be brief.");
  EXPECT_EQ(both.notice, "short\nno template");
  EXPECT_EQ(with_recommended(info, {}).notice, "short");
  EXPECT_EQ(with_recommended({}, more).notice, "no template");
}

}  // namespace
}  // namespace confab::engine

// SPDX-License-Identifier: MIT
#include "app/chat/backend.h"

#include <gtest/gtest.h>

#include "tests/app/fake_model.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class KeptModelsTest : public testing::Test {
 protected:
  // Keeps a model of a file with this name; borrowed.
  FakeModel* keep(const std::string& name) {
    auto model = std::make_unique<FakeModel>();
    FakeModel* const kept = model.get();
    model->change_info().path = path(name);
    ModelOptions options;
    options.path = path(name);
    kept_.add({std::move(model), options});
    return kept;
  }
  std::string path(const std::string& name) const { return home_ / name; }

  TempDir home_;
  KeptModels kept_;
};

TEST_F(KeptModelsTest, GivesOneBackOnce) {
  home_.file("a", "weights of a");
  FakeModel* const a = keep("a");
  EXPECT_EQ(a->n_unloaded, 1);
  a->events.push_back(engine::Counted{});
  EXPECT_EQ(kept_.take(path("b")).model, nullptr);
  const LoadedModel taken = kept_.take(path("a"));
  EXPECT_EQ(taken.model.get(), a);
  EXPECT_EQ(taken.options.path, path("a"));
  EXPECT_FALSE(taken.model->next_event());
  EXPECT_EQ(kept_.take(path("a")).model, nullptr);
}

TEST_F(KeptModelsTest, TheOneThatWasLeftFirstGoes) {
  for (const char* name : {"a", "b", "c", "d"}) {
    home_.file(name, name);
    keep(name);
  }
  EXPECT_EQ(kept_.take(path("a")).model, nullptr);
  for (const char* name : {"b", "c", "d"}) EXPECT_NE(kept_.take(path(name)).model, nullptr);
}

TEST_F(KeptModelsTest, AnotherFileOfThatNameIsAnotherModel) {
  for (const char* name : {"grown", "gone"}) {
    home_.file(name, name);
    keep(name);
  }
  home_.file("grown", "more than before");
  std::filesystem::remove(path("gone"));
  EXPECT_EQ(kept_.take(path("grown")).model, nullptr);
  EXPECT_EQ(kept_.take(path("gone")).model, nullptr);
}

TEST_F(KeptModelsTest, AModelIsFoundByTheNameItWasLoadedBy) {
  home_.file("blob", "weights");
  auto model = std::make_unique<FakeModel>();
  model->change_info().path = path("blob");
  ModelOptions options;
  options.path = "mario:latest";
  kept_.add({std::move(model), options});
  EXPECT_EQ(kept_.take("luigi:latest").model, nullptr);
  EXPECT_NE(kept_.take("mario:latest").model, nullptr);
}

}  // namespace
}  // namespace confab::app

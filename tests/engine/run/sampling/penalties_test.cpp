// SPDX-License-Identifier: MIT
#include "engine/run/sampling/penalties.h"

#include <gtest/gtest.h>

#include "tests/engine/run/sampling/definitions.h"
#include "tests/engine/run/sampling/rows.h"

namespace confab::engine {
namespace {

TEST(PenaltiesTest, AreAsDefinedOverAnyContext) {
  for (const int last_n : {1, 7, 64}) {
    const SamplerParams p{.repeat_penalty = 1.3F,
                          .frequency_penalty = 0.2F,
                          .presence_penalty = -0.4F,
                          .repeat_last_n = last_n};
    for (const std::size_t n : {9U, 2000U}) {
      Penalties penalties(p, static_cast<int>(n));
      Pcg32 random(n);
      std::vector<Token> context;
      for (int i = 0; i < 200; ++i) {
        const std::vector<float> row = uniform_row(n, static_cast<std::uint64_t>(i));
        Candidates found(n);
        found.begin(row);
        penalties.apply(found);
        found.settle();
        definition::Choices want = definition::choices_of(row);
        definition::penalties(want, p, context);
        EXPECT_NEAR(found.best(), want[0].logit, 1e-5);
        for (const definition::Choice& c : want) {
          if (found.are_few()) break;
          EXPECT_NEAR(found.logits()[static_cast<std::size_t>(c.id)], c.logit, 1e-5);
        }
        context.push_back(static_cast<Token>(random.next() % 9));
        penalties.accept(context.back());
      }
    }
  }
}

TEST(PenaltiesTest, AreOffUnlessOneIsSet) {
  EXPECT_FALSE(Penalties({}, 10).are_on());
  EXPECT_FALSE(Penalties({.repeat_penalty = 2, .repeat_last_n = 0}, 10).are_on());
  EXPECT_TRUE(Penalties({.presence_penalty = 0.1F}, 10).are_on());
}

}  // namespace
}  // namespace confab::engine

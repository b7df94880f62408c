// SPDX-License-Identifier: MIT
#include "engine/api/sampler_params.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(SamplerParamsTest, SamplersAreFoundByTheNamesTheyAreShownBy) {
  for (const SamplerKind kind : kSamplerOrder) EXPECT_EQ(find_sampler(sampler_name(kind)), kind);
  EXPECT_EQ(sampler_name(SamplerKind::typical), "typ_p");
  EXPECT_EQ(sampler_name(SamplerKind::top_n_sigma), "top_n_sigma");
}

TEST(SamplerParamsTest, OtherSpellingsAreTaken) {
  using enum SamplerKind;
  for (const auto& [name, kind] : {std::pair{"top-k", top_k},
                                   {"topk", top_k},
                                   {"Top_K", top_k},
                                   {"nucleus", top_p},
                                   {"temp", temperature},
                                   {"typ", typical},
                                   {"typical", typical},
                                   {"typical-p", typical},
                                   {"minp", min_p},
                                   {"topnsigma", top_n_sigma},
                                   {"top-n-sigma", top_n_sigma}})
    EXPECT_EQ(find_sampler(name), kind) << name;
  for (const char* name : {"", "top", "top__k", "topkk", "infill", "to_p_k", "_top_k"})
    EXPECT_EQ(find_sampler(name), std::nullopt) << name;
}

TEST(SamplerParamsTest, TheUsualOrderIsLlamaCpps) {
  std::string names;
  for (const SamplerKind kind : SamplerParams().samplers)
    names += (names.empty() ? "" : ";") + std::string(sampler_name(kind));
  EXPECT_EQ(names, "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature");
}

}  // namespace
}  // namespace confab::engine

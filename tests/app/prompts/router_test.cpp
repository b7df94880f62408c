// SPDX-License-Identifier: MIT
#include "app/prompts/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Names = std::vector<std::string>;

Router router(const std::string& route, const std::filesystem::path& folder = {}) {
  ChatOptions options;
  options.route = route;
  return Router(TemplateSet::load(folder), options);
}
std::string fault(const std::string& route, const std::filesystem::path& folder = {}) {
  try {
    router(route, folder);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}
std::string name(const RouteDecision& decision) {
  return decision.asked_with == nullptr ? "" : decision.asked_with->name;
}
// Of the classes in their order, each written small and with a capital.
engine::Scored scored(std::vector<double> log_p) {
  engine::Scored out;
  for (const double p : log_p) out.options.push_back({.log_p = p});
  return out;
}

TEST(RouterTest, TheDefaultAsksTheRulesAlone) {
  EXPECT_EQ(ChatOptions().route, kRouteRules);
  const Router rules = router("rules");
  const RouteDecision sure = rules.decide("Translate this: hello", {});
  EXPECT_EQ(name(sure), "rewrite");
  EXPECT_EQ(sure.reason, "it says \"translate\"");
  const RouteDecision doubt = rules.decide("xyzzy", {});
  EXPECT_EQ(doubt.asked_with, nullptr);
  EXPECT_FALSE(rules.asks_model(doubt));
  EXPECT_TRUE(router("auto").asks_model(doubt));
  EXPECT_FALSE(router("auto").asks_model(sure));
}

TEST(RouterTest, OffAsksAllAsItIs) {
  for (const Router& off : {router("off"), Router()}) {
    EXPECT_EQ(off.decide("Translate this: hello", {}).asked_with, nullptr);
    EXPECT_FALSE(off.asks_model(off.decide("xyzzy", {})));
  }
}

TEST(RouterTest, ANamedTemplateIsForAllQuestions) {
  const Router review = router("review");
  EXPECT_EQ(name(review.decide("Good morning!", {})), "review");
  ASSERT_NE(review.named(), nullptr);
  EXPECT_EQ(review.named()->name, "review");
  EXPECT_EQ(router("auto").named(), nullptr);
}

TEST(RouterTest, AnUnknownNameIsToldWithTheNearestOne) {
  EXPECT_EQ(fault("reveiw"), "route: no template 'reveiw'; did you mean review?");
  EXPECT_THAT(fault("qqqqqq"), HasSubstr("confab templates lists them"));
  EXPECT_THAT(fault("translate"), HasSubstr("called by its name: confab translate TO"));
  const TempDir dir;
  dir.file("mine.toml", "x = 1");
  EXPECT_THAT(fault("mine", dir.path()), HasSubstr("mine.toml:1: no key 'x'"));
}

TEST(RouterTest, AWrongNameChangesNothing) {
  Router rules = router("rules");
  EXPECT_THROW(rules.set_route("reveiw", "/route"), UsageError);
  EXPECT_EQ(rules.route(), "rules");
  rules.set_route("off", "/route");
  EXPECT_EQ(rules.route(), "off");
  rules.set_route("translate", "--route", {{"to", "German"}});
  EXPECT_EQ(rules.named()->name, "translate");
}

TEST(RouterTest, AllRequestsToTheModelBeginAlike) {
  const Router some = router("auto");
  const auto one = some.request("Why?", {}), other = some.request("Hm.", Names{"a.txt"});
  const std::string& a = one.turns.back().message.content;
  const std::string& b = other.turns.back().message.content;
  const auto same = std::ranges::mismatch(a, b).in1 - a.begin();
  EXPECT_GT(same, 400);
  EXPECT_TRUE(a.ends_with("Why?"));
  EXPECT_THAT(b, HasSubstr("a.txt"));
  EXPECT_EQ(one.options.size(), 12U);
  EXPECT_EQ(one.settings.thinking, false);
}

TEST(RouterTest, OfALongPromptTheModelSeesBothEnds) {
  std::string text = "BEGIN";
  for (int i = 0; i < 4000; ++i) text += "ü";
  text += "END";
  const auto request = router("auto").request(text, {});
  const std::string& asked = request.turns.back().message.content;
  EXPECT_LT(asked.size(), 1600U);
  EXPECT_THAT(asked, HasSubstr("BEGINü"));
  EXPECT_TRUE(asked.ends_with("üEND"));
  const std::size_t cut = asked.find("\n[...]\n");
  ASSERT_NE(cut, std::string::npos);
  EXPECT_EQ(asked.substr(cut - 2, 2), "ü");
  EXPECT_EQ(asked.substr(cut + 7, 2), "ü");
}

TEST(RouterTest, TheModelsChoiceCountsWhereItIsSure) {
  const Router some = router("auto");
  const double no = -20;
  const RouteDecision sure =
      some.decide(scored({no, no, no, no, -0.7, -0.9, no, no, -3, no, no, no}));
  EXPECT_EQ(name(sure), "summary");  // both spellings together
  EXPECT_THAT(sure.reason, HasSubstr("the model says so, with 0.9"));
  const RouteDecision unsure =
      some.decide(scored({-1, no, -1, no, no, no, no, no, no, no, no, no}));
  EXPECT_EQ(unsure.asked_with, nullptr);
  EXPECT_EQ(unsure.reason, "the model is not sure: code with 0.50");
  const RouteDecision other = some.decide(scored({-3, no, no, no, no, no, no, no, no, no, no, no}));
  EXPECT_EQ(other.reason, "the model does not answer with the name of a class");
  const double never = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(some.decide(scored(std::vector<double>(12, never))).asked_with, nullptr);
}

TEST(RouterTest, TellsWhatWasChangedAndWhy) {
  const Router rules = router("rules");
  EXPECT_EQ(told_of(rules.decide("Write it in Python", {}), {"temperature 0.3"}),
            "asked as code, since it says \"python\": temperature 0.3");
  EXPECT_EQ(told_of(rules.decide("Hello", {}), {}),
            "asked as chat, since it begins with \"hello\": nothing is changed");
  EXPECT_EQ(told_of(rules.decide("xyzzy", {}), {}),
            "asked as it is: nothing in it says what it is");
}

TEST(RouterTest, NamesAreThoseThatCanBeChosen) {
  const Names names = route_names(TemplateSet::load());
  EXPECT_EQ(names.front(), "auto");
  EXPECT_THAT(names, Contains("review"));
  EXPECT_THAT(names, Contains("extraction"));
  EXPECT_THAT(names, Not(Contains("translate")));  // which needs an argument
}

}  // namespace
}  // namespace confab::app

// SPDX-License-Identifier: MIT
#include "app/chat/turns.h"

#include <gmock/gmock.h>

#include "app/chat/summary.h"
#include "tests/app/chat/counting_model.h"

namespace confab::app {
namespace {

using sessions::Memory;
using sessions::Message;
using sessions::Role;
using testing::ElementsAre;

MessagePath path_of(std::initializer_list<std::pair<Role, std::string>> said) {
  MessagePath path;
  for (const auto& [role, text] : said) path.push_back(new_message(role, text));
  return path;
}

TEST(MessageSizesTest, WhatIsReadAddsUpToThePrompt) {
  const CountingModel model(1000);
  const MessagePath path = path_of({{Role::system, "Be kind."},
                                    {Role::user, "one"},
                                    {Role::assistant, "first"},
                                    {Role::user, "three"}});
  const MessageSizes sizes = sizes_of(model, path, {});
  EXPECT_EQ(sizes.n_read, 12 + 7 + 9 + 9);
  // One turn's frame is with what is fixed; the other two are shared out.
  EXPECT_THAT(sizes.n_tokens, ElementsAre(3 + 2, 5 + 2, 5 + 2));
  EXPECT_EQ(sizes.n_fixed + 5 + 7 + 7, sizes.n_read);
}

TEST(MessageSizesTest, WhatIsNotReadHasASizeAndANoteIsFixed) {
  const CountingModel model(1000);
  MessagePath path = path_of({{Role::user, "one"},
                              {Role::assistant, "first"},
                              {Role::user, "two"},
                              {Role::assistant, "second"}});
  path.back().memory = Memory{.begin = 2, .n_noted = 2, .note = "a note"};
  const MessageSizes sizes = sizes_of(model, path, {});
  EXPECT_EQ(sizes.n_read,
            model.count_tokens({{.message = {"system", system_with_summary("", "a note")}},
                                {.message = {"user", "two"}},
                                {.message = {"assistant", "second"}}},
                               {}));
  EXPECT_THAT(sizes.n_tokens, ElementsAre(3 + 2, 5 + 2, 3 + 2, 6 + 2));
  EXPECT_EQ(sizes.n_fixed, sizes.n_read - 5 - 8);
}

TEST(MessageSizesTest, AnAnswerHasTheTokensThatItWasSampledWith) {
  const CountingModel model(1000);
  MessagePath path = path_of({{Role::user, "one"}, {Role::assistant, "four"}});
  path.back().tokens = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  path.back().tokenizer_hash = model.info().tokenizer_hash;
  path.back().answer_begin = 2;
  EXPECT_EQ(sizes_of(model, path, {}).n_tokens[1], 7);
  path.back().tokenizer_hash = "another";
  EXPECT_EQ(sizes_of(model, path, {}).n_tokens[1], 4 + 2);
}

TEST(MessageSizesTest, WhatCannotFitIsNotCounted) {
  const CountingModel model(100);
  const MessagePath path = path_of({{Role::user, std::string(1 << 20, 'x')}, {Role::user, "y"}});
  EXPECT_GE(sizes_of(model, path, {}).n_tokens[0], 100);
  EXPECT_LT(sizes_of(model, path, {}).n_tokens[0], 1 << 19);
  EXPECT_TRUE(sizes_of(model, {}, {}).n_tokens.empty());
}

}  // namespace
}  // namespace confab::app

// SPDX-License-Identifier: MIT
#include "app/batch/batch_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::HasSubstr;

class BatchInputTest : public testing::Test {
 protected:
  std::string fault(const std::string& text) const {
    try {
      BatchInput(folder.file("in.jsonl", text), {});
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  }
  const TempDir folder;
};

TEST_F(BatchInputTest, EachLineIsARequest) {
  const BatchInput input(folder.file("in.jsonl",
                                     "\xEF\xBB\xBF{\"prompt\": \"a\"}\r\n\n  \t\r\n"
                                     "{\"prompt\": \"b\", \"id\": \"x\"}\nnonsense\n"
                                     "{\"prompt\": \"c\", \"id\": 4}"),
                         {});
  const auto& entries = input.entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(input.request(entries[0]).messages[0].content, "a");
  EXPECT_EQ(entries[0].line, 1);
  EXPECT_EQ(entries[1].line, 4);
  EXPECT_EQ(entries[1].id, "\"x\"");
  EXPECT_THAT(input.request(entries[2]).fault, HasSubstr("line 5: not JSON"));
  EXPECT_EQ(entries[3].id, "4");
  EXPECT_EQ(input.request(entries[3]).messages[0].content, "c");
}

TEST_F(BatchInputTest, AStrayByteConcernsItsOwnLineOnly) {
  const BatchInput input(
      folder.file("in.jsonl",
                  std::string("{\"prompt\": \"caf\xC3\xA9\"}\n{\"prompt\": \"b\xE9 c\"}\n"
                              "\x01\0\x80\n{\"prompt\": \"na\xC3\xAFve\"}\n",
                              64)),
      {});
  const auto& entries = input.entries();
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(input.request(entries[0]).messages[0].content, "caf\xC3\xA9");
  EXPECT_EQ(input.request(entries[2]).fault.find("line 3: not JSON"), 0U);
  EXPECT_EQ(input.request(entries[3]).messages[0].content, "na\xC3\xAFve");
}

TEST_F(BatchInputTest, NobodyKnowsWhichOfTwoWithOneIdIsMeant) {
  EXPECT_THAT(fault("{\"prompt\": \"a\", \"id\": \"x\"}\n{\"prompt\": \"b\"}\n"
                    "{\"prompt\": \"c\", \"id\": \"x\"}\n"),
              HasSubstr("in.jsonl: lines 1 and 3 have the same id, \"x\""));
  EXPECT_EQ(fault("{\"prompt\": \"a\", \"id\": \"7\"}\n{\"prompt\": \"b\", \"id\": 7}\n"), "none");
  EXPECT_THAT(fault("{\"custom_id\": \"x\"}\n{\"prompt\": \"c\", \"id\": \"x\"}\n"),
              HasSubstr("the same id"));
}

TEST_F(BatchInputTest, AFileWithoutRequestsIsAMistake) {
  EXPECT_THAT(fault(""), HasSubstr("has no requests"));
  EXPECT_THAT(fault("\n \n"), HasSubstr("has no requests"));
  EXPECT_THROW(BatchInput("/nowhere/at/all", {}), UserError);
}

}  // namespace
}  // namespace confab::app

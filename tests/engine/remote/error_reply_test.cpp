// SPDX-License-Identifier: MIT
#include "engine/remote/error_reply.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

ErrorReply error_of(const char* json) {
  return error_in(Json::parse(json)).value_or(ErrorReply{"none"});
}

TEST(ErrorReplyTest, NestedAndFlatErrorsAreRead) {
  EXPECT_EQ(error_of(R"({"error":{"message":"No\nroom. ","code":500}})").message, "No room");
  EXPECT_EQ(error_of(R"({"error":"No room"})").message, "No room");
  EXPECT_EQ(error_of(R"({"object":"error","message":"No room","code":400})").message, "No room");
  EXPECT_EQ(error_of(R"({"error":{"code":1}})").message, "{\"code\":1}");
  EXPECT_EQ(error_of(R"({"error":null,"choices":[]})").message, "none");
  for (const char* none : {"false", "\"\"", "{}", "[]", "0", R"({"message":"","code":null})"})
    EXPECT_EQ(error_of((std::string(R"({"choices":[],"error":)") + none + "}").c_str()).message,
              "none");
  EXPECT_EQ(error_of(R"({"error":true,"message":"No room"})").message, "No room");
  EXPECT_EQ(error_of(R"({"object":"list","data":[]})").message, "none");
}

TEST(ErrorReplyTest, KnowsAPromptThatIsTooLong) {
  EXPECT_TRUE(
      error_of(R"({"error":{"type":"exceed_context_size_error","message":"x"}})").prompt_too_long);
  EXPECT_TRUE(
      error_of(R"({"error":{"code":"context_length_exceeded","message":"x"}})").prompt_too_long);
  // As recorded from llama-server (llama.cpp 3f545bec).
  const ErrorReply recorded = refusal_of(
      {.status = 400, .headers = {}},
      R"({"error":{"code":400,"message":"request (3011 tokens) exceeds the available context size )"
      R"((1024 tokens), try increasing it","type":"exceed_context_size_error",)"
      R"("n_prompt_tokens":3011,"n_ctx":1024}})");
  EXPECT_TRUE(recorded.prompt_too_long);
  EXPECT_EQ(recorded.message,
            "request (3011 tokens) exceeds the available context size (1024 tokens), try "
            "increasing it (status 400)");
  EXPECT_FALSE(error_of(R"({"error":{"message":"no such model"}})").prompt_too_long);
}

TEST(ErrorReplyTest, ARefusalIsOneLineWithItsStatus) {
  EXPECT_EQ(refusal_of({.status = 500, .headers = {}}, "").message, "status 500");
  EXPECT_EQ(refusal_of({.status = 502, .headers = {}}, "<h1>Bad\x1b[31m Gateway</h1>").message,
            "<h1>Bad\\x1b[31m Gateway</h1> (status 502)");
  EXPECT_EQ(refusal_of({.status = 404, .headers = {}}, R"({"detail":"Not Found"})").message,
            "Not Found (status 404)");
  EXPECT_EQ(refusal_of({.status = 308, .headers = {{"location", "https://b.test/v1"}}}, "").message,
            "it is elsewhere, at https://b.test/v1; use that address (status 308)");
}

TEST(ErrorReplyTest, WaitsOnlyWhereThatIsOfUse) {
  using std::chrono::seconds;
  EXPECT_EQ(retry_after({.status = 429, .headers = {{"retry-after", "12"}}}, 0), seconds(12));
  EXPECT_EQ(retry_after({.status = 503, .headers = {}}, 0), seconds(1));
  EXPECT_EQ(retry_after({.status = 503, .headers = {}}, 5), seconds(8));
  EXPECT_EQ(retry_after({.status = 503, .headers = {{"retry-after", "soon"}}}, 1), seconds(2));
  EXPECT_EQ(retry_after({.status = 429, .headers = {{"retry-after", "99999999"}}}, 0),
            seconds(300));
  EXPECT_FALSE(retry_after({.status = 503, .headers = {}}, 60));
  EXPECT_FALSE(retry_after({.status = 500, .headers = {}}, 0));
  EXPECT_FALSE(retry_after({.status = 200, .headers = {}}, 0));
}

}  // namespace
}  // namespace confab::engine

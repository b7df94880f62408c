// SPDX-License-Identifier: MIT
#include "engine/remote/url.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(UrlTest, AHostIsShownWithItsPortAndNeverWithAPassword) {
  EXPECT_EQ(host_of("http://127.0.0.1:8080/v1"), "127.0.0.1:8080");
  EXPECT_EQ(host_of("HTTPS://host.test"), "host.test");
  EXPECT_EQ(host_of("http://[::1]:80?x"), "[::1]:80");
  EXPECT_EQ(host_of("http://me:secret@host.test/"), "");
  EXPECT_EQ(host_of("ftp://host.test"), "");
  EXPECT_EQ(host_of("host.test"), "");
}

TEST(UrlTest, LoopbackIsThisMachineAndNothingThatIsCalledAlike) {
  for (const char* url : {"http://127.0.0.1:8080", "http://127.3.2.1", "http://localhost:1/v1",
                          "http://LocalHost", "https://[::1]:8080"})
    EXPECT_TRUE(is_loopback(url)) << url;
  for (const char* url : {"http://127.0.0.1.evil.test", "http://localhost.evil.test",
                          "http://10.0.0.1", "http://x@127.0.0.1", "http://[::2]"})
    EXPECT_FALSE(is_loopback(url)) << url;
}

TEST(UrlTest, OnlyHttpBeyondThisMachineIsInTheClear) {
  EXPECT_TRUE(is_in_the_clear("http://10.0.0.1:8080"));
  EXPECT_TRUE(is_in_the_clear("HTTP://host.test"));
  EXPECT_FALSE(is_in_the_clear("https://host.test"));
  EXPECT_FALSE(is_in_the_clear("HTTPS://host.test"));
  EXPECT_FALSE(is_in_the_clear("http://127.0.0.1:8080"));
}

TEST(UrlTest, TheVersionAtTheEndIsNotPartOfTheBase) {
  EXPECT_EQ(base_url("http://h:1/v1/"), "http://h:1");
  EXPECT_EQ(base_url("http://h:1/api/v1"), "http://h:1/api");
  EXPECT_EQ(base_url("http://h:1//"), "http://h:1");
  EXPECT_EQ(base_url("http://h:1/v12"), "http://h:1/v12");
  EXPECT_EQ(base_url("http://h:1/v1/chat/completions"), "http://h:1");
  EXPECT_EQ(base_url("http://h:1/v1/models?x=1"), "http://h:1");
  EXPECT_EQ(base_url("http://h:1/api/paas/v4/chat/completions/"), "http://h:1/api/paas/v4");
  EXPECT_EQ(base_url("http://h:1/api/chat"), "http://h:1");
}

TEST(UrlTest, TheSameOriginIsSchemeHostAndPort) {
  EXPECT_TRUE(is_same_origin("https://h.test/a", "https://H.test:443/b"));
  EXPECT_FALSE(is_same_origin("https://h.test/a", "http://h.test/a"));
  EXPECT_FALSE(is_same_origin("http://h.test/a", "http://h.test:81/a"));
  EXPECT_FALSE(is_same_origin("http://h.test@evil.test/a", "http://h.test@evil.test/a"));
  EXPECT_FALSE(is_same_origin("/a", "/a"));
}

TEST(UrlTest, KnowsAnUrlByItsScheme) {
  EXPECT_TRUE(is_url("http://h"));
  EXPECT_FALSE(is_url("work/model"));
  EXPECT_FALSE(is_url("httpd.gguf"));
}

}  // namespace
}  // namespace confab::engine

// SPDX-License-Identifier: MIT
#include "ui/markdown/bare_link.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace confab::ui {
namespace {

// All links of a text as "text -> url", or only "text" when that is the url.
std::vector<std::string> links(std::string_view text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (const std::optional<BareLink> link = next_bare_link(text, at)) {
    const std::string shown(text.substr(link->begin, link->end - link->begin));
    out.push_back(shown == link->url ? shown : shown + " -> " + link->url);
    at = link->end;
  }
  return out;
}

using Links = std::vector<std::string>;

TEST(BareLinkTest, FindsAddressesOfTheWeb) {
  EXPECT_EQ(links("see https://example.org/a?b=c#d, then http://x.y"),
            (Links{"https://example.org/a?b=c#d", "http://x.y"}));
  EXPECT_EQ(links("HTTPS://X.Y"), Links{"HTTPS://X.Y"});
  EXPECT_EQ(links("http://localhost:8080/v1"), Links{"http://localhost:8080/v1"});
  EXPECT_EQ(links("www.example.org/a"), Links{"www.example.org/a -> https://www.example.org/a"});
  EXPECT_EQ(links("https://münchen.example/ü"), Links{"https://münchen.example/ü"});
}

TEST(BareLinkTest, FindsMailAddresses) {
  EXPECT_EQ(links("write to a.b+c@x-y.org."), Links{"a.b+c@x-y.org -> mailto:a.b+c@x-y.org"});
  EXPECT_EQ(links("a@b a@b- @b.c a@ a@b.c_ a@.b"), Links{});
}

TEST(BareLinkTest, LeavesTheSentenceItsPunctuation) {
  EXPECT_EQ(links("(https://x.y/a_(b)) https://x.y/c! 'https://x.y/d'; https://x.y/e..."),
            (Links{"https://x.y/a_(b)", "https://x.y/c", "https://x.y/d", "https://x.y/e"}));
  EXPECT_EQ(links("https://x.y/f<b"), Links{"https://x.y/f"});
  EXPECT_EQ(links("見https://x.y/g。又（www.x.y）"),
            (Links{"https://x.y/g", "www.x.y -> https://www.x.y"}));
}

TEST(BareLinkTest, NeedsAWordBoundaryAndADomain) {
  for (const char* text : {"xhttp://x.y", "http://", "https:// x", "http:/x.y", "ftp://x.y", "www.",
                           "www.x", "awww.x.y", "https://.", "www._a.b_", "://x.y", "a.b.c", ""})
    EXPECT_EQ(links(text), Links{}) << text;
}

// Time in proportion: each of these has many places where a link could begin.
TEST(BareLinkTest, ManyFalseStartsAreHarmless) {
  for (const char* piece : {"http://", "www.", "a@", "@", "https://a)", "a.", ":"}) {
    std::string text;
    for (int i = 0; i < 200000; ++i) text += piece;
    EXPECT_LE(links(text).size(), text.size()) << piece;
  }
}

}  // namespace
}  // namespace confab::ui

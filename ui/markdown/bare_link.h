// SPDX-License-Identifier: MIT
// Links that stand in text without any mark (GitHub Flavored Markdown 0.29, section 6.9).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace confab::ui {

struct BareLink {
  std::size_t begin, end;  // in the text
  std::string url;         // with the scheme that the text may lack
};

// The first link that begins at `from` or later: http://, https://, www. or a mail address, without
// the punctuation that ends the sentence around it. Unlike GitHub's, it also ends at the wide
// punctuation of Chinese and Japanese. Linear over all calls that go on from the last link's end.
std::optional<BareLink> next_bare_link(std::string_view text, std::size_t from);

}  // namespace confab::ui

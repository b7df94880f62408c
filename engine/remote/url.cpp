// SPDX-License-Identifier: MIT
#include "engine/remote/url.h"

#include <algorithm>
#include <utility>

#include "engine/ascii_case.h"

namespace confab::engine {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

bool begins_with(std::string_view text, std::string_view with) noexcept {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; };
  return text.size() >= with.size() && std::ranges::equal(text.substr(0, with.size()), with, same);
}

}  // namespace

bool is_url(std::string_view text) noexcept {
  return begins_with(text, kHttp) || begins_with(text, kHttps);
}

std::string host_of(std::string_view url) {
  if (!is_url(url)) return {};
  url.remove_prefix(begins_with(url, kHttp) ? kHttp.size() : kHttps.size());
  const std::string_view host = url.substr(0, url.find_first_of("/?#"));
  return host.find('@') == std::string_view::npos ? std::string(host) : "";
}

bool is_loopback(std::string_view url) {
  const std::string host = host_of(url);
  if (host.starts_with("[::1]")) return true;
  const std::string name = host.substr(0, host.find(':'));
  constexpr std::string_view kLocal = "localhost";
  if (name.size() == kLocal.size() && begins_with(name, kLocal)) return true;
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string::npos;
}

bool is_https(std::string_view url) noexcept {
  return begins_with(url, kHttps);
}

bool is_same_origin(std::string_view a, std::string_view b) {
  const auto origin = [](std::string_view url) {
    const bool is_safe = is_https(url);
    std::string host = ascii_lower(host_of(url));
    const std::string_view usual = is_safe ? ":443" : ":80";
    if (host.ends_with(usual)) host.erase(host.size() - usual.size());
    return std::pair(is_safe, host);
  };
  return !host_of(a).empty() && origin(a) == origin(b);
}

bool is_in_the_clear(std::string_view url) {
  return !is_https(url) && !is_loopback(url);
}

std::string base_url(std::string_view url) {
  const auto drop_slashes = [&url] {
    while (url.ends_with('/')) url.remove_suffix(1);
  };
  url = url.substr(0, url.find_first_of("?#"));
  drop_slashes();
  for (const std::string_view function : {"/chat/completions", "/completions", "/models",
                                          "/responses", "/api/chat", "/api/generate", "/api/tags"})
    if (url.ends_with(function)) {
      url.remove_suffix(function.size());
      break;
    }
  drop_slashes();
  if (url.ends_with("/v1")) url.remove_suffix(3);
  drop_slashes();
  return std::string(url);
}

}  // namespace confab::engine

// SPDX-License-Identifier: MIT
#include "engine/remote/url.h"

#include <algorithm>

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

bool is_in_the_clear(std::string_view url) {
  return !begins_with(url, kHttps) && !is_loopback(url);
}

std::string base_url(std::string_view url) {
  const auto drop_slashes = [&url] {
    while (url.ends_with('/')) url.remove_suffix(1);
  };
  drop_slashes();
  if (url.ends_with("/v1")) url.remove_suffix(3);
  drop_slashes();
  return std::string(url);
}

}  // namespace confab::engine

// SPDX-License-Identifier: MIT
#include "app/pull/hub_place.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "app/error.h"
#include "app/paths.h"
#include "app/stores/hub.h"
#include "app/whole_file.h"
#include "engine/error.h"
#include "engine/remote/url.h"
#include "ui/words.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostToken = 4096;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// Throws UserError where a home is wanted and there is none.
fs::path whole_path(const fs::path& folder) {
  const Places places = Places::of_this_machine();
  if (places.home.empty() && folder.is_relative())
    throw UserError("no home directory: set HOME, or HF_HOME");
  return fs::absolute(folder);
}

std::string token_of_file(const fs::path& file, std::string& notice) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if ((status.st_mode & 077) != 0 || status.st_uid != ::geteuid()) {
    notice = fmt::format("the token in {} is not used, as others can read it: chmod 600 {}",
                         file.string(), file.string());
    return {};
  }
  return whole_file(file).value_or("");
}

std::string token(std::string& notice) {
  std::string text;
  if (const auto own = variable("HF_TOKEN"))
    text = *own;
  else if (const auto file = variable("HF_TOKEN_PATH"))
    text = token_of_file(expand_home(*file), notice);
  else
    text = token_of_file(whole_path(hub_home(Places::of_this_machine())) / "token", notice);
  text = ui::trimmed(text, " \t\r\n");
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c >= 0x7F; };
  if (text.size() > kMostToken || std::ranges::any_of(text, is_odd))
    throw UserError("the hub's token is not one line of visible characters: see HF_TOKEN");
  return text;
}

}  // namespace

fs::path hub_folder() {
  return whole_path(hub_folders(Places::of_this_machine()).front());
}

HubPlace hub_place() {
  HubPlace place;
  if (const auto endpoint = variable("HF_ENDPOINT")) {
    std::string url = *endpoint;
    while (url.ends_with('/')) url.pop_back();
    if (engine::host_of(url).empty())
      throw UserError(fmt::format("HF_ENDPOINT must be like https://hub.example, not {}",
                                  engine::printable(*endpoint)));
    place.hub.url = std::move(url);
  }
  place.hub.token = token(place.notice);
  const bool is_private =
      !place.hub.url.starts_with("http://") || engine::is_loopback(place.hub.url);
  if (!place.hub.token.empty() && !is_private) {
    place.hub.token.clear();
    place.notice = fmt::format("the token is not sent to {}, as http:// hides nothing",
                               engine::host_of(place.hub.url));
  }
  return place;
}

}  // namespace confab::app

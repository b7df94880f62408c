// SPDX-License-Identifier: MIT
#include "engine/hub/hub_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/json.h"
#include "engine/ascii_case.h"
#include "engine/hub/sha256.h"
#include "engine/remote/http_client.h"
#include "engine/remote/url.h"

namespace confab::engine {
namespace {

constexpr int kMostPages = 100;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 44;  // of a file
constexpr std::size_t kCommitDigits = 40;

using base::Json;

HttpAnswer ask(HttpClient& client, const Hub& hub, const std::string& url) {
  HttpRequest request{.url = url,
                      .key = hub.token,
                      .follow = true,
                      .silence = std::chrono::seconds(30),
                      .most = std::chrono::seconds(120)};
  HttpAnswer answer = fetch(client, std::move(request));
  if (!answer.fault.empty()) throw ModelError(answer.fault);
  return answer;
}

void check(const Hub& hub, const HttpAnswer& answer, const std::string& repository) {
  if (answer.head.status == 200) return;
  const std::string text = refusal_text(hub, answer.head, repository);
  if (answer.head.status == 404) throw HubHasNot(text);
  throw ModelError(text);
}

Json parsed(const Hub& hub, const HttpAnswer& answer) {
  try {
    return Json::parse(answer.body);
  } catch (const base::JsonError& fault) {
    throw ModelError(
        fmt::format("{}: its answer is not JSON: {}", host_of(hub.url), printable(fault.what())));
  }
}

std::string commit_of(HttpClient& client, const Hub& hub, const std::string& repository) {
  const HttpAnswer answer = ask(client, hub, hub.url + "/api/models/" + repository);
  check(hub, answer, repository);
  const std::string commit = parsed(hub, answer).text_at("sha");
  const bool is_hex = commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (commit.size() != kCommitDigits || !is_hex)
    throw ModelError(fmt::format("{}: names no commit of {}", host_of(hub.url), repository));
  return commit;
}

void take(const Hub& hub, const Json& entry, std::vector<HubFile>& files) {
  const std::string path = entry.text_at("path");
  if (entry.text_at("type") != "file" || !path.ends_with(".gguf")) return;
  const std::string host = host_of(hub.url);
  if (!is_safe_path(path))
    throw ModelError(
        fmt::format("{}: names a file {}, which nobody should write; nothing was "
                    "pulled",
                    host, printable(path)));
  const Json* size = entry.find("size");
  const std::uint64_t bytes = size != nullptr ? size->as_uint().value_or(0) : 0;
  if (bytes < 1 || bytes > kMostBytes)
    throw ModelError(
        fmt::format("{}: gives {} an impossible size; nothing was pulled", host, printable(path)));
  const Json* lfs = entry.find("lfs");
  const std::string sha256 = lfs != nullptr ? lfs->text_at("oid") : "";
  files.push_back({path, bytes, is_sha256(sha256) ? sha256 : ""});
}

// The URL with rel="next" (https://www.rfc-editor.org/rfc/rfc8288), or empty if there is none.
std::string next_page(const HttpHead& head) {
  const std::string link = head.header("link");
  const std::size_t rel = link.find("rel=\"next\"");
  if (rel == std::string::npos) return {};
  const std::size_t end = link.rfind('>', rel);
  const std::size_t begin = end == std::string::npos ? end : link.rfind('<', end);
  return begin == std::string::npos ? "" : link.substr(begin + 1, end - begin - 1);
}

void take_pages(HttpClient& client, const Hub& hub, HubListing& listing, HttpAnswer answer) {
  for (int page = 1;; ++page) {
    check(hub, answer, listing.repository);
    const Json json = parsed(hub, answer);
    if (!json.is_array())
      throw ModelError(
          fmt::format("{}: lists no files of {}", host_of(hub.url), listing.repository));
    for (const Json& entry : json.elements()) take(hub, entry, listing.files);
    const std::string next = next_page(answer.head);
    if (next.empty() || page == kMostPages) return;
    if (!is_same_origin(next, hub.url))
      throw ModelError(fmt::format("{}: has the rest of its list elsewhere", host_of(hub.url)));
    answer = ask(client, hub, next);
  }
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "-00002-of-00003.gguf": https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
struct Shard {
  std::string stem;  // everything before it
  int number = 0;
  int count = 0;
};

std::optional<Shard> shard_of(const std::string& path) {
  constexpr std::size_t kTail = 20;  // length of "-00002-of-00003.gguf"
  if (path.size() <= kTail) return std::nullopt;
  const std::string tail = path.substr(path.size() - kTail);
  const auto digits = [&tail](std::size_t at) {
    const std::string text = tail.substr(at, 5);
    return text.find_first_not_of("0123456789") == std::string::npos ? std::stoi(text) : 0;
  };
  if (tail[0] != '-' || tail.substr(6, 4) != "-of-" || !tail.ends_with(".gguf"))
    return std::nullopt;
  const Shard shard{path.substr(0, path.size() - kTail), digits(1), digits(10)};
  return shard.number > 0 && shard.count > 0 ? std::optional(shard) : std::nullopt;
}

// Returns true for files that accompany a model but are not one, going by common names.
bool is_beside_a_model(const HubFile& file) {
  const std::string name = ascii_lower(std::string(file_name(file.path)));
  for (const char* prefix : {"mtp-", "eagle3-", "dflash-", "dspark-"})
    if (name.starts_with(prefix)) return true;
  return name.find("mmproj") != std::string::npos || name.find("imatrix") != std::string::npos;
}

bool is_of_choice(const HubFile& file, const std::string& choice) {
  return ascii_lower(quantisation_of(file.path)) == ascii_lower(std::string(choice));
}

// Returns the match with the shortest path, the first of equally short ones; nullptr if none
// matches.
const HubFile* find_model(const std::vector<const HubFile*>& models, const std::string& choice) {
  const HubFile* best = nullptr;
  for (const HubFile* file : models)
    if (is_of_choice(*file, choice) && (best == nullptr || file->path.size() < best->path.size()))
      best = file;
  return best;
}

[[noreturn]] void fail_to_choose(const HubListing& listing,
                                 const std::vector<const HubFile*>& models,
                                 const std::string& choice) {
  std::vector<std::string> names;
  for (const HubFile* file : models) {
    std::string name = quantisation_of(file->path);
    if (name.empty()) name = printable(file->path);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  throw HubHasNot(fmt::format("{} has no {}; it has {}", listing.repository, printable(choice),
                              fmt::join(names, ", ")));
}

const HubFile& choose_model(const HubListing& listing, const std::string& choice) {
  if (choice.ends_with(".gguf"))
    for (const HubFile& file : listing.files)
      if (file.path == choice || file_name(file.path) == choice) return file;
  std::vector<const HubFile*> models;
  for (const HubFile& file : listing.files) {
    const auto shard = shard_of(file.path);
    if (!is_beside_a_model(file) && (!shard || shard->number == 1)) models.push_back(&file);
  }
  if (models.empty())
    throw HubHasNot(
        fmt::format("{} has no GGUF files: look for a repository of that model whose "
                    "name ends in -GGUF",
                    listing.repository));
  if (!choice.empty()) {
    if (const HubFile* found = find_model(models, choice)) return *found;
    fail_to_choose(listing, models, choice);
  }
  for (const char* usual : {"Q4_K_M", "UD-Q4_K_M", "Q8_0"})
    if (const HubFile* found = find_model(models, usual)) return *found;
  return *models.front();
}

}  // namespace

HubListing list_files(HttpClient& client, const Hub& hub, const HubName& name) {
  HubListing listing{.repository = name.repository(),
                     .commit = commit_of(client, hub, name.repository()),
                     .files = {}};
  const std::string tree = hub.url + "/api/models/" + listing.repository + "/tree/";
  HttpAnswer answer = ask(client, hub, tree + listing.commit + "?recursive=true");
  // A mirror may know only names of revisions.
  if (answer.head.status == 404) answer = ask(client, hub, tree + "main?recursive=true");
  take_pages(client, hub, listing, std::move(answer));
  return listing;
}

std::vector<HubFile> choose_files(const HubListing& listing, const std::string& choice) {
  const HubFile& model = choose_model(listing, choice);
  std::vector<HubFile> chosen;
  if (const auto shard = shard_of(model.path)) {
    for (int number = 1; number <= shard->count; ++number) {
      const std::string path =
          fmt::format("{}-{:05}-of-{:05}.gguf", shard->stem, number, shard->count);
      const auto found = std::ranges::find(listing.files, path, &HubFile::path);
      if (found == listing.files.end())
        throw HubHasNot(
            fmt::format("{} lacks {}, a part of the model", listing.repository, printable(path)));
      chosen.push_back(*found);
    }
  } else {
    chosen.push_back(model);
  }
  for (const HubFile& file : chosen)
    if (file.sha256.empty())
      throw ModelError(fmt::format("{}: the hub gives no SHA-256 of {}, so it cannot be checked",
                                   listing.repository, printable(file.path)));
  return chosen;
}

std::string file_url(const Hub& hub, const HubListing& listing, const HubFile& file) {
  std::string path;
  for (const char c : file.path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-_.~/").find(c) != std::string_view::npos;
    if (is_plain)
      path += c;
    else
      path += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("{}/{}/resolve/{}/{}", hub.url, listing.repository, listing.commit, path);
}

std::string refusal_text(const Hub& hub, const HttpHead& head, const std::string& repository) {
  const std::string host = host_of(hub.url);
  const std::string page = hub.url + "/" + repository;
  const std::string code = head.header("x-error-code");
  const int status = head.status;
  if (code == "GatedRepo" || (status == 403 && !hub.token.empty()))
    return hub.token.empty()
               ? fmt::format(
                     "{} is gated: accept its terms at {}, make a token at {}/settings/tokens, "
                     "and set HF_TOKEN to it",
                     repository, page, hub.url)
               : fmt::format(
                     "{} is gated, and the owner of this token has no access yet: ask for "
                     "it at {}",
                     repository, page);
  if (status == 401 || status == 403)
    return hub.token.empty()
               ? fmt::format(
                     "{} has no {} for everybody: check the name; if it is private or "
                     "gated, set HF_TOKEN to a token of {}/settings/tokens",
                     host, repository, hub.url)
               : fmt::format("{} does not take the token for {}: check the name, and HF_TOKEN",
                             host, repository);
  if (status == 404) return fmt::format("{} has no {}: check the name", host, repository);
  if (status == 429) return fmt::format("{} is asked too often: wait a few minutes", host);
  return fmt::format("{} answers with status {}: try again later", host, status);
}

}  // namespace confab::engine

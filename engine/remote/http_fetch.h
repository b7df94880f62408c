// SPDX-License-Identifier: MIT
// Answers that are waited for as a whole.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/remote/http_client.h"

namespace confab::engine {

// The longest list of models is a megabyte, and a page of a hub's files less.
inline constexpr std::size_t kMostAnswer = std::size_t{8} << 20;

// An answer as a whole, of up to kMostAnswer bytes.
struct HttpAnswer {
  HttpHead head = {};
  std::string body = {};
  std::string fault = {};  // why it is not whole; empty: it is
};
// Waits for it: what request.most says, at most.
HttpAnswer fetch(HttpClient& client, HttpRequest request);
// Side by side.
std::vector<HttpAnswer> fetch_all(HttpClient& client, std::vector<HttpRequest> requests);

}  // namespace confab::engine

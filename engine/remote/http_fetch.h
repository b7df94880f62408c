// SPDX-License-Identifier: MIT
// Answers that are waited for as a whole.
#pragma once

#include <string>
#include <vector>

#include "engine/remote/http_client.h"

namespace confab::engine {

// An answer as a whole, of up to 16 MiB.
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

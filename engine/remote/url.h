// SPDX-License-Identifier: MIT
// The parts of a URL that confab looks at itself; curl does the rest.
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

// Whether it begins like an http or https URL.
bool is_url(std::string_view text) noexcept;
// The host, with the port if there is one, safe to show: "127.0.0.1:8080". Empty if there is no
// host, or if a user name or password precedes it.
std::string host_of(std::string_view url);
// Whether the host is this machine: localhost, 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view url);
bool is_https(std::string_view url) noexcept;
// Whether scheme, host and port are the same.
bool is_same_origin(std::string_view a, std::string_view b);
// Whether others can read what is sent there: it leaves this machine without https.
bool is_in_the_clear(std::string_view url);
// The base to which an engine's paths are added: the URL without "/v1", slashes or the path of a
// single function ("/chat/completions") at its end.
std::string base_url(std::string_view url);

}  // namespace confab::engine

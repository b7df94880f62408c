// SPDX-License-Identifier: MIT
// What confab looks at of an URL; all else is curl's.
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

// Whether it begins as one of http or https.
bool is_url(std::string_view text) noexcept;
// Its host, with its port where it has one, as it may be shown: "127.0.0.1:8080". Empty: it has
// none, or a name or password stands before it.
std::string host_of(std::string_view url);
// Whether that is this machine itself: localhost, 127.0.0.0/8 or ::1.
bool is_loopback(std::string_view url);
bool is_https(std::string_view url) noexcept;
// Whether scheme, host and port are the same.
bool is_same_origin(std::string_view a, std::string_view b);
// Whether others can read what is sent there: it leaves this machine, and not by https.
bool is_in_the_clear(std::string_view url);
// What the paths of an engine's interface are added to: without "/v1", slashes and the path of a
// single function ("/chat/completions") at its end.
std::string base_url(std::string_view url);

}  // namespace confab::engine

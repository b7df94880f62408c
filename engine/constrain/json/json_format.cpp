// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_format.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace confab::engine {
namespace {

using std::string;

// RFC 3339 section 5.6, with the days that every month of a year can have.
string date() {
  const string any_year = R"(\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|)"
                          R"((?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8])))";
  const string leap_year = R"((?:\d\d(?:0[48]|[2468][048]|[13579][26])|)"
                           R"((?:[02468][048]|[13579][26])00)-02-29)";
  return fmt::format("(?:{}|{})", any_year, leap_year);
}

string time() {
  return R"((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d))";
}

// RFC 3339 appendix A.
string duration() {
  const string of_time = R"(T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))";
  const string of_days = R"((?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D))";
  return fmt::format(R"(P(?:\d+W|{1}(?:{0})?|{0}))", of_time, of_days);
}

// RFC 1123: labels of letters, digits and inner hyphens, 63 characters at most.
string hostname() {
  const string label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
  return fmt::format(R"({0}(?:\.{0})*)", label);
}

string ipv4() {
  const string byte = R"((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))";
  return fmt::format(R"((?:{0}\.){{3}}{0})", byte);
}

// RFC 4291, in the words of RFC 3986 appendix A.
string ipv6() {
  const string h16 = "[0-9A-Fa-f]{1,4}";
  const string ls32 = fmt::format("(?:{0}:{0}|{1})", h16, ipv4());
  string all = fmt::format("(?:{}:){{6}}{}|::(?:{}:){{5}}{}", h16, ls32, h16, ls32);
  for (int n_before = 0; n_before < 7; ++n_before) {
    const int n_after = 4 - n_before;  // groups between the gap and the last two
    const string before = fmt::format("(?:(?:{0}:){{0,{1}}}{0})?::", h16, n_before);
    const string last = n_after >= 0 ? ls32 : n_after == -1 ? h16 : "";
    all += fmt::format("|{}(?:{}:){{{}}}{}", before, h16, n_after > 0 ? n_after : 0, last);
  }
  return fmt::format("(?:{})", all);
}

// RFC 5321 section 4.1.2, without quotation marks.
string email() {
  const string atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  return fmt::format(R"({0}(?:\.{0})*@(?:{1}|\[{2}\]))", atom, hostname(), ipv4());
}

// RFC 3986 appendix A.
struct Uri {
  string coded = "%[0-9A-Fa-f]{2}";
  string character = fmt::format("(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|{})", coded);
  string authority = fmt::format(
      R"((?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|{0})*@)?(?:\[{1}\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|{0})*)(?::\d*)?)",
      coded, ipv6());
  string path = fmt::format("(?:/{}*)*", character);
  string tail = fmt::format(R"((?:\?(?:{0}|[/?])*)?(?:#(?:{0}|[/?])*)?)", character);
  string rooted = fmt::format("//{1}{2}|/(?:{0}+{2})?", character, authority, path);

  string whole() const {
    return fmt::format("[A-Za-z][A-Za-z0-9+.-]*:(?:{}|{}+{}|){}", rooted, character, path, tail);
  }
  string relative() const {
    const string no_colon = fmt::format("(?:[A-Za-z0-9._~!$&'()*+,;=@-]|{})+", coded);
    return fmt::format("(?:{}|{}{}|){}", rooted, no_colon, path, tail);
  }
};

std::map<string, string, std::less<>> all_formats() {
  const Uri uri;
  const string pointer = "(?:/(?:[^/~]|~[01])*)*";  // RFC 6901
  return {{"date-time", fmt::format("{}[Tt]{}", date(), time())},
          {"date", date()},
          {"time", time()},
          {"duration", duration()},
          {"email", email()},
          {"hostname", hostname()},
          {"ipv4", ipv4()},
          {"ipv6", ipv6()},
          {"uuid", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"},
          {"uri", uri.whole()},
          {"uri-reference", fmt::format("(?:{}|{})", uri.whole(), uri.relative())},
          {"json-pointer", pointer},
          {"relative-json-pointer", fmt::format(R"((?:0|[1-9]\d*)(?:#|{}))", pointer)}};
}

}  // namespace

std::optional<std::string_view> format_pattern(std::string_view format) {
  static const auto formats = all_formats();
  const auto found = formats.find(format);
  return found == formats.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

}  // namespace confab::engine

// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_text.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "engine/constrain/characters.h"

namespace confab::engine {
namespace {

constexpr int kMaxIndent = 64;

RegexId quoted(RegexSet& r, RegexId inside) {
  return r.concat({r.literal("\""), inside, r.literal("\"")});
}

using std::string;

// RFC 3339 section 5.6, with the number of days of each month.
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

// RFC 1123: labels of letters, digits and inner hyphens, at most 63 characters. Two hyphens as the
// third and fourth character are excluded: they mean that the rest is encoded (RFC 5890 section
// 2.3.1), which no expression can check.
string label() {
  const string end = "[A-Za-z0-9]", any = "[A-Za-z0-9-]";
  const string longer = fmt::format("{1}(?:{0}{1}|-{0}){1}{{0,58}}{0}", end, any);
  return fmt::format("{0}(?:{1}{{0,2}}{0}|{2})?", end, any, longer);
}

string hostname() {
  return fmt::format(R"({0}(?:\.{0})*)", label());
}

string ipv4() {
  const string byte = R"((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d))";
  return fmt::format(R"((?:{0}\.){{3}}{0})", byte);
}

// RFC 4291, as written in RFC 3986 appendix A.
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

// RFC 5321 section 4.1.2, without quotation marks. `more` are additional characters (RFC 6531).
string email(const string& more, const string& host) {
  const string atom = fmt::format("[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{}-]+", more);
  return fmt::format(R"({0}(?:\.{0})*@(?:{1}|\[{2}\]))", atom, host, ipv4());
}

// RFC 5890 to 5893, restricted to letters that may always stand next to each other, and to labels
// that are short enough when encoded as ASCII.
string idn_hostname() {
  const string letter =
      R"([a-z0-9\u00DF-\u00F6\u00F8-\u00FF\u03AC-\u03CE\u0430-\u045F\u3041-\u3096\u30A1-\u30FA)"
      R"(\u4E00-\u9FFF\uAC00-\uD7A3])";
  return fmt::format(R"((?:{0}|{1}(?:-?{1}){{0,12}})(?:\.(?:{0}|{1}(?:-?{1}){{0,12}}))*)", label(),
                     letter);
}

// The characters of IRIs beyond ASCII (RFC 3987 section 2.2).
constexpr const char* kUcs =
    R"(\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD})"
    R"(\u{30000}-\u{3FFFD})";
constexpr const char* kPrivate = R"(\uE000-\uF8FF\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD})";

// RFC 3986 appendix A, with or without the characters of IRIs (RFC 3987 section 2.2).
struct Uri {
  string ucs = {};
  string of_query = {};  // additional characters of the query
  string coded = "%[0-9A-Fa-f]{2}";
  string character = fmt::format("(?:[A-Za-z0-9._~!$&'()*+,;=:@{}-]|{})", ucs, coded);
  string authority = fmt::format(
      R"((?:(?:[A-Za-z0-9._~!$&'()*+,;=:{0}-]|{1})*@)?(?:\[{2}\]|(?:[A-Za-z0-9._~!$&'()*+,;={0}-]|{1})*)(?::\d*)?)",
      ucs, coded, ipv6());
  string path = fmt::format("(?:/{}*)*", character);
  string tail = fmt::format(R"((?:\?(?:{0}|[/?{1}])*)?(?:#(?:{0}|[/?])*)?)", character, of_query);
  string rooted = fmt::format("//{1}{2}|/(?:{0}+{2})?", character, authority, path);

  string whole() const {
    return fmt::format("[A-Za-z][A-Za-z0-9+.-]*:(?:{}|{}+{}|){}", rooted, character, path, tail);
  }
  string relative() const {
    const string no_colon = fmt::format("(?:[A-Za-z0-9._~!$&'()*+,;=@{}-]|{})+", ucs, coded);
    return fmt::format("(?:{}|{}{}|){}", rooted, no_colon, path, tail);
  }
  string either() const { return fmt::format("(?:{}|{})", whole(), relative()); }
};

// RFC 6570 section 2.
string uri_template() {
  const string name = R"((?:\w|%[0-9A-Fa-f]{2})+)";
  const string variable = fmt::format(R"({0}(?:\.{0})*(?:\*|:[1-9]\d{{0,3}})?)", name);
  return fmt::format(R"((?:[!#$&-;=?-\[\]_a-z~{0}{1}]|%[0-9A-Fa-f]{{2}}|)"
                     R"(\{{[+#./;?&=,!@|]?{2}(?:,{2})*\}})*)",
                     kUcs, kPrivate, variable);
}

// Texts that are surely regular expressions, in ECMA-262 and in related syntaxes: without back
// references, names, and features that differ between the syntaxes, and with groups nested only to
// a small depth.
string expression() {
  const string hex = "[0-9A-Fa-f]";
  const string escape = fmt::format(
      R"(\\(?:[dDwWsSfnrtv^$\\.*+?()[\]{{}}|/]|x{0}{{2}}|u(?:[0-9A-Ca-cEFef]{0}|[Dd][0-7]){0}{{2}}))",
      hex);
  // The ends of a range are in ascending order.
  string range =
      fmt::format(R"(\\x[0-3]{0}-\\x[4-9A-Fa-f]{0}|\\u0{0}{{3}}-\\u[1-9A-Ca-cEFef]{0}{{3}})", hex);
  for (const string all :
       {"0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz"})
    for (std::size_t i = 0; i < all.size(); ++i)
      range += fmt::format("|{}-[{}]", all[i], all.substr(i));
  const string in_class = fmt::format(R"((?:{}|\\-|{}|[^\\\[\]&~^-]))", range, escape);
  const string set = fmt::format(R"(\[\^?(?:-?{}+-?|-)\])", in_class);
  string between = R"(\d,[1-9]\d+)";  // the minimum and the maximum of a repetition
  for (int i = 0; i < 10; ++i) {
    between += fmt::format("|{0},[{0}-9]", i);
    if (i == 0) continue;
    between += fmt::format(R"(|{}\d,[1-9]\d{{2,}})", i);
    if (i < 9) between += fmt::format(R"(|{}\d,[{}-9]\d)", i, i + 1);
    for (int j = 0; j < 10; ++j) between += fmt::format("|{0}{1},{0}[{1}-9]", i, j);
  }
  const string often = fmt::format(R"((?:(?:[*+?]|\{{(?:\d{{1,3}},?|{0})\}})\??)?)", between);
  const string single = fmt::format(R"((?:[^\\^$.*+?()[\]{{}}|]|\.|{}|{}))", escape, set);
  const string flat = fmt::format(R"((?:{}{}|[|^$]|\\[bB])*)", single, often);
  string all = flat;
  for (int depth = 0; depth < 4; ++depth)
    all = fmt::format(R"((?:(?:{}|\((?:\?:)?{}\)){}|\(\?[=!]{}\)|[|^$]|\\[bB])*)", single, all,
                      often, flat);
  return all;
}

std::map<string, string, std::less<>> all_formats() {
  const Uri uri, iri{kUcs, kPrivate};
  const string pointer = "(?:/(?:[^/~]|~[01])*)*";  // RFC 6901
  return {{"date-time", fmt::format("{}[Tt]{}", date(), time())},
          {"date", date()},
          {"time", time()},
          {"duration", duration()},
          {"email", email("", hostname())},
          {"idn-email", email(kUcs, idn_hostname())},
          {"hostname", hostname()},
          {"idn-hostname", idn_hostname()},
          {"ipv4", ipv4()},
          {"ipv6", ipv6()},
          {"uuid", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"},
          {"uri", uri.whole()},
          {"uri-reference", uri.either()},
          {"iri", iri.whole()},
          {"iri-reference", iri.either()},
          {"uri-template", uri_template()},
          {"regex", expression()},
          {"json-pointer", pointer},
          {"relative-json-pointer", fmt::format(R"((?:0|[1-9]\d*)(?:#|{}))", pointer)}};
}

}  // namespace

RegexId json_space(RegexSet& r) {
  ByteSet blanks = ByteSet::of(' ');
  blanks.add('\t');
  const RegexId line = r.concat(
      {r.optional(r.literal("\r")), r.literal("\n"), r.repeat(r.bytes(blanks), 0, kMaxIndent)});
  return r.either({RegexSet::kEmpty, r.literal(" "), line});
}

RegexId any_string(RegexSet& r) {
  return string_of_length(r, 0, RegexSet::kNoLimit);
}

RegexId plain_string(RegexSet& r) {
  return quoted(r, r.repeat(json_plain_character(r), 0, RegexSet::kNoLimit));
}

RegexId string_literal(RegexSet& r, std::string_view utf8) {
  return quoted(r, text_literal(r, utf8, TextForm::json));
}

RegexId string_of_length(RegexSet& r, int min, int max) {
  return quoted(r, r.repeat(json_character(r), min, max));
}

std::optional<std::string_view> format_pattern(std::string_view format) {
  static const auto formats = all_formats();
  const auto found = formats.find(format);
  return found == formats.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

}  // namespace confab::engine

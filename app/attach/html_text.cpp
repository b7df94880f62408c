// SPDX-License-Identifier: MIT
#include "app/attach/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "app/attach/text_encoding.h"
#include "ui/words.h"

namespace confab::app {
namespace {

// The character entities of HTML 4.01, section 24, sorted by name, with &apos; from XML.
constexpr auto kEntities = std::to_array<HtmlEntity>({
    {"AElig", 0xC6},     {"Aacute", 0xC1},   {"Acirc", 0xC2},     {"Agrave", 0xC0},
    {"Alpha", 0x391},    {"Aring", 0xC5},    {"Atilde", 0xC3},    {"Auml", 0xC4},
    {"Beta", 0x392},     {"Ccedil", 0xC7},   {"Chi", 0x3A7},      {"Dagger", 0x2021},
    {"Delta", 0x394},    {"ETH", 0xD0},      {"Eacute", 0xC9},    {"Ecirc", 0xCA},
    {"Egrave", 0xC8},    {"Epsilon", 0x395}, {"Eta", 0x397},      {"Euml", 0xCB},
    {"Gamma", 0x393},    {"Iacute", 0xCD},   {"Icirc", 0xCE},     {"Igrave", 0xCC},
    {"Iota", 0x399},     {"Iuml", 0xCF},     {"Kappa", 0x39A},    {"Lambda", 0x39B},
    {"Mu", 0x39C},       {"Ntilde", 0xD1},   {"Nu", 0x39D},       {"OElig", 0x152},
    {"Oacute", 0xD3},    {"Ocirc", 0xD4},    {"Ograve", 0xD2},    {"Omega", 0x3A9},
    {"Omicron", 0x39F},  {"Oslash", 0xD8},   {"Otilde", 0xD5},    {"Ouml", 0xD6},
    {"Phi", 0x3A6},      {"Pi", 0x3A0},      {"Prime", 0x2033},   {"Psi", 0x3A8},
    {"Rho", 0x3A1},      {"Scaron", 0x160},  {"Sigma", 0x3A3},    {"THORN", 0xDE},
    {"Tau", 0x3A4},      {"Theta", 0x398},   {"Uacute", 0xDA},    {"Ucirc", 0xDB},
    {"Ugrave", 0xD9},    {"Upsilon", 0x3A5}, {"Uuml", 0xDC},      {"Xi", 0x39E},
    {"Yacute", 0xDD},    {"Yuml", 0x178},    {"Zeta", 0x396},     {"aacute", 0xE1},
    {"acirc", 0xE2},     {"acute", 0xB4},    {"aelig", 0xE6},     {"agrave", 0xE0},
    {"alefsym", 0x2135}, {"alpha", 0x3B1},   {"amp", 0x26},       {"and", 0x2227},
    {"ang", 0x2220},     {"apos", 0x27},     {"aring", 0xE5},     {"asymp", 0x2248},
    {"atilde", 0xE3},    {"auml", 0xE4},     {"bdquo", 0x201E},   {"beta", 0x3B2},
    {"brvbar", 0xA6},    {"bull", 0x2022},   {"cap", 0x2229},     {"ccedil", 0xE7},
    {"cedil", 0xB8},     {"cent", 0xA2},     {"chi", 0x3C7},      {"circ", 0x2C6},
    {"clubs", 0x2663},   {"cong", 0x2245},   {"copy", 0xA9},      {"crarr", 0x21B5},
    {"cup", 0x222A},     {"curren", 0xA4},   {"dArr", 0x21D3},    {"dagger", 0x2020},
    {"darr", 0x2193},    {"deg", 0xB0},      {"delta", 0x3B4},    {"diams", 0x2666},
    {"divide", 0xF7},    {"eacute", 0xE9},   {"ecirc", 0xEA},     {"egrave", 0xE8},
    {"empty", 0x2205},   {"emsp", 0x2003},   {"ensp", 0x2002},    {"epsilon", 0x3B5},
    {"equiv", 0x2261},   {"eta", 0x3B7},     {"eth", 0xF0},       {"euml", 0xEB},
    {"euro", 0x20AC},    {"exist", 0x2203},  {"fnof", 0x192},     {"forall", 0x2200},
    {"frac12", 0xBD},    {"frac14", 0xBC},   {"frac34", 0xBE},    {"frasl", 0x2044},
    {"gamma", 0x3B3},    {"ge", 0x2265},     {"gt", 0x3E},        {"hArr", 0x21D4},
    {"harr", 0x2194},    {"hearts", 0x2665}, {"hellip", 0x2026},  {"iacute", 0xED},
    {"icirc", 0xEE},     {"iexcl", 0xA1},    {"igrave", 0xEC},    {"image", 0x2111},
    {"infin", 0x221E},   {"int", 0x222B},    {"iota", 0x3B9},     {"iquest", 0xBF},
    {"isin", 0x2208},    {"iuml", 0xEF},     {"kappa", 0x3BA},    {"lArr", 0x21D0},
    {"lambda", 0x3BB},   {"lang", 0x2329},   {"laquo", 0xAB},     {"larr", 0x2190},
    {"lceil", 0x2308},   {"ldquo", 0x201C},  {"le", 0x2264},      {"lfloor", 0x230A},
    {"lowast", 0x2217},  {"loz", 0x25CA},    {"lrm", 0x200E},     {"lsaquo", 0x2039},
    {"lsquo", 0x2018},   {"lt", 0x3C},       {"macr", 0xAF},      {"mdash", 0x2014},
    {"micro", 0xB5},     {"middot", 0xB7},   {"minus", 0x2212},   {"mu", 0x3BC},
    {"nabla", 0x2207},   {"nbsp", 0xA0},     {"ndash", 0x2013},   {"ne", 0x2260},
    {"ni", 0x220B},      {"not", 0xAC},      {"notin", 0x2209},   {"nsub", 0x2284},
    {"ntilde", 0xF1},    {"nu", 0x3BD},      {"oacute", 0xF3},    {"ocirc", 0xF4},
    {"oelig", 0x153},    {"ograve", 0xF2},   {"oline", 0x203E},   {"omega", 0x3C9},
    {"omicron", 0x3BF},  {"oplus", 0x2295},  {"or", 0x2228},      {"ordf", 0xAA},
    {"ordm", 0xBA},      {"oslash", 0xF8},   {"otilde", 0xF5},    {"otimes", 0x2297},
    {"ouml", 0xF6},      {"para", 0xB6},     {"part", 0x2202},    {"permil", 0x2030},
    {"perp", 0x22A5},    {"phi", 0x3C6},     {"pi", 0x3C0},       {"piv", 0x3D6},
    {"plusmn", 0xB1},    {"pound", 0xA3},    {"prime", 0x2032},   {"prod", 0x220F},
    {"prop", 0x221D},    {"psi", 0x3C8},     {"quot", 0x22},      {"rArr", 0x21D2},
    {"radic", 0x221A},   {"rang", 0x232A},   {"raquo", 0xBB},     {"rarr", 0x2192},
    {"rceil", 0x2309},   {"rdquo", 0x201D},  {"real", 0x211C},    {"reg", 0xAE},
    {"rfloor", 0x230B},  {"rho", 0x3C1},     {"rlm", 0x200F},     {"rsaquo", 0x203A},
    {"rsquo", 0x2019},   {"sbquo", 0x201A},  {"scaron", 0x161},   {"sdot", 0x22C5},
    {"sect", 0xA7},      {"shy", 0xAD},      {"sigma", 0x3C3},    {"sigmaf", 0x3C2},
    {"sim", 0x223C},     {"spades", 0x2660}, {"sub", 0x2282},     {"sube", 0x2286},
    {"sum", 0x2211},     {"sup", 0x2283},    {"sup1", 0xB9},      {"sup2", 0xB2},
    {"sup3", 0xB3},      {"supe", 0x2287},   {"szlig", 0xDF},     {"tau", 0x3C4},
    {"there4", 0x2234},  {"theta", 0x3B8},   {"thetasym", 0x3D1}, {"thinsp", 0x2009},
    {"thorn", 0xFE},     {"tilde", 0x2DC},   {"times", 0xD7},     {"trade", 0x2122},
    {"uArr", 0x21D1},    {"uacute", 0xFA},   {"uarr", 0x2191},    {"ucirc", 0xFB},
    {"ugrave", 0xF9},    {"uml", 0xA8},      {"upsih", 0x3D2},    {"upsilon", 0x3C5},
    {"uuml", 0xFC},      {"weierp", 0x2118}, {"xi", 0x3BE},       {"yacute", 0xFD},
    {"yen", 0xA5},       {"yuml", 0xFF},     {"zeta", 0x3B6},     {"zwj", 0x200D},
    {"zwnj", 0x200C},
});

constexpr std::string_view kBlank = " \t\r\n\f";
// The content of these is not text, or not shown.
constexpr std::string_view kSkipped = "script style template noscript svg iframe object head";
constexpr std::string_view kOfHead = "title meta link base script style noscript template head";
// Browsers parse no tags inside these.
constexpr std::string_view kRaw = "script style noscript iframe title textarea";
constexpr std::string_view kParagraphs =
    "p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre hr figure form details section article "
    "header footer main nav aside address title";
constexpr std::string_view kLines =
    "div li tr dt dd br figcaption caption summary option legend fieldset thead tbody body html";

struct Tag {
  std::string name;  // in lower case
  bool closes = false;
  std::string_view attributes;
};

// The value of an attribute, as written; "" if it is missing.
std::string_view attribute(std::string_view attributes, std::string_view wanted) {
  while (!attributes.empty()) {
    attributes.remove_prefix(
        std::min(attributes.find_first_not_of(" \t\r\n\f/"), attributes.size()));
    const std::size_t end = std::min(attributes.find_first_of(" \t\r\n\f/="), attributes.size());
    const std::string name = ui::lower_case(attributes.substr(0, end));
    attributes.remove_prefix(end);
    std::string_view value;
    if (attributes.starts_with('=')) {
      attributes.remove_prefix(1);
      const char quote = attributes.empty() ? ' ' : attributes.front();
      const bool quoted = quote == '"' || quote == '\'';
      if (quoted) attributes.remove_prefix(1);
      const std::size_t stop = std::min(
          quoted ? attributes.find(quote) : attributes.find_first_of(kBlank), attributes.size());
      value = attributes.substr(0, stop);
      attributes.remove_prefix(std::min(stop + (quoted ? 1 : 0), attributes.size()));
    }
    if (name == wanted) return value;
  }
  return {};
}

// The resulting text, with blanks collapsed as on a page.
class PageText {
 public:
  void add(std::string_view text, bool as_it_is) {
    for (const char c : text) {
      if (as_it_is && c != '\r') {
        if (c == '\n')
          end_line();
        else
          put(c);
      } else if (kBlank.find(c) != std::string_view::npos) {
        blank_ = blank_ || !line_.empty();
      } else {
        put(c);
      }
    }
  }
  // Puts a mark before the first word of the next line.
  void begin_line_with(std::string mark) {
    break_line();
    mark_ = std::move(mark);
  }
  void set_indent(std::size_t n) { indent_ = n; }
  void break_line() {
    if (!line_.empty()) end_line();
  }
  void break_paragraph() {
    break_line();
    paragraph_ = !text_.empty();
  }
  std::string take() {
    break_line();
    return std::move(text_);
  }

 private:
  void put(char c) {
    if (line_.empty()) {
      if (std::exchange(paragraph_, false)) text_ += '\n';
      line_.append(indent_, ' ');
      line_ += std::exchange(mark_, {});
    } else if (blank_) {
      line_ += ' ';
    }
    blank_ = false;
    line_ += c;
  }
  void end_line() {
    line_.erase(line_.find_last_not_of(' ') + 1);
    text_ += line_;
    text_ += '\n';
    line_.clear();
    blank_ = false;
  }

  std::string text_;
  std::string line_;
  std::string mark_;
  std::size_t indent_ = 0;
  bool blank_ = false;      // goes before the next character of this line
  bool paragraph_ = false;  // an empty line goes before the next line
};

std::optional<char32_t> character_named(std::string_view name) {
  const auto entities = html_entities();
  const auto found = std::ranges::lower_bound(entities, name, {}, &HtmlEntity::name);
  if (found == entities.end() || found->name != name) return std::nullopt;
  return found->character == 0xA0 ? U' ' : found->character;
}

// Decodes "#233" or "#xE9". Browsers read 128 to 159 as windows-1252.
std::optional<char32_t> character_numbered(std::string_view digits) {
  digits.remove_prefix(1);
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  std::uint32_t c = 0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), c, hex ? 16 : 10);
  if (digits.empty() || end != digits.data() + digits.size()) return std::nullopt;
  if (fault != std::errc{} || c == 0) return 0xFFFD;
  return c == 0xA0 ? U' ' : c < 256 ? windows_1252(static_cast<unsigned char>(c)) : char32_t{c};
}

std::string decoded(std::string_view text) {
  constexpr std::size_t kMaxName = 32;
  std::string out;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, kMaxName).find(';');
    const std::string_view name = end == text.npos ? "" : text.substr(1, end - 1);
    const std::optional<char32_t> c = name.empty()            ? std::nullopt
                                      : name.starts_with('#') ? character_numbered(name)
                                                              : character_named(name);
    if (c) append_utf8(out, *c);
    if (!c) out += '&';
    text.remove_prefix(c ? end + 1 : 1);
  }
  return out;
}

class Page {
 public:
  explicit Page(std::string_view html) : rest_(html) {}

  std::string take() {
    while (!rest_.empty()) {
      const std::size_t at = std::min(rest_.find('<'), rest_.size());
      say(rest_.substr(0, at));
      rest_.remove_prefix(at);
      if (!rest_.empty()) take_markup();
    }
    return text_.take();
  }

 private:
  struct List {
    bool numbered;
    int n_items = 0;
  };

  void say(std::string_view text) {
    if (skipped_.empty() && !text.empty()) text_.add(decoded(text), n_pre_ > 0);
  }
  void drop_to(std::string_view mark) {
    const std::size_t at = rest_.find(mark);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + mark.size());
  }
  void take_markup() {
    if (rest_.starts_with("<!--")) return drop_to("-->");
    if (rest_.starts_with("<!") || rest_.starts_with("<?")) return drop_to(">");
    if (const auto tag = take_tag()) return take(*tag);
    say("<");
    rest_.remove_prefix(1);
  }

  // Parses the tag at a "<". Returns nullopt if a tag does not begin there.
  std::optional<Tag> take_tag() {
    const bool closes = rest_.starts_with("</");
    std::string_view inside = rest_.substr(closes ? 2 : 1);
    if (inside.empty() || ui::to_lower(inside[0]) < 'a' || ui::to_lower(inside[0]) > 'z')
      return std::nullopt;
    const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n\f/>"), inside.size());
    std::size_t end = name_end;
    char quote = 0;
    for (; end < inside.size() && (quote != 0 || inside[end] != '>'); ++end) {
      const char c = inside[end];
      if (quote != 0 ? c == quote : (c == '"' || c == '\'') && inside[end - 1] == '=')
        quote = quote != 0 ? '\0' : c;
    }
    rest_ = inside.substr(std::min(end + 1, inside.size()));
    return Tag{ui::lower_case(inside.substr(0, name_end)), closes,
               inside.substr(name_end, end - name_end)};
  }

  void take(const Tag& tag) {
    // The end tag of a head is often missing, so a tag that cannot be in a head ends it.
    if (skipped_ == (tag.closes ? std::string_view(tag.name) : "head") &&
        !(skipped_ == "head" && !tag.closes && ui::has_word(kOfHead, tag.name)))
      skipped_.clear();
    if (tag.name == "title" && !tag.closes && skipped_ == "head") return take_title();
    if (skipped_.empty()) show(tag);
    if (!tag.closes && ui::has_word(kRaw, tag.name)) take_raw(tag.name);
  }
  void show(const Tag& tag) {
    if (tag.closes || !ui::has_word(kSkipped, tag.name)) return lay_out(tag);
    skipped_ = tag.name;
  }
  void take_title() {
    skipped_.clear();
    text_.begin_line_with("# ");
    take_raw("title");
    text_.break_paragraph();
    skipped_ = "head";
  }
  // Takes the content of an element up to its end tag.
  void take_raw(const std::string& name) {
    std::size_t at = rest_.find("</");
    const auto is_end = [&] { return ui::lower_case(rest_.substr(at + 2, name.size())) == name; };
    while (at != rest_.npos && !is_end()) at = rest_.find("</", at + 2);
    at = std::min(at, rest_.size());
    say(rest_.substr(0, at));
    rest_.remove_prefix(at);
  }

  void lay_out(const Tag& tag) {
    const std::string& name = tag.name;
    if (ui::has_word("ul ol", name)) return take_list(tag);
    if (name == "pre") take_pre(tag);
    if (name == "br" && n_pre_ > 0)
      text_.add("\n", true);
    else if (ui::has_word(kParagraphs, name))
      text_.break_paragraph();
    else if (ui::has_word(kLines, name))
      text_.break_line();
    const bool is_heading = name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
    if (tag.closes && (is_heading || name == "li")) text_.begin_line_with("");
    if (tag.closes) return;
    if (is_heading)
      text_.begin_line_with(std::string(static_cast<std::size_t>(name[1] - '0'), '#') + ' ');
    if (name == "li") take_item();
    if (name == "tr") n_cells_ = 0;
    if (ui::has_word("td th", name) && n_cells_++ > 0) text_.add(" | ", false);
    if (name == "img") text_.add(decoded(attribute(tag.attributes, "alt")), false);
  }
  void take_pre(const Tag& tag) {
    n_pre_ = std::max(0, n_pre_ + (tag.closes ? -1 : 1));
    for (const char end : {'\r', '\n'})
      if (!tag.closes && rest_.starts_with(end)) rest_.remove_prefix(1);
  }
  void take_list(const Tag& tag) {
    constexpr std::size_t kMaxIndented = 8;
    if (lists_.empty() || (tag.closes && lists_.size() == 1))
      text_.break_paragraph();
    else
      text_.break_line();
    if (!tag.closes)
      lists_.push_back({tag.name == "ol"});
    else if (!lists_.empty())
      lists_.pop_back();
    const std::size_t depth = lists_.empty() ? 0 : lists_.size() - 1;
    text_.set_indent(2 * std::min(depth, kMaxIndented));
  }
  void take_item() {
    if (!lists_.empty() && lists_.back().numbered)
      return text_.begin_line_with(fmt::format("{}. ", ++lists_.back().n_items));
    text_.begin_line_with("- ");
  }

  std::string_view rest_;
  PageText text_;
  std::string skipped_;  // the element being skipped, or ""
  std::vector<List> lists_;
  int n_pre_ = 0;
  int n_cells_ = 0;  // in this row
};

}  // namespace

std::span<const HtmlEntity> html_entities() noexcept {
  return kEntities;
}

std::string html_text(std::string_view html) {
  return Page(html).take();
}

}  // namespace confab::app

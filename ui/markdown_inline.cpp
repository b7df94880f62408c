// SPDX-License-Identifier: MIT
#include "ui/markdown_inline.h"

#include <cmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "ui/text.h"

namespace confab::ui {
namespace {

struct FreeIter {
  void operator()(cmark_iter* iter) const noexcept { cmark_iter_free(iter); }
};

// cmark decodes entities, so what it returns is untrusted once more.
std::string safe(const char* text) {
  if (text == nullptr) return {};
  std::string out = sanitize(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

class InlineWalk {
 public:
  InlineWalk(const Style& base, MarkdownOptions options) : base_(base), options_(options) {}

  InlineText run(cmark_node* block) {
    const std::unique_ptr<cmark_iter, FreeIter> iter(cmark_iter_new(block));
    for (;;) {
      const cmark_event_type event = cmark_iter_next(iter.get());
      if (event == CMARK_EVENT_DONE) return std::move(out_);
      visit(cmark_iter_get_node(iter.get()), event == CMARK_EVENT_ENTER);
    }
  }

 private:
  struct OpenLink {
    std::string url;
    std::size_t first_span;
  };

  void visit(cmark_node* node, bool entering) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_TEXT:
      case CMARK_NODE_HTML_INLINE:
        return append(safe(cmark_node_get_literal(node)), style());
      case CMARK_NODE_CODE:
        return append(safe(cmark_node_get_literal(node)), code_style());
      case CMARK_NODE_SOFTBREAK:
        return append(" ", style());
      case CMARK_NODE_LINEBREAK:
        return append("\n", style());
      case CMARK_NODE_EMPH:
        emphasis_ += entering ? 1 : -1;
        return;
      case CMARK_NODE_STRONG:
        strong_ += entering ? 1 : -1;
        return;
      case CMARK_NODE_LINK:
      case CMARK_NODE_IMAGE:
        return entering ? open_link(node) : close_link();
      default:
        return;
    }
  }

  void open_link(cmark_node* node) {
    std::string url = safe(cmark_node_get_url(node));
    if (links_.empty()) href_ = clickable_target(url);
    links_.push_back({std::move(url), out_.spans.size()});
    starts_span_ = true;
  }

  void close_link() {
    const OpenLink link = std::move(links_.back());
    std::string text;
    for (std::size_t i = link.first_span; i < out_.spans.size(); ++i) text += out_.spans[i].text;
    if (text.empty()) append(link.url, style());
    links_.pop_back();
    if (links_.empty()) {
      href_.clear();
      const std::size_t n_spans = out_.spans.size() - link.first_span;
      if (n_spans > 0 && !link.url.empty())
        out_.links.push_back({link.first_span, n_spans, link.url});
    }
    starts_span_ = true;
    const bool shown = text.empty() || text == link.url || "mailto:" + text == link.url;
    const bool wanted = options_.show_link_targets || clickable_target(link.url).empty();
    if (!shown && wanted && !link.url.empty())
      append(fmt::format(" ({})", link.url), {.role = Role::dim});
  }

  Style style() const {
    Style style = base_;
    style.bold |= strong_ > 0;
    style.italic |= emphasis_ > 0;
    if (!links_.empty())
      style.role = Role::link;
    else if (base_.role != Role::heading && strong_ > 0)
      style.role = Role::strong;
    else if (base_.role != Role::heading && emphasis_ > 0)
      style.role = Role::emphasis;
    return style;
  }

  Style code_style() const {
    Style code = style();
    code.role = Role::code;
    return code;
  }

  void append(std::string_view text, const Style& style) {
    if (text.empty()) return;
    const bool same = !starts_span_ && !out_.spans.empty() && out_.spans.back().style == style &&
                      out_.spans.back().link == href_;
    if (same)
      out_.spans.back().text += text;
    else
      out_.spans.push_back({std::string(text), style, href_});
    starts_span_ = false;
  }

  Style base_;
  MarkdownOptions options_;
  InlineText out_;
  std::vector<OpenLink> links_;  // innermost last: images in links nest
  std::string href_;             // of the outermost
  int emphasis_ = 0;
  int strong_ = 0;
  bool starts_span_ = false;  // so that a link's text is whole spans
};

}  // namespace

InlineText inline_text(cmark_node* block, const Style& base, MarkdownOptions options) {
  return InlineWalk(base, options).run(block);
}

std::string clickable_target(std::string_view url) {
  // Terminals drop longer ones: VTE's limit.
  constexpr std::size_t kMaxBytes = 2083;
  std::string scheme(url.substr(0, url.find(':')));
  std::ranges::transform(scheme, scheme.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  if (scheme.size() == url.size() || (scheme != "http" && scheme != "https" && scheme != "mailto"))
    return {};
  std::string out;
  for (const char c : url) {
    if (c > ' ' && c < 0x7f)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out.size() <= kMaxBytes ? out : std::string{};
}

}  // namespace confab::ui

// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/token_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/error.h"

namespace confab::engine::jinja {

const Token& TokenStream::next() const {
  return tokens_[std::min(pos_ + 1, tokens_.size() - 1)];
}

bool TokenStream::at_op(std::string_view op) const {
  return current().kind == TokenKind::op && current().text == op;
}

bool TokenStream::at_name(std::string_view name) const {
  return current().kind == TokenKind::name && current().text == name;
}

bool TokenStream::accept_op(std::string_view op) {
  if (!at_op(op)) return false;
  take();
  return true;
}

bool TokenStream::accept_name(std::string_view name) {
  if (!at_name(name)) return false;
  take();
  return true;
}

void TokenStream::expect_op(std::string_view op) {
  if (!accept_op(op)) fail_unexpected(fmt::format("'{}'", op));
}

std::string TokenStream::expect_name() {
  if (current().kind != TokenKind::name) fail_unexpected("a name");
  return take().text;
}

void TokenStream::fail(std::string_view message) const {
  throw ModelError(fmt::format("line {}: {}", current().line, message));
}

void TokenStream::fail_unexpected(std::string_view expected) const {
  const Token& token = current();
  if (token.kind == TokenKind::end) fail(fmt::format("the template ends, expected {}", expected));
  const bool shown = token.kind != TokenKind::data && token.kind != TokenKind::string;
  fail(fmt::format("found {}, expected {}", shown ? fmt::format("'{:.40}'", token.text) : "text",
                   expected));
}

}  // namespace confab::engine::jinja

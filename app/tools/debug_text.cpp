// SPDX-License-Identifier: MIT
#include "app/tools/debug_text.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

#include "app/error.h"
#include "app/models/inference.h"
#include "app/paths.h"
#include "base/json.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/prompt/chat_template.h"
#include "engine/safetensors/open_model.h"
#include "engine/text/tokenizer.h"

namespace confab::app {
namespace {

using base::Json;

std::string read_all(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0)
      throw UserError("standard input: \"hex\" has a character that is not a hexadecimal digit");
    bytes += static_cast<char>(high << 4 | low);
  }
  if (hex.size() % 2 != 0) throw UserError("standard input: \"hex\" has an odd number of digits");
  return bytes;
}

Json parse_json(const std::string& text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const base::JsonError& fault) {
    throw UserError(fmt::format("{}: not JSON: {}", where, fault.what()));
  }
}

// Calls `line` for each line that is not blank.
void for_each_line(std::istream& in, const std::function<void(const std::string&)>& line) {
  for (std::string text; std::getline(in, text);)
    if (text.find_first_not_of(" \t\r") != std::string::npos) line(text);
}

std::string text_of_case(const std::string& line) {
  const Json value = parse_json(line, "standard input");
  if (value.is_string()) return *value.as_text();
  if (const Json* hex = value.find("hex"); hex != nullptr && hex->is_string())
    return from_hex(*hex->as_text());
  throw UserError("standard input: each line must be a JSON string or {\"hex\": \"...\"}");
}

std::vector<engine::Token> tokens_of(const std::string& text, const engine::Tokenizer& tokenizer) {
  const Json value = parse_json(text, "standard input");
  std::vector<engine::Token> tokens;
  if (!value.is_array()) throw UserError("standard input: expected a JSON array of token ids");
  for (const Json& one : value.elements()) {
    const std::int64_t id = one.as_int().value_or(-1);
    if (id < 0 || id >= tokenizer.n_vocab())
      throw UserError(fmt::format("standard input: {} is not a token id; ids are 0 to {}",
                                  one.excerpt(), tokenizer.n_vocab() - 1));
    tokens.push_back(static_cast<engine::Token>(id));
  }
  return tokens;
}

struct TemplateSource {
  std::string source, bos, eos;
};

TemplateSource template_source(const DebugOptions& options) {
  if (!options.template_file.empty()) {
    std::ifstream file(expand_home(options.template_file), std::ios::binary);
    if (!file) throw UserError(fmt::format("{}: cannot be read", options.template_file));
    return {read_all(file), options.bos_token, options.eos_token};
  }
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto source = gguf.find_string("tokenizer.chat_template");
  if (!source) gguf.fail("has no chat template (tokenizer.chat_template)");
  const auto text = [&](std::optional<engine::Token> token) {
    return token ? std::string(tokenizer->piece(*token, true)) : std::string();
  };
  TemplateSource found{std::string(*source), text(tokenizer->bos()), text(tokenizer->eos())};
  gguf.check();
  return found;
}

}  // namespace

int debug_tokenize(const DebugOptions& options, std::istream& in, std::ostream& out) {
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto print_ids = [&](const std::string& text) {
    std::vector<engine::Token> ids = tokenizer->encode(text, options.special);
    if (options.bos) {
      ids.insert(ids.begin(), tokenizer->prefix().begin(), tokenizer->prefix().end());
      ids.insert(ids.end(), tokenizer->suffix().begin(), tokenizer->suffix().end());
    }
    gguf.check();
    out << Json(ids).dump() << '\n';
  };
  if (options.jsonl)
    for_each_line(in, [&](const std::string& line) { print_ids(text_of_case(line)); });
  else
    print_ids(read_all(in));
  return 0;
}

int debug_detokenize(const DebugOptions& options, std::istream& in, std::ostream& out) {
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto text_of = [&](const std::string& ids) {
    std::string text = tokenizer->detokenize(tokens_of(ids, *tokenizer), true);
    gguf.check();
    return text;
  };
  if (!options.jsonl) {
    out << text_of(read_all(in));
    return 0;
  }
  for_each_line(in, [&](const std::string& line) {
    out << Json{{"hex", to_hex(text_of(line))}}.dump() << '\n';
  });
  return 0;
}

int debug_render(const DebugOptions& options, std::istream& in, std::ostream& out,
                 std::ostream& err) {
  const TemplateSource source = template_source(options);
  const engine::ChatTemplate chat_template(source.source, source.bos, source.eos);
  if (!options.jsonl) {
    try {
      out << chat_template.render_json(read_all(in)).text;
      return 0;
    } catch (const engine::ModelError& fault) {
      err << fault.what() << '\n';
      return 1;
    }
  }
  for_each_line(in, [&](const std::string& line) {
    Json answer;
    try {
      answer["text"] = chat_template.render_json(line).text;
    } catch (const engine::ModelError& fault) {
      answer["error"] = fault.what();
    }
    out << answer.dump() << '\n';
  });
  return 0;
}

}  // namespace confab::app

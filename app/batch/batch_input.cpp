// SPDX-License-Identifier: MIT
#include "app/batch/batch_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "app/attach/reader.h"
#include "app/attach/text_encoding.h"
#include "app/chat/question.h"
#include "app/error.h"
#include "app/nearest.h"
#include "app/parameters.h"
#include "app/paths.h"
#include "app/transfer/json_cursor.h"
#include "app/whole_file.h"
#include "engine/error.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

// Members of OpenAI's format that make no difference to a batch.
constexpr std::string_view kIgnored =
    "model user metadata store stream stream_options service_tier safety_identifier "
    "prompt_cache_key";
constexpr std::string_view kShapes =
    "response_format json_schema grammar regex tools tool_choice functions function_call";
constexpr std::string_view kOwn = "prompt system files thinking id expect retries within";

void add_message(BatchRequest& request, const std::string& role, const std::string& content) {
  if (!request.messages.empty() && request.messages.back().role == role) {
    request.messages.back().content += "\n\n" + content;  // templates expect the roles to alternate
    return;
  }
  request.messages.push_back({role, content});
}

std::string content_of(const JsonCursor& content) {
  if (!content.is_array()) return content.string();
  std::string text;
  for (const JsonCursor& part : content.elements()) {
    if (const auto type = part.find("type"); type && type->string() != "text")
      type->fail(fmt::format("found \"{}\", expected \"text\"", type->string()));
    text += part.at("text").string();
  }
  return text;
}

void read_messages(const JsonCursor& messages, BatchRequest& request) {
  constexpr std::array<std::string_view, 3> kRoles{"system", "user", "assistant"};
  for (const JsonCursor& message : messages.elements()) {
    const JsonCursor role = message.at("role");
    const std::string name = role.string() == "developer" ? "system" : role.string();
    if (std::ranges::find(kRoles, name) == kRoles.end())
      role.fail(fmt::format("found \"{}\", expected system, developer, user or assistant", name));
    if (message.find("tool_calls")) message.at("tool_calls").fail("tools are not supported");
    add_message(request, name, content_of(message.at("content")));
  }
  if (request.messages.empty() || request.messages.back().role != "user")
    messages.fail("the last message must be the user's");
}

std::vector<std::string> read_texts(const JsonCursor& value) {
  if (!value.is_array()) return {value.string()};
  std::vector<std::string> texts;
  for (const JsonCursor& text : value.elements()) texts.push_back(text.string());
  return texts;
}

void read_parameter(const Parameter& parameter, const JsonCursor& value, AnswerOptions& options) {
  const bool real = std::holds_alternative<float engine::SamplerParams::*>(parameter.member);
  std::vector<std::string> texts;
  if (is_list(parameter))
    texts = read_texts(value);
  else if (is_switch(parameter))
    texts = {value.boolean() ? "true" : "false"};
  else if (std::holds_alternative<std::vector<engine::SamplerKind> engine::SamplerParams::*>(
               parameter.member))
    texts = {value.string()};
  else
    texts = {real ? fmt::format("{}", value.number()) : fmt::format("{}", value.integer())};
  const std::string fault = set_parameter(parameter, options, texts, Origin::chat);
  if (!fault.empty()) value.fail(fault);
}

const Parameter* parameter_called(std::string_view key) {
  if (key == "max_tokens" || key == "max_completion_tokens") key = "num_predict";
  const auto found = std::ranges::find(parameters(), key, &Parameter::name);
  return found != parameters().end() ? &*found : find_set_parameter(key);
}

[[noreturn]] void fail_unknown(const std::string& key, const JsonCursor& value) {
  std::vector<std::string_view> names{"prompt",   "messages",    "system",  "files",  "stop",
                                      "thinking", "max_tokens",  "id",      "expect", "retries",
                                      "within",   "json_schema", "grammar", "regex"};
  for (const Parameter& parameter : parameters()) names.push_back(parameter.name);
  const auto near = nearest(key, names);
  value.fail(fmt::format("is not known{}", near ? fmt::format("; did you mean {}?", *near) : ""));
}

void check_shape(const JsonCursor& value, const engine::ConstraintSpec& shape) {
  try {
    engine::check_constraint(shape);
  } catch (const engine::ModelError& fault) {
    value.fail(fault.what());
  }
}

void set_shape(const JsonCursor& value, engine::ConstraintSpec::Kind kind, std::string text,
               AnswerOptions& options) {
  if (options.shape.kind != engine::ConstraintSpec::Kind::none)
    value.fail("the answer can have one shape only; leave one of them out");
  options.shape = {.kind = kind, .text = std::move(text)};
  check_shape(value, options.shape);
}

// Reads OpenAI's "response_format", and llama-server's names for shapes. A shape that was requested
// must be kept, so unsupported ones are refused.
void read_shape(const std::string& key, const JsonCursor& value, AnswerOptions& options) {
  using Kind = engine::ConstraintSpec::Kind;
  if (key == "grammar") return set_shape(value, Kind::gbnf, value.string(), options);
  if (key == "regex") return set_shape(value, Kind::pattern, value.string(), options);
  if (key == "json_schema") return set_shape(value, Kind::json_schema, value.text(), options);
  if (key != "response_format") value.fail("batches have no tools; leave it out");
  const std::string type = value.at("type").string();
  if (type == "text") return;
  if (type == "json_object")
    return set_shape(value, Kind::json_schema, R"({"type":"object"})", options);
  if (type != "json_schema")
    value.at("type").fail("expected \"text\", \"json_object\" or \"json_schema\"");
  const JsonCursor schema = value.at("json_schema").at("schema");
  set_shape(schema, Kind::json_schema, schema.text(), options);
}

void read_expectation(const JsonCursor& value, BatchRequest& request) {
  try {
    request.expected = parse_expectation(value.string());
  } catch (const UserError& fault) {
    value.fail(fault.what());
  }
}

void read_own(const std::string& key, const JsonCursor& value, BatchRequest& request) {
  if (key == "files") request.files = read_texts(value);
  if (key == "thinking") request.options.thinking = value.boolean();
  if (key == "expect") read_expectation(value, request);
  if (key != "retries") return;
  if (value.integer() < 0 || value.integer() > kMaxRetries)
    value.fail(
        fmt::format("found {}, expected a number from 0 to {}", value.integer(), kMaxRetries));
  request.n_retries = static_cast<int>(value.integer());
}

// Reads the keys that depend on other keys, once all of those are known.
void read_company(const JsonCursor& body, BatchRequest& request) {
  engine::ConstraintSpec& shape = request.options.shape;
  const bool has_shape = shape.kind != engine::ConstraintSpec::Kind::none;
  if (const auto expected = body.find("expect"); expected && has_shape)
    expected->fail("cannot be used together with a schema, grammar or regex; leave one out");
  if (const auto retries = body.find("retries"); retries && !request.expected.is_wanted())
    retries->fail("works only with \"expect\"");
  const auto within = body.find("within");
  if (!within) return;
  const std::vector<std::string> markers = read_texts(*within);
  if (markers.size() != 2 || markers[0].empty() || markers[1].empty())
    within->fail("expected the two texts that the shape stands between");
  if (!has_shape) within->fail("needs a shape: add \"json_schema\", \"grammar\" or \"regex\"");
  shape.opening = markers[0];
  shape.closing = markers[1];
  check_shape(*within, shape);
}

void read_member(const std::string& key, const JsonCursor& value, BatchRequest& request) {
  if (ui::has_word(kIgnored, key) || key == "messages") return;
  if (ui::has_word(kShapes, key)) return read_shape(key, value, request.options);
  if (!request.openai && ui::has_word(kOwn, key)) return read_own(key, value, request);
  if (key == "stop") {
    request.stop = read_texts(value);
  } else if (key == "n") {
    if (value.integer() != 1) value.fail("only one answer to each request is written");
  } else if (const Parameter* parameter = parameter_called(key)) {
    read_parameter(*parameter, value, request.options);
  } else {
    fail_unknown(key, value);
  }
}

void read_body(const JsonCursor& body, const std::string& system, BatchRequest& request) {
  const auto prompt = request.openai ? std::nullopt : body.find("prompt");
  const auto messages = body.find("messages");
  if (prompt && messages) body.fail("\"prompt\" and \"messages\" cannot be used together");
  if (!prompt && !messages)
    body.fail(request.openai ? "\"messages\" is missing" : "\"prompt\" is missing");
  if (!request.openai)
    if (const auto own = body.find("system")) add_message(request, "system", own->string());
  if (prompt) add_message(request, "user", prompt->string());
  if (messages) read_messages(*messages, request);
  if (!system.empty() && request.messages.front().role != "system")
    request.messages.insert(request.messages.begin(), {"system", system});
  for (const auto& [key, value] : body.members()) {
    if (body.find(key)) read_member(key, value, request);  // null counts as absent
  }
  if (!request.openai) read_company(body, request);
}

// {"custom_id", "method", "url", "body"}.
JsonCursor read_envelope(const JsonCursor& root) {
  const JsonCursor url = root.at("url");
  if (url.string() != "/v1/chat/completions")
    url.fail(fmt::format("found \"{}\", expected \"/v1/chat/completions\"", url.string()));
  if (const auto method = root.find("method"); method && method->string() != "POST")
    method->fail(fmt::format("found \"{}\", expected \"POST\"", method->string()));
  return root.at("body");
}

std::string id_of(const JsonCursor& id) {
  return id.is_string() ? id.text() : fmt::format("{}", id.integer());
}

// Reads the id of the line, then calls read_rest. An error becomes the request's fault.
template <class ReadRest>
void read(std::string_view text, int line, BatchRequest& request, const ReadRest& read_rest) {
  try {
    const JsonDocument document(text, fmt::format("line {}", line));
    const JsonCursor root = document.root();
    request.openai = root.find("custom_id") || root.find("body");
    if (request.openai) {
      if (!root.at("custom_id").is_string()) root.at("custom_id").string();
      request.id = id_of(root.at("custom_id"));
    } else if (const auto id = root.find("id")) {
      request.id = id_of(*id);
    }
    read_rest(root);
  } catch (const UserError& fault) {
    request.fault = fault.what();
  }
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";  // byte order mark of UTF-8

// Decodes each line separately, so that a fault in one line does not affect the others.
std::string text_of(const std::string& path) {
  const FileLimits limits{.most = kMostOfData};
  auto bytes = whole_file(expand_home(path), limits);
  if (!bytes) throw UserError(fmt::format("{}: {}", ui::one_line(path), read_fault(errno, limits)));
  const bool is_wide = bytes->starts_with("\xFF\xFE") || bytes->starts_with("\xFE\xFF");
  auto first = decode_text(is_wide ? *bytes : bytes->substr(0, bytes->find('\n')));
  if (!first) throw UserError(fmt::format("{}: is not a text file", ui::one_line(path)));
  if (is_wide) return std::move(first->text);
  std::string text;
  for (std::string_view left = *bytes; !left.empty();) {
    const std::string_view line = left.substr(0, left.find('\n'));
    auto decoded = decode_text(std::string(line));
    text += decoded ? decoded->text : "\xEF\xBF\xBD";  // U+FFFD, which is not a valid request
    left.remove_prefix(line.size());
    if (left.empty()) break;
    text += '\n';
    left.remove_prefix(1);
  }
  return text;
}

void refuse_twins(const std::string& path, const std::vector<BatchEntry>& entries) {
  std::map<std::string_view, int> lines;
  for (const BatchEntry& entry : entries) {
    if (entry.id.empty()) continue;
    const auto [first, is_new] = lines.emplace(entry.id, entry.line);
    if (!is_new)
      throw UserError(fmt::format("{}: lines {} and {} have the same id, {}", path, first->second,
                                  entry.line, entry.id));
  }
}

}  // namespace

BatchRequest read_heading(std::string_view text, int line) {
  BatchRequest request;
  read(text, line, request, [](const JsonCursor&) {});
  return request;
}

BatchRequest read_request(std::string_view text, int line, const ChatOptions& defaults) {
  BatchRequest request{.options = defaults};
  read(text, line, request, [&](const JsonCursor& root) {
    read_body(request.openai ? read_envelope(root) : root, defaults.system, request);
  });
  return request;
}

std::vector<engine::Turn> turns_of(const BatchRequest& request,
                                   std::span<const std::string> faults) {
  std::vector<engine::Turn> turns;
  for (const engine::ChatMessage& message : request.messages) turns.push_back({message});
  std::string& asked = turns.back().message.content;
  asked = asked_in_form(asked, request.expected);
  if (!faults.empty()) asked = asked_again(asked, faults);
  if (request.files.empty()) return turns;
  Question question(asked);
  for (const std::string& file : request.files) question.attachments.push_back(read_one(file));
  asked = prompt_of(question);
  return turns;
}

std::vector<engine::Turn> with_system(std::vector<engine::Turn> turns, const std::string& system) {
  const bool has_one = !turns.empty() && turns.front().message.role == "system";
  if (!system.empty() && !has_one) turns.insert(turns.begin(), {.message = {"system", system, ""}});
  return turns;
}

BatchInput::BatchInput(const std::string& path, ChatOptions defaults)
    : text_(text_of(path)), defaults_(std::move(defaults)) {
  std::size_t begin = text_.starts_with(kMark) ? kMark.size() : 0;
  for (int line = 1; begin < text_.size(); ++line) {
    const std::size_t end = std::min(text_.find('\n', begin), text_.size());
    const std::string_view text = std::string_view(text_).substr(begin, end - begin);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) {
      BatchRequest request = read_heading(text, line);
      entries_.push_back({line, begin, text.size(), std::move(request.id), request.openai});
    }
    begin = end + 1;
  }
  if (entries_.empty())
    throw UserError(fmt::format("{}: has no requests; give a line of JSON for each", path));
  refuse_twins(path, entries_);
}

BatchRequest BatchInput::request(const BatchEntry& entry) const {
  return read_request(std::string_view(text_).substr(entry.begin, entry.n_bytes), entry.line,
                      defaults_);
}

}  // namespace confab::app

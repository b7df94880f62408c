// SPDX-License-Identifier: MIT
#include "app/cli/wrong_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "app/cli/completion_script.h"
#include "app/nearest.h"
#include "app/paths.h"
#include "ui/words.h"

namespace confab::app {
namespace {

// The advice for the names in a row. {} stands for the word that follows, or for `missing` if there
// is none.
struct Advice {
  std::string_view names;  // separated by spaces
  std::string_view text;
  std::string_view missing = {};
};

constexpr std::string_view kPull = "to download a model: confab pull {}, then confab -m its file";
constexpr std::string_view kNoDownload =
    "confab downloads from huggingface.co only: confab pull ORG/NAME; else get a GGUF file, then: "
    "confab -m FILE.gguf";
constexpr std::string_view kNoModelRuns = "this command runs no model on a device; leave it out";
constexpr std::string_view kWholeDevice =
    "confab runs all of a model on one device, which --device names; leave it out";
constexpr std::string_view kAutomatic = "confab does this by itself; leave it out";
constexpr std::string_view kNoServer =
    "confab is not a server; to chat in this terminal: confab -m MODEL";
constexpr std::string_view kTextOnly = "confab reads and writes text only; leave it out";
constexpr std::string_view kFormat =
    "for JSON: confab -p \"QUESTION\" -j SCHEMA; for a list, a table or code: --expect FORM";
constexpr std::string_view kDraftsAlike = "the draft model runs as the model does; leave it out";
constexpr std::string_view kMapped =
    "confab always maps the model file and computes from there, with no copy in memory; leave it "
    "out";

constexpr auto kFlags = std::to_array<Advice>({
    {"-hf -hfr --hf-repo", kPull, "ORG/NAME:QUANT"},
    {"-hff --hf-file", "to download one file: confab pull ORG/NAME:{}", "FILE"},
    {"-hft --hf-token", "confab pull takes the token of HF_TOKEN; leave it out"},
    {"-mu --model-url -dr --docker-repo", kNoDownload},
    {"--list-devices", "to list them: confab devices"},
    {"-mg --main-gpu --gpu", "to name a graphics processor: --device vulkan:{}", "N"},
    {"-ngl --gpu-layers --n-gpu-layers -dev --device", kNoModelRuns},
    {"-sm --split-mode -ts --tensor-split -nkvo --no-kv-offload -ot --override-tensor -cmoe "
     "--cpu-moe -ncmoe --n-cpu-moe",
     kWholeDevice},
    {"--mlock",
     "confab does not lock memory: weights are clean pages of the model file, which the system "
     "keeps while it has room and reads again otherwise; leave it out"},
    {"--no-mmap -lm --load-mode -dio --direct-io -ndio --no-direct-io", kMapped},
    {"-fa --flash-attn --mmap --warmup --no-warmup --numa --jinja -cnv --conversation -i "
     "--interactive -if --interactive-first --color --colors --simple-io -mli --multiline-input "
     "-co --prompt-cache --prompt-cache-all --cache-prompt -cram --cache-ram -kvu --kv-unified -cb "
     "--cont-batching --offline --nowordwrap --keepalive --log-disable -ub --ubatch-size -tb "
     "--threads-batch --swa-full --no-display-prompt",
     kAutomatic},
    {"--host --port --api-key --api-base --api --serve --server --slots --metrics -np --parallel "
     "--embedding --embeddings --rerank --reranking --api-key-file --ssl-key-file --ssl-cert-file "
     "--threads-http --webui --no-webui --props --no-slots --public",
     kNoServer},
    {"--mmproj -mmp -mm --mmproj-url --no-mmproj --image --audio --video -a --attachment",
     kTextOnly},
    {"--grammar --grammar-file -j --json-schema --format --schema --json-mode --response-format",
     kFormat},
    {"--sampling-seq --sampler-seq", "name the samplers: --samplers 'top_k;top_p;temperature'"},
    {"--adaptive-target --adaptive-decay",
     "confab does not have this sampler; --mirostat 2 keeps to a target, too"},
    {"--context-shift --no-context-shift",
     "when the context is full, the oldest questions go; --overflow says what else is done"},
    {"--prio --prio-batch --poll --poll-batch --cpu-mask --cpu-range -Cr --cpu-strict -Cb "
     "--cpu-mask-batch -Crb --cpu-range-batch --cpu-strict-batch",
     "confab leaves this to the system; -t N sets the number of threads"},
    {"--in-prefix --in-suffix --in-prefix-bos --no-jinja",
     "the chat template does this; --chat-template gives another one"},
    {"-cml --chatml", "to use this template: --chat-template chatml"},
    {"--chat-template-kwargs --reasoning-effort --reasoning-preserve",
     "confab tells templates only whether to reason: --reasoning on or off"},
    {"-td --threads-draft -tbd --threads-batch-draft -ngld --gpu-layers-draft -ctkd "
     "--cache-type-k-draft -ctvd --cache-type-v-draft -devd --device-draft",
     kDraftsAlike},
    {"-lcs --lookup-cache-static -lcd --lookup-cache-dynamic --spec-type",
     "confab looks up and drafts by itself; --no-lookup and --no-draft turn it off"},
    {"--lora --lora-scaled --control-vector --control-vector-scaled --override-kv",
     "confab does not support this; it runs the model file as it is"},
    {"-no-cnv --no-conversation -st --single-turn --once", "to ask once: confab -p \"QUESTION\""},
    {"-bf --binary-file --in-file --fragment", "to ask about a file: confab -p \"QUESTION\" {}",
     "FILE"},
    {"--verbose-prompt --display-prompt", "/show prompt in the chat shows what the model reads"},
    {"-o --output --output-file", "to write the answer to a file: confab -p \"QUESTION\" > {}",
     "FILE"},
    {"--verbose --show-timings --perf --usage -u",
     "for statistics: confab -p \"QUESTION\" --stats"},
    {"-v -lv --log-verbosity --log-file",
     "confab keeps no log; with -p, --stats prints statistics"},
    {"--think --nothink --reasoning-format --hidethinking",
     "to turn reasoning on or off: --reasoning on, --reasoning off, or /think in the chat"},
    {"-l --list", "conversations: confab list; models: confab models"},
    {"--list-models --cache-list -cl --models", "to see the models found here: confab models"},
    {"--list-sessions --list-conversations", "to see the conversations: confab list"},
    {"--session --cid --conversation-id", "to reopen a conversation: confab --resume {}",
     "NAME|ID"},
    {"--show --show-last", "to print a conversation: confab export {}", "NAME|ID"},
    {"--delete --delete-older-than", "to delete a conversation: confab delete {}", "NAME|ID"},
    {"--title", "to name a conversation: confab rename ID TITLE"},
    {"--role --rolename --agent", "for a role, set a system prompt: confab --system TEXT"},
    {"--no-log --no-cache --no-save", "to write nothing to disk: confab --incognito"},
    {"--no-stream -S --stream --raw", "confab -p prints only the answer, as it is generated"},
    {"--settings --config --dirs", "to see the configuration: confab config"},
    {"--key --login --insecure", "confab needs no key; the model runs on this machine"},
});

constexpr auto kCommands = std::to_array<Advice>({
    {"serve server", "confab is not a server; to chat in this terminal: confab"},
    {"download fetch get install", "to download a model: confab pull {}", "ORG/NAME:QUANT"},
    {"create", "to give a model a system prompt: confab -m MODEL --system TEXT"},
    {"ls", "conversations: confab list; models: confab models"},
    {"ps stop unload", "a model stays loaded only while confab runs; to see models: confab models"},
    {"remove", "to delete a conversation: confab delete {}", "NAME|ID"},
    {"show info inspect", "to inspect a model file: confab debug info -m {}", "MODEL"},
    {"logs log history sessions conversations", "to see the conversations: confab list"},
    {"resume open load session", "to reopen a conversation: confab --resume {}", "NAME|ID"},
    {"continue", "to reopen the last conversation: confab --continue"},
    {"new", "to start a new conversation: confab"},
    {"theme themes", "to choose the colours: confab --theme NAME, or /theme in the chat"},
    {"version", "to see the version: confab --version"},
    {"man manual docs", "to read the manual: confab --man | man -l -"},
    {"configure settings setup", "to see the configuration: confab config"},
    {"completion completions", "to print a completion script: confab --completion {}",
     "bash|zsh|fish"},
    {"find grep", "to search the conversations: confab search {}", "WORDS"},
    {"convert", "to make a model file smaller: confab quantize IN.gguf OUT.gguf TYPE"},
    {"save", "to write a conversation to a file: confab export NAME|ID -o FILE"},
    {"benchmark", "to measure the speed: confab bench -m MODEL"},
    {"tokenize", "to see tokens: confab debug tokenize -m MODEL"},
    {"embed embed-multi similar", "confab does not make embeddings; to chat: confab"},
    {"push login signin update upgrade",
     "confab uses the network only for confab pull and for engines elsewhere; to chat: confab"},
});

// Quotes a text for a shell as a person would write it.
std::string quoted_text(std::string_view text) {
  if (text.find_first_of("\"$`\\!\n") != std::string_view::npos) return shell_quoted(text);
  return fmt::format("\"{}\"", text);
}

std::string quoted_word(std::string_view word) {
  constexpr std::string_view kSpecial = " \t\n\"'$`\\!*?[]{}()<>|&;#";
  return word.find_first_of(kSpecial) == std::string_view::npos ? std::string(word)
                                                                : quoted_text(word);
}

std::optional<std::string> advice(std::span<const Advice> table, std::string_view word,
                                  std::string_view next) {
  const auto found =
      std::ranges::find_if(table, [&](const Advice& row) { return ui::has_word(row.names, word); });
  if (found == table.end()) return std::nullopt;
  std::string text(found->text);
  if (const std::size_t at = text.find("{}"); at != std::string::npos)
    text.replace(at, 2, next.empty() ? std::string(found->missing) : quoted_word(next));
  return text;
}

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// As with `ollama run`: a model, perhaps followed by a question.
std::string chat_with(std::span<const std::string> rest) {
  if (rest.empty()) return "to chat: confab";
  std::string text = fmt::format("confab -m {}", quoted_word(rest[0]));
  if (rest.size() == 1) return fmt::format("to chat with {}: {}", rest[0], text);
  return fmt::format("to ask {}: {} -p {}", rest[0], text, quoted_text(joined(rest.subspan(1))));
}

bool is_file(const std::string& word) {
  std::error_code error;
  return std::filesystem::is_regular_file(expand_home(word), error);
}

}  // namespace

std::optional<std::string> advice_about_flag(std::string_view flag, std::string_view value) {
  if (auto text = advice(kFlags, flag, value)) return fmt::format("{}: {}", flag, *text);
  return std::nullopt;
}

std::string advice_about_words(const std::vector<std::string>& words,
                               std::span<const std::string_view> commands) {
  const std::string& first = words.front();
  const std::span<const std::string> rest = std::span(words).subspan(1);
  const auto unknown = [&](std::string_view text) {
    return fmt::format("no command '{}': {}", first, text);
  };
  if (ui::has_word("run chat start", first)) return unknown(chat_with(rest));
  if (ui::has_word("ask prompt query", first))
    return unknown(fmt::format("to ask: confab -p {}",
                               rest.empty() ? "\"QUESTION\"" : quoted_text(joined(rest))));
  if (const auto text = advice(kCommands, first, rest.empty() ? "" : std::string_view(rest[0])))
    return unknown(*text);
  if (first.ends_with(".gguf"))
    return fmt::format("to chat with this model: confab -m {}", quoted_word(first));
  if (is_file(first))
    return fmt::format("to ask about a file: confab -p \"QUESTION\" {}", quoted_word(first));
  if (const auto name = nearest(first, commands))
    return unknown(fmt::format("did you mean confab {}?", *name));
  if (words.size() > 1 || first.find(' ') != std::string::npos)
    return fmt::format("to ask this: confab -p {}", quoted_text(joined(words)));
  return unknown(fmt::format("confab --help lists the commands; to ask the model: confab -p {}",
                             quoted_text(first)));
}

}  // namespace confab::app

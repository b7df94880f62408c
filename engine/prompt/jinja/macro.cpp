// SPDX-License-Identifier: MIT
// The macros of Interpreter.
#include <fmt/format.h>

#include <algorithm>

#include "engine/prompt/jinja/interpreter.h"
#include "engine/prompt/jinja/scopes.h"

namespace confab::engine::jinja {

// The macro must not keep its frame alive, for the frame holds the macro. A macro that outlives
// its frame sees the template's variables only.
Value Interpreter::make_macro(const MacroBody& macro) {
  return runtime_.callable(macro.name, [this, &macro, weak = std::weak_ptr<Frame>(frame_)](
                                           Runtime&, const Arguments& arguments) {
    const std::shared_ptr<Frame> closure = weak.lock();
    return call_macro(macro, closure == nullptr ? root_ : closure, arguments);
  });
}

Value Interpreter::call_macro(const MacroBody& macro, std::shared_ptr<Frame> closure,
                              const Arguments& arguments) {
  Text text;
  {
    const CallScope scope(*this, "macros call each other", std::move(closure));
    bind_parameters(macro, arguments);
    text = capture(macro.body);
  }
  return runtime_.text(std::move(text));
}

// Arguments by name; those that are no parameters make `kwargs`.
void Interpreter::bind_named(const MacroBody& macro, const Arguments& arguments) {
  auto& variables = frame_->variables;
  const auto is_parameter = [&macro](std::string_view name) {
    return name == "caller" || std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                           [&](const Parameter& p) { return p.name == name; });
  };
  DictBuilder rest;
  for (const auto& [name, value] : arguments.named) {
    runtime_.work(name.size() + macro.parameters.size());
    if (is_parameter(name)) {
      if (!variables.emplace(name, value).second) {
        runtime_.fail(fmt::format("macro '{:.40}': '{:.40}' is given twice", macro.name, name));
      }
    } else if (macro.uses_kwargs) {
      rest.set(runtime_, Value::plain(name), value);
    } else {
      runtime_.fail(
          fmt::format("macro '{:.40}' takes no keyword argument '{:.40}'", macro.name, name));
    }
  }
  if (macro.uses_kwargs) variables.insert_or_assign("kwargs", runtime_.dict(std::move(rest)));
}

void Interpreter::bind_parameters(const MacroBody& macro, const Arguments& arguments) {
  runtime_.step(macro.parameters.size());
  auto& variables = frame_->variables;
  const std::size_t n_direct = std::min(arguments.positional.size(), macro.parameters.size());
  for (std::size_t i = 0; i < n_direct; ++i) {
    variables.insert_or_assign(macro.parameters[i].name, arguments.positional[i]);
  }
  if (arguments.positional.size() > n_direct && !macro.uses_varargs) {
    runtime_.fail(fmt::format("macro '{:.40}' takes not more than {} argument(s)", macro.name,
                              macro.parameters.size()));
  }
  bind_named(macro, arguments);
  for (const Parameter& parameter : macro.parameters) {
    if (variables.contains(parameter.name)) continue;
    Value value =
        parameter.fallback != nullptr
            ? evaluate(*parameter.fallback)
            : Value::undefined(fmt::format("parameter '{}' was not provided", parameter.name));
    variables.insert_or_assign(parameter.name, std::move(value));
  }
  if (macro.uses_varargs) {
    const auto first = arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_direct);
    variables.insert_or_assign("varargs",
                               runtime_.list({first, arguments.positional.end()}, ListKind::tuple));
  }
}

}  // namespace confab::engine::jinja

// SPDX-License-Identifier: MIT
// Errors for what a person asked for and cannot have as asked: a wrong flag, file, name or
// configuration.
#pragma once

#include <stdexcept>

namespace confab::app {

// what() is one line that says what is wrong and what to do about it. Errors with their own exit
// status (app/exit_status.h) have their own types.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class UsageError : public UserError {
 public:
  using UserError::UserError;
};
class NoModelError : public UserError {
 public:
  using UserError::UserError;
};
// The context is too small for what is asked; nothing has been computed.
class TooLongError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace confab::app

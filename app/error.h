// SPDX-License-Identifier: MIT
// What a person asked for cannot be done as asked: wrong flag, file, name or configuration.
#pragma once

#include <stdexcept>

namespace confab::app {

// what() is one line: what is wrong and what to do about it. Those that are told apart by the exit
// status (app/exit_status.h) have types of their own.
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
// The context does not hold what is asked; nothing has been computed.
class TooLongError : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace confab::app

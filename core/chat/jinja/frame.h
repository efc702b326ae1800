// Counts how deep the interpreter is, for as long as it lives.
#pragma once

#include "core/chat/jinja/interpreter.h"

namespace ondol::chat::jinja {

class Interpreter::Frame {
 public:
  explicit Frame(int& depth) : depth_(depth) { ++depth_; }
  ~Frame() { --depth_; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  int& depth_;
};

}  // namespace ondol::chat::jinja

// A conversation as the API hands it over: plain values, no JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ondol::chat {

struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON text as the client sent it
};

struct Message {
  std::string role;               // "system", "developer", "user", "assistant", "tool"
  std::string content;            // text parts joined
  bool has_content = true;        // false: null or missing (assistant with tool calls)
  std::string name;               // optional
  std::string reasoning_content;  // optional
  std::string tool_call_id;       // role "tool"
  std::vector<ToolCall> tool_calls;
};

}  // namespace ondol::chat

// The program's verbs by name. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ondol::commands {

struct Verb {
  std::string_view name;
  std::string_view summary;           // one line of the help
  int (*run)(int argc, char** argv);  // argv[0] is the verb; returns the exit code
};

// What `ondol --help` prints.
std::string overview(std::span<const Verb> verbs);

// The verb that a mistyped one may have meant; empty if none is near.
std::string_view nearest_verb(std::span<const Verb> verbs, std::string_view typed);

// Insertions, deletions, replacements and swaps of neighbours that make b of a (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ondol::commands

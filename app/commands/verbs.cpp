#include "app/commands/verbs.h"

#include <algorithm>
#include <vector>

namespace ondol::commands {

std::string overview(std::span<const Verb> verbs) {
  size_t width = 0;
  for (const Verb& verb : verbs) width = std::max(width, verb.name.size());
  std::string text =
      "Ondol serves language models where there is no internet.\n\nUsage: ondol VERB [OPTIONS]\n\n";
  for (const Verb& verb : verbs) {
    text += "  " + std::string(verb.name) + std::string(width - verb.name.size() + 2, ' ') +
            std::string(verb.summary) + "\n";
  }
  return text + "\n`ondol VERB --help` tells more about one of them.\n";
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string_view nearest_verb(std::span<const Verb> verbs, std::string_view typed) {
  constexpr size_t kTypedMax = 64;  // longer ones are no slip of the finger
  std::string_view nearest;
  size_t least = 3;  // so many faults are another word
  for (const Verb& verb : verbs) {
    if (typed.size() > kTypedMax) break;
    const size_t distance = edit_distance(typed, verb.name);
    if (distance < least && distance < verb.name.size()) {
      least = distance;
      nearest = verb.name;
    }
  }
  return nearest;
}

}  // namespace ondol::commands

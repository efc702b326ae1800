// The values a template computes with: Python's, as far as chat templates can see them.
// Strings are shared and immutable. Lists, dicts and the rest live in a Heap until the render ends, so
// that cycles cannot leak. One render, one heap, one thread; literals may be shared between threads.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/chat/jinja/limits.h"
#include "core/chat/jinja/text.h"

namespace ondol::chat::jinja {

struct List;
struct Dict;
struct Callable;
struct Loop;
struct Macro;
struct Scope;

enum class Kind : uint8_t {
  kUndefined,
  kNone,
  kBool,
  kInt,
  kBigInt,  // an integer beyond 64 bits: its digits, kept for printing; no arithmetic
  kFloat,
  kString,
  kList,
  kDict,
  kNamespace,
  kCallable,
  kLoop,
};

class Value {
 public:
  Value() = default;  // undefined, without a hint
  static Value none();
  static Value boolean(bool value);
  static Value integer(int64_t value, bool from_message = false);
  static Value big_integer(std::string_view digits, bool from_message);
  static Value real(double value, bool from_message = false);
  static Value string(Text text);
  static Value string(std::string_view bytes, bool from_message = false);
  static Value undefined(std::string_view hint);  // hint: what an error should say, "'x' is undefined"
  static Value list(List* list);
  static Value dict(Dict* dict);
  static Value name_space(Dict* dict);
  static Value callable(Callable* callable);
  static Value loop(Loop* loop);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_number() const {
    return kind_ == Kind::kBool || kind_ == Kind::kInt || kind_ == Kind::kFloat || kind_ == Kind::kBigInt;
  }
  bool is_integral() const { return kind_ == Kind::kBool || kind_ == Kind::kInt; }

  bool as_bool() const { return data_.integer != 0; }
  int64_t as_int() const { return data_.integer; }  // of kInt and kBool
  double as_real() const;                           // of any number
  const Text& text() const;                         // of kString, kBigInt (digits), kUndefined (hint)
  std::string_view view() const { return text().view(); }
  List& items() const { return *data_.list; }
  Dict& entries() const { return *data_.dict; }  // of kDict and kNamespace
  Callable& callee() const { return *data_.callable; }
  Loop& loop_state() const { return *data_.loop; }

  // For numbers: did the value come from a message? (A string knows it byte by byte.)
  bool from_message() const { return from_message_; }
  bool same_object(const Value& other) const;

 private:
  Kind kind_ = Kind::kUndefined;
  bool from_message_ = false;
  union {
    int64_t integer = 0;
    double real;
    List* list;
    Dict* dict;
    Callable* callable;
    Loop* loop;
  } data_;
  std::shared_ptr<const Text> text_;
};

// The Python sequence kinds; they differ in printing, truth and what may be done with them.
enum class ListKind : uint8_t { kList, kTuple, kRange, kGenerator, kKeys, kValues, kItems };

struct List {
  ListKind kind = ListKind::kList;
  std::vector<Value> values;
};

// A dict in insertion order. Keys are scalars; 1, 1.0 and True are one key, as in Python.
struct Dict {
  struct Entry {
    std::string key_id;
    Value key;
    Value value;
  };

  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;  // a string key
  // False if `key` cannot be a key (list, dict...). A key that is there keeps its place.
  bool set(const Value& key, Value value);
  void set(std::string_view key, Value value, bool key_from_message = false);
  const std::vector<Entry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  static bool hashable(const Value& key);

 private:
  const Value* find_id(const std::string& id) const;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> index_;  // used once there are more than a few entries
};

struct Callable {
  enum class Type : uint8_t { kGlobal, kMethod, kMacro, kCycler, kJoiner } type = Type::kGlobal;
  std::string name;
  Value self;                    // kMethod
  const Macro* macro = nullptr;  // kMacro
  Scope* closure = nullptr;      // kMacro
  std::vector<Value> values;     // kCycler: its items; kJoiner: the separator
  size_t position = 0;
};

struct Loop {
  std::vector<Value> values;
  size_t index = 0;
  std::vector<Value> last_changed;
  bool changed_before = false;
};

struct Scope {
  Scope* parent = nullptr;
  std::vector<std::pair<std::string, Value>> variables;

  const Value* find(std::string_view name) const;  // here or in a parent
  void set(std::string_view name, Value value);    // here
};

// Owns what a render makes and counts what it costs.
class Heap {
 public:
  explicit Heap(const Limits& limits)
      : limits_(limits), steps_left_(limits.steps_max), bytes_left_(limits.heap_bytes_max) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Value make_list(std::vector<Value> values, ListKind kind = ListKind::kList);
  Value make_dict();
  Value make_namespace();
  Value make_callable(Callable callable);
  Value make_loop(std::vector<Value> values);
  Scope* make_scope(Scope* parent);
  Value make_string(Text text);  // counts the bytes

  void charge_steps(int64_t steps) { steps_left_ -= steps; }
  void charge_bytes(int64_t bytes) { bytes_left_ -= bytes; }
  // kInvalidArgument once a limit was passed.
  Result<void> check() const;
  // Asked before something of `bytes` is built.
  Result<void> admit(int64_t bytes) const;
  const Limits& limits() const { return limits_; }

 private:
  const Limits limits_;
  int64_t steps_left_;
  int64_t bytes_left_;
  std::deque<List> lists_;
  std::deque<Dict> dicts_;
  std::deque<Callable> callables_;
  std::deque<Loop> loops_;
  std::deque<Scope> scopes_;
};

}  // namespace ondol::chat::jinja

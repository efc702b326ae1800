#include "core/base/queue.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ondol {
namespace {

TEST_CASE("queue: items leave in the order they came, and a full queue refuses without taking the item") {
  BoundedQueue<std::unique_ptr<int>> queue(2);
  CHECK_EQ(queue.try_push(std::make_unique<int>(1)), PushOutcome::kPushed);
  CHECK_EQ(queue.try_push(std::make_unique<int>(2)), PushOutcome::kPushed);
  auto third = std::make_unique<int>(3);
  CHECK_EQ(queue.try_push(std::move(third)), PushOutcome::kFull);
  REQUIRE(third);
  CHECK_EQ(queue.push(std::move(third), 1), PushOutcome::kFull);
  REQUIRE(third);
  CHECK_EQ(**queue.pop(0), 1);
  CHECK_EQ(**queue.try_pop(), 2);
  CHECK_FALSE(queue.try_pop());
  CHECK_FALSE(queue.pop(1));
}

TEST_CASE("queue: a closed queue takes nothing more but gives what it holds") {
  BoundedQueue<int> queue(4);
  CHECK_EQ(queue.try_push(1), PushOutcome::kPushed);
  queue.close();
  CHECK(queue.closed());
  CHECK_EQ(queue.try_push(2), PushOutcome::kClosed);
  CHECK_EQ(queue.push(2, 1000), PushOutcome::kClosed);
  CHECK_EQ(queue.pop(1000).value_or(0), 1);
  CHECK_FALSE(queue.pop(60'000));  // at once
}

TEST_CASE("queue: close wakes those who wait to pop and those who wait to push") {
  BoundedQueue<int> empty(1);
  BoundedQueue<int> full(1);
  CHECK_EQ(full.try_push(1), PushOutcome::kPushed);
  std::thread popper([&] { CHECK_FALSE(empty.pop(60'000)); });
  std::thread pusher([&] { CHECK_EQ(full.push(2, 60'000), PushOutcome::kClosed); });
  empty.close();
  full.close();
  popper.join();
  pusher.join();
}

TEST_CASE("queue: with many pushers and poppers every item arrives exactly once") {
  constexpr int kThreads = 4;
  constexpr int kItems = 2000;
  BoundedQueue<int> queue(8);
  std::vector<std::atomic<int>> seen(kThreads * kItems);
  std::vector<std::thread> pushers;
  std::vector<std::thread> poppers;
  for (int t = 0; t < kThreads; ++t) {
    pushers.emplace_back([&, t] {
      for (int i = 0; i < kItems; ++i) {
        while (queue.push(t * kItems + i, 1000) != PushOutcome::kPushed) {
        }
      }
    });
    poppers.emplace_back([&] {
      while (const auto item = queue.pop(60'000)) ++seen[static_cast<size_t>(*item)];
    });
  }
  for (auto& pusher : pushers) pusher.join();
  queue.close();
  for (auto& popper : poppers) popper.join();
  int wrong = 0;
  for (const auto& count : seen) wrong += count != 1;
  CHECK_EQ(wrong, 0);
}

}  // namespace
}  // namespace ondol

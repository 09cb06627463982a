#include "base/check.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace sf {
namespace {

TEST(CheckDeath, NamesPlaceAndCondition) {
  EXPECT_DEATH(SF_CHECK(1 + 1 == 3),
               "internal error at .*check_test.cc:[0-9]+: check failed: 1 \\+ 1 == 3");
  EXPECT_DEATH(SF_CHECK_MSG(false, "two heads"), "check failed: false: two heads");
}

void fail_inside_a_run() {
  check_context() = CheckContext{.seed = 9, .step = 867, .active = true};
  SF_CHECK(false);
}

TEST(CheckDeath, SaysWhatIsBeingSimulated) {
  EXPECT_DEATH(fail_inside_a_run(), "while simulating seed 9, step 867");
}

TEST(Check, TrueConditionsCostNothingVisible) {
  SF_CHECK(true);
  SF_CHECK_MSG(true, "never built");
}

Result<int> half(int n) {
  if (n % 2 != 0) return usage_error("$.n", "odd", "use an even number");
  return n / 2;
}
Result<int> quarter(int n) {
  SF_TRY(const int once, half(n));
  SF_TRY(const int twice, half(once));
  return twice;
}

TEST(Result, TryPassesErrorsOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().text(), "$.n: odd; use an even number");
}

}  // namespace
}  // namespace sf

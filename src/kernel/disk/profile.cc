#include "kernel/disk/profile.h"

#include "base/check.h"

namespace sf::kernel::disk {

const ProfileRules& rules_of(Profile profile) {
  using R = ProfileRules;
  static constexpr R kControl{
      .uncertain = R::Uncertain::kNothing, .survival = R::Survival::kPrefix,
      .file_sync_names = R::FileSyncNames::kItsOwn, .data_sync_times = R::DataSyncTimes::kFolded,
      .tears = R::Tears::kNever};
  static constexpr R kScc{
      .uncertain = R::Uncertain::kOneInFlight, .survival = R::Survival::kPrefix,
      .file_sync_names = R::FileSyncNames::kItsOwn, .data_sync_times = R::DataSyncTimes::kFolded,
      .tears = R::Tears::kNextData};
  static constexpr R kInOrder{
      .uncertain = R::Uncertain::kUntilSynced, .survival = R::Survival::kPrefix,
      .file_sync_names = R::FileSyncNames::kItsOwn, .data_sync_times = R::DataSyncTimes::kLeft,
      .tears = R::Tears::kNextData};
  switch (profile) {
    case Profile::kControl: return kControl;
    case Profile::kScc: return kScc;
    case Profile::kInOrder: return kInOrder;
  }
  SF_CHECK(false);
  return kControl;
}

std::string_view profile_name(Profile profile) {
  switch (profile) {
    case Profile::kControl: return "control";
    case Profile::kScc: return "scc";
    case Profile::kInOrder: return "in-order";
  }
  return "unknown";
}

}  // namespace sf::kernel::disk

#include "kernel/disk/profile.h"

#include "base/check.h"

namespace sf::kernel::disk {
namespace {

ProfileRules in_order_rules(const VolumeOptions& options) {
  using R = ProfileRules;
  return {.uncertain = R::Uncertain::kUntilSynced,
          .survival = options.prefix_scope == PrefixScope::kNode ? R::Survival::kPrefix
                                                                 : R::Survival::kPrefixPerFile,
          .sync_names = options.dirents == Dirents::kImplied ? R::SyncNames::kItsOwn
                                                             : R::SyncNames::kEntriesOnly,
          .data_sync_times = R::DataSyncTimes::kLeft,
          .tears = R::Tears::kNextData,
          .cut_page = R::CutPage::kWithTruncate};
}

}  // namespace

ProfileRules rules_of(const VolumeOptions& options) {
  using R = ProfileRules;
  static constexpr R kControl{
      .uncertain = R::Uncertain::kNothing, .survival = R::Survival::kPrefix,
      .sync_names = R::SyncNames::kItsOwn, .data_sync_times = R::DataSyncTimes::kFolded,
      .tears = R::Tears::kNever, .cut_page = R::CutPage::kWithTruncate};
  static constexpr R kScc{
      .uncertain = R::Uncertain::kOneInFlight, .survival = R::Survival::kPrefix,
      .sync_names = R::SyncNames::kItsOwn, .data_sync_times = R::DataSyncTimes::kFolded,
      .tears = R::Tears::kNextData, .cut_page = R::CutPage::kWithTruncate};
  static constexpr R kStrictPosix{
      .uncertain = R::Uncertain::kUntilSynced, .survival = R::Survival::kFree,
      .sync_names = R::SyncNames::kEntriesOnly, .data_sync_times = R::DataSyncTimes::kLeft,
      .tears = R::Tears::kNextData, .cut_page = R::CutPage::kOnItsOwn};
  switch (options.profile) {
    case Profile::kControl: return kControl;
    case Profile::kScc: return kScc;
    case Profile::kInOrder: return in_order_rules(options);
    case Profile::kStrictPosix: return kStrictPosix;
  }
  SF_CHECK(false);
  return kControl;
}

std::string_view profile_name(Profile profile) {
  switch (profile) {
    case Profile::kControl: return "control";
    case Profile::kScc: return "scc";
    case Profile::kInOrder: return "in-order";
    case Profile::kStrictPosix: return "strict-posix";
  }
  return "unknown";
}

}  // namespace sf::kernel::disk

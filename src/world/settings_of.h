// From the config's words to the kernel's settings.
#pragma once

#include "fault/rates.h"
#include "kernel/disk/volume.h"
#include "kernel/node.h"
#include "kernel/settings.h"
#include "world/config.h"

namespace sf::world {

kernel::Spread spread_of(const Latency& latency);
kernel::Settings settings_of(const WorldConfig& config);
fault::FaultRates rates_of(const FaultConfig& faults);
kernel::disk::VolumeOptions volume_options_of(const DiskConfig& disk);
kernel::NodeSpec node_spec_of(const NodeConfig& node, kernel::NodeRole role,
                              const FaultConfig& faults);

}  // namespace sf::world

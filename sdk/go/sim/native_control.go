//go:build !(seedfall && wasip1)

package sim

import (
	"math/rand/v2"
	"os"
	"time"
)

const simulated = false

func setupComplete() {}

func quietFor(time.Duration) {}

func nodeName() string {
	if name, ok := os.LookupEnv("SEEDFALL_NODE"); ok {
		return name
	}
	name, _ := os.Hostname()
	return name
}

// randomU64 uses the runtime's generator, which is seeded by the operating system.
func randomU64() uint64 { return rand.Uint64() }

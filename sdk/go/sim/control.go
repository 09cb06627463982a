package sim

import (
	"math/rand/v2"
	"time"
)

// Simulated reports whether the program runs in the seedfall simulator.
func Simulated() bool { return simulated }

// SetupComplete says that the system is ready to be tested. If any program of a world contains this
// call, the simulator injects no fault before the first execution. Repeated calls have no effect.
// Elsewhere than in the simulator it does nothing.
func SetupComplete() { setupComplete() }

// QuietFor stops all faults and heals all partitions for d of simulated time, so that the program
// can check that the system recovers. It returns at once; crashed nodes still have to boot. A
// negative d counts as 0. Elsewhere than in the simulator it does nothing.
func QuietFor(d time.Duration) { quietFor(max(d, 0)) }

// Node returns the name of the node the program runs on, as in the configuration. Elsewhere it is
// the environment variable SEEDFALL_NODE, or else the host name, or else "".
func Node() string { return nodeName() }

// Rand returns a random generator that is safe for use by many goroutines. In the simulator each
// number is drawn from the run's seed by the host, so that a run can be repeated exactly and its
// future re-drawn. Elsewhere numbers come from the Go runtime, which seeds itself from the
// operating system.
func Rand() *rand.Rand { return shared }

// shared needs no lock: rand.Rand keeps no state of its own, and the source has none either.
var shared = rand.New(source{})

// source draws every number anew from the platform.
type source struct{}

// Uint64 returns 64 random bits.
func (source) Uint64() uint64 { return randomU64() }

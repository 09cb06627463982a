//go:build seedfall && wasip1

package sim

import "time"

const simulated = true

// An import of its own and not only a number: it is linked in only when SetupComplete is reachable,
// which tells the host before the program runs whether faults must wait for it.
//
//go:wasmimport seedfall setup_complete
func hostSetupComplete() int32

func setupComplete() {
	if errno := hostSetupComplete(); errno != 0 {
		panic("seedfall host: setup_complete failed")
	}
}

func quietFor(d time.Duration) { mustCall(callQuietFor, &quietIn{ns: d.Nanoseconds()}, &none{}) }

func nodeName() string {
	var out nodeNameOut
	mustCall(callNodeName, &none{}, &out)
	return string(out.name[:min(int(out.length), len(out.name))])
}

func randomU64() uint64 {
	var bits uint64
	mustCall(callRandomU64, &none{}, &bits)
	return bits
}

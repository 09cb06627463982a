//go:build !(seedfall && wasip1)

package sim

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// violations counts broken Always and Unreachable properties per call site.
var violations = struct {
	sync.Mutex
	count map[string]int
	out   io.Writer
}{count: map[string]int{}, out: os.Stderr}

// property must be called by the exported function itself: it skips two frames to find the site.
func property(kind propertyKind, cond bool, msg string) {
	switch kind {
	case kindAssert:
		if !cond {
			panic("sim.Assert failed: " + msg)
		}
	case kindAlways, kindUnreachable:
		if !cond {
			violated(kind, msg, callSite(2))
		}
	}
}

// violated prints the first violation of a site; a hot loop would flood the terminal.
func violated(kind propertyKind, msg, site string) {
	violations.Lock()
	defer violations.Unlock()
	violations.count[site]++
	if violations.count[site] == 1 {
		fmt.Fprintf(violations.out, "sim.%s violated: %s\n  at %s (shown once)\n", kind, msg, site)
	}
}

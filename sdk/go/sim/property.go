package sim

import (
	"fmt"
	"path"
	"runtime"
	"sync"
)

// A property is told apart from others by its kind and its message if that is a constant, else by
// the place of the call. So write constants where one statement is one property, and formatted
// messages (with the values that explain the failure) where the place identifies it.

// Assert states that cond is true whenever this line is executed. In the simulator a false one ends
// the run as a finding with the message msg. Elsewhere it panics.
func Assert(cond bool, msg string) { property(kindAssert, cond, msg) }

// Always states an invariant of the system: cond is true at every execution. In the simulator it is
// judged like [Assert]. Elsewhere a violation is printed on standard error, once per call site, and
// the program continues.
func Always(cond bool, msg string) { property(kindAlways, cond, msg) }

// Sometimes states that cond is true at least once in a sweep of many seeds: it proves that the
// tests reach an interesting state. Elsewhere than in the simulator it does nothing.
func Sometimes(cond bool, msg string) { property(kindSometimes, cond, msg) }

// Reachable states that this line is executed at least once in a sweep of many seeds. Elsewhere
// than in the simulator it does nothing.
func Reachable(msg string) { property(kindReachable, true, msg) }

// Unreachable states that this line is never executed. In the simulator, executing it ends the run
// as a finding with the message msg. Elsewhere it prints a violation like [Always].
func Unreachable(msg string) { property(kindUnreachable, false, msg) }

// callSites remembers the text of each call site, because finding file and line of a program
// counter costs far more than a map lookup.
var callSites = struct {
	sync.Mutex
	text map[uintptr]string
}{text: map[uintptr]string{}}

// callSite describes the caller `skip` frames above the function that calls it (0 = that function):
// "path/file.go:123 (pkg.Func)". The path is the one in the program's line table, so under
// -trimpath it starts with the module's name.
func callSite(skip int) string {
	var pc [1]uintptr
	if runtime.Callers(skip+2, pc[:]) == 0 {
		return "unknown"
	}
	callSites.Lock()
	defer callSites.Unlock()
	site, known := callSites.text[pc[0]]
	if !known {
		frame, _ := runtime.CallersFrames(pc[:]).Next()
		site = fmt.Sprintf("%s:%d (%s)", frame.File, frame.Line, path.Base(frame.Function))
		callSites.text[pc[0]] = site
	}
	return site
}

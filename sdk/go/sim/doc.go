// Package sim connects a program to the seedfall simulator.
//
// A program uses it for three things: TCP connections between simulated nodes ([Listen], [Dial]),
// properties that must hold in every run or be seen in some run ([Assert], [Always], [Sometimes],
// [Reachable], [Unreachable]), and a few words with the simulator ([SetupComplete], [QuietFor],
// [Node], [Rand]).
//
// The same source also runs outside the simulator. A build for wasip1 with the tag "seedfall" (the
// seedfall tool sets it) talks to the simulator; every other build uses the standard library, and
// each function says what it then does. [Simulated] tells the two apart.
//
// All functions may be called from any goroutine.
package sim

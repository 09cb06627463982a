// Command guest_speed is the program that seedfall's benchmarks run: natively, under seedfall and
// under wazero. It has no dependencies.
//
//	guest_speed NAME           runs one test and checks its result; "empty" does nothing
//	guest_speed list           names the tests
//	guest_speed wait           says "up" and sleeps for ever: a node to be killed
//	guest_speed wait 20s       the same for that long: a workload
//	guest_speed steady 24 20s  works on 24 MB for 20 s, with timers and a file: a node to be forked
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// test is one measurement. It must give the same number on every platform.
type test struct {
	name string
	run  func() uint64
	want uint64
}

// tests in the order of the report. The sizes give about 0.1 s of native time each, so that start
// and noise stay small against it.
var tests = []test{
	{"fib", func() uint64 { return fib(36) }, 14930352},
	{"sha256", func() uint64 { return sha256Sum(64) }, 17365062983856287026},
	{"crc32", func() uint64 { return crc32Table(48) }, 1115955943},
	{"sort", func() uint64 { return sortInts(1_200_000) }, 5525661364975550550},
	{"map", func() uint64 { return mapStrings(120_000) }, 1937149},
	{"trees", func() uint64 { return trees(15, 24) }, 1572864},
	{"chan", func() uint64 { return pingPong(200_000) }, 20_000_100_000},
	{"mutex", func() uint64 { return mutex(1000, 10_000) }, 10_000_000},
	{"json", func() uint64 { return jsonRoundTrips(12_000) }, 1443652},
	{"flate", func() uint64 { return flateRoundTrip(2) }, 1},
	{"regexp", func() uint64 { return regexpMatches(80_000) }, 80_000},
	{"clock", func() uint64 { return readClock(500_000) }, 500_000},
}

func main() {
	if len(os.Args) < 2 {
		fail("want a test, list, wait or steady")
	}
	switch name := os.Args[1]; name {
	case "empty":
	case "list":
		for _, t := range tests {
			fmt.Println(t.name)
		}
	case "wait":
		wait(os.Args[2:])
	case "steady":
		steady(os.Args[2:])
	default:
		runTest(name)
	}
}

func runTest(name string) {
	for _, t := range tests {
		if t.name != name {
			continue
		}
		if got := t.run(); got != t.want {
			fail(fmt.Sprintf("%s: got %d, want %d", name, got, t.want))
		}
		return
	}
	fail("no test named " + name)
}

func wait(args []string) {
	fmt.Println("up")
	if len(args) == 0 {
		for {
			time.Sleep(time.Hour)
		}
	}
	time.Sleep(duration(args[0]))
}

func steady(args []string) {
	if len(args) != 2 {
		fail("want: steady MEGABYTES DURATION")
	}
	megabytes, err := strconv.Atoi(args[0])
	if err != nil {
		fail(err.Error())
	}
	if err := work(megabytes, duration(args[1])); err != nil {
		fail(err.Error())
	}
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		fail(err.Error())
	}
	return d
}

func fail(why string) {
	fmt.Fprintln(os.Stderr, "guest_speed:", why)
	os.Exit(1)
}

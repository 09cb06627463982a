// Command wild calls every host function with hostile arguments.
//
// Each argument of a call has a kind, and each kind a value that works and a list of values that
// should not. The walk replaces first one argument of a working call, then two, by every hostile
// value; "paths" passes hostile texts where a call takes a path; "fuzz" draws all arguments at random instead, other ones for each seed. Whatever the host
// answers, it must answer: the program checks that working calls work, that pointers out of memory
// are refused, and that its own memory and files are as they should be at the end.
package main

import (
	"os"
	"runtime/debug"
	"unsafe"
)

func main() {
	debug.SetGCPercent(-1)
	prepare()
	switch os.Args[1] {
	case "walk":
		walk()
	case "fuzz":
		fuzz(20000)
	case "paths":
		walkPaths()
	case "exit":
		procExit(1<<32 - 1)
	}
	finish()
	println("\nwild:", answered, "calls answered,", succeeded, "of them with success")
}

func fail(what string) {
	println("\nwild: unexpected:", what)
	os.Exit(70)
}

var answered, succeeded int

// invoke makes one call and puts everything back that later calls rely on.
func invoke(c *call, args []uint64) uint32 {
	page := lastPage()
	saved := *page
	errno := c.make(args)
	*page = saved
	clear(firstPage()[:])
	restore()
	answered++
	if errno == 0 {
		succeeded++
	}
	if errno > 76 {
		fail(c.name + " answered with no WASI errno")
	}
	return errno
}

// Nothing is allocated from here on: memory that grows would move the end of it.
var arguments [9]uint64

func (c *call) good() []uint64 {
	args := arguments[:len(c.kinds)]
	for i, k := range c.kinds {
		args[i] = k.good()
	}
	return args
}

func walk() {
	for i := range calls {
		c := &calls[i]
		errno := invoke(c, c.good())
		if errno != c.want && errno != c.or {
			println(c.name, "answered", errno)
			fail("a working call does not work")
		}
		for a := range c.kinds {
			walkArgument(c, a)
		}
	}
}

func walkArgument(c *call, a int) {
	for _, value := range c.kinds[a].hostile {
		args := c.good()
		args[a] = value
		if invoke(c, args) == 0 && c.kinds[a].refused(value) {
			println(c.name, "argument", a, "value", value)
			fail("success with a pointer out of memory")
		}
		for b := a + 1; b < len(c.kinds); b++ {
			for _, other := range c.kinds[b].hostile {
				args := c.good()
				args[a], args[b] = value, other
				invoke(c, args)
			}
		}
	}
}

func fuzz(times int) {
	var seed uint64
	randomGet(uint32(uintptr(unsafe.Pointer(&seed))), 8)
	draw := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	for range times {
		c := &calls[draw(len(calls))]
		args := c.good()
		for a, kind := range c.kinds {
			if draw(2) == 0 {
				args[a] = kind.hostile[draw(len(kind.hostile))]
			}
		}
		invoke(c, args)
	}
}

// finish makes sure that the program and its files still work.
func finish() {
	if got, err := os.ReadFile("/kept"); err != nil || string(got) != keptText {
		fail("a file that nobody touched has changed")
	}
	if err := os.WriteFile("/new", []byte("still alive"), 0o600); err != nil {
		fail(err.Error())
	}
	if got, _ := os.ReadFile("/new"); string(got) != "still alive" {
		fail("a new file cannot be read back")
	}
}

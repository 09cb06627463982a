package main

import (
	"os"
	"strings"
	"unsafe"
)

//go:noinline
func spin() int {
	sum := 1
	for i := 0; sum != 0; i++ {
		sum = sum*3 | 1
	}
	return sum
}

func readClockForEver() {
	var now int64
	for {
		clockTimeGet(1, 0, unsafe.Pointer(&now))
	}
}

func yieldForEver() {
	for {
		schedYield()
	}
}

//go:noinline
func descend(depth int) int {
	if depth < 0 {
		return 0
	}
	return descend(depth+1) + depth
}

func allocate() {
	var kept [][]byte
	for {
		kept = append(kept, make([]byte, 1<<20))
	}
}

func printForEver() {
	line := strings.Repeat("all work and no play ", 40) + "\n"
	for {
		os.Stdout.WriteString(line)
	}
}

func printOneEndlessLine() {
	line := strings.Repeat("x", 997)
	for {
		os.Stderr.WriteString(line)
	}
}

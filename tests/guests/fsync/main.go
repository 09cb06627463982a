// What other goroutines do while one waits for the disk, for src/world/fsync_test.cc.
package main

import (
	"fmt"
	"os"
	"time"
)

// others counts the millisecond naps that a goroutine gets through while `do` runs.
func others(do func()) int {
	stop := make(chan bool)
	counted := make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				counted <- n
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	return <-counted
}

func try(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func main() {
	a, err := os.Create("/a")
	try(err)
	b, err := os.Create("/b")
	try(err)
	_, err = a.WriteString("a")
	try(err)
	fmt.Println("naps during one fsync:", others(func() { try(a.Sync()) }))

	// Two at once on one file, one on another and one on their directory: all at the same time.
	root, err := os.Open("/")
	try(err)
	begin := time.Now()
	done := make(chan error)
	for _, f := range []*os.File{a, a, b, root} {
		go func() { done <- f.Sync() }()
	}
	// The descriptors that Linux would give, whatever is under way.
	c, err := os.Create("/c")
	try(err)
	fmt.Println("descriptor:", c.Fd())
	for range 4 {
		try(<-done)
	}
	fmt.Println("four at once took:", time.Since(begin).Round(time.Millisecond))
	fmt.Println("of a closed file:", func() error { try(b.Close()); return b.Sync() }())
}

// Command preemptprobe is a self-test that seedfall runs once for each version of Go: can goroutines
// be preempted from outside, and does that leave correct programs correct?
//
// Its argument says what must happen to increments without a lock: "kept" (nobody is preempted) or
// "lost". Whatever else it does must come out right in both cases. Exit code 0 says that all was so.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	goroutines = 4
	increments = 500
)

var racy int

//go:noinline
func load() int {
	var pad [64]byte
	touch(&pad)
	return racy
}

//go:noinline
func store(n int) {
	var pad [64]byte
	touch(&pad)
	racy = n
}

//go:noinline
func touch(pad *[64]byte) { pad[0]++ }

// tally is what a correct program counts: it does not depend on the schedule.
type tally struct {
	mu  sync.Mutex
	sum int
}

func (t *tally) add(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum += n
}

type pair struct{ a, b int }

// recovered survives a nil pointer, in a deferred function that blocks.
func recovered(p *pair, done chan<- int) (result int) {
	defer func() {
		if recover() != nil {
			result = 7
		}
		time.Sleep(time.Microsecond)
		done <- 1
	}()
	return p.b
}

// deep makes the stack grow, and with it move.
func deep(n int) int {
	var pad [16]int
	if n == 0 {
		return 0
	}
	pad[n%16] = 1
	return deep(n-1) + pad[n%16]
}

func correct(t *tally, id int, events chan<- int) {
	m := map[string]int{}
	for i := range 30 {
		t.add(recovered(nil, events))
		t.add(recovered(&pair{1, i}, events))
		m[fmt.Sprint(i%7)] += id
		t.add(len(m))
		if i%10 == 0 {
			t.add(deep(200))
			runtime.GC()
		}
		select {
		case <-time.After(time.Microsecond):
		}
	}
}

func main() {
	var all sync.WaitGroup
	var t tally
	events := make(chan int)
	counted := make(chan int)
	go func() {
		n := 0
		for e := range events {
			n += e
		}
		counted <- n
	}()
	for id := range goroutines {
		all.Add(1)
		go func() {
			defer all.Done()
			for range increments {
				store(load() + 1)
			}
			correct(&t, id, events)
		}()
	}
	all.Wait()
	close(events)
	// 30 rounds: 7 each, i each, len(m), and three deep stacks.
	perGoroutine := 30*7 + 30*29/2 + (1 + 2 + 3 + 4 + 5 + 6) + 24*7 + 3*200
	wantEvents := goroutines * 60
	lost := goroutines*increments - racy
	if n := <-counted; n != wantEvents || t.sum != goroutines*perGoroutine {
		fmt.Printf("a correct part went wrong: %d events, sum %d\n", n, t.sum)
		os.Exit(1)
	}
	if wantLost := len(os.Args) > 1 && os.Args[1] == "lost"; wantLost != (lost > 0) {
		fmt.Printf("%d increments were lost\n", lost)
		os.Exit(1)
	}
}

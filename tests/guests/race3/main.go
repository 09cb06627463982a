// A race of depth 3: three goroutines must lose the processor, each in the middle of its own part,
// one after the other, before the first goes on.
package main

import (
	"fmt"
	"os"
	"sync"
)

const (
	rounds  = 60
	first   = 1
	second  = 2
	nothing = 0
)

type state struct {
	mu   sync.Mutex
	bits int
}

func (s *state) is(bits int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bits == bits
}

func (s *state) flip(bit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bits ^= bit
}

// read begins while nothing is going on, so it does not expect to find both others half-way.
func (s *state) read() {
	if !s.is(nothing) {
		return
	}
	work(30)
	if s.is(first | second) {
		fmt.Println("both at once")
		os.Exit(1)
	}
}

// part sets a bit for a while, if the state is as it wants.
func (s *state) part(wants, bit int) {
	if !s.is(wants) {
		return
	}
	s.flip(bit)
	work(30)
	s.flip(bit)
}

//go:noinline
func work(steps int) {
	for i := range steps {
		step(i)
	}
}

//go:noinline
func step(i int) {
	var pad [64]byte
	use(pad[:], i)
}

//go:noinline
func use(p []byte, i int) { p[i%len(p)]++ }

func main() {
	var all sync.WaitGroup
	var s state
	run := func(part func()) {
		all.Add(1)
		go func() {
			defer all.Done()
			for range rounds {
				work(60)
				part()
			}
		}()
	}
	run(s.read)
	run(func() { s.part(nothing, first) })
	run(func() { s.part(first, second) })
	all.Wait()
}

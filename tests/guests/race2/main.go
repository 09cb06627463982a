// A race of depth 2: a reader must lose the processor behind its check, and the writer that then runs
// must lose it between its two writes. Either alone does no harm.
package main

import (
	"fmt"
	"os"
	"sync"
)

const rounds = 40

type pair struct {
	mu      sync.Mutex
	writing bool
	x, y    int
}

func (p *pair) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.writing
}

func (p *pair) setX(v int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing, p.x = true, v
}

func (p *pair) setY(v int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing, p.y = false, v
}

func (p *pair) get() (int, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.x, p.y
}

// read is meant to see x equal to y: it checks that nobody writes, and then reads.
func (p *pair) read() {
	if !p.begin() {
		return
	}
	work(20)
	if x, y := p.get(); x != y {
		fmt.Println("torn:", x, y)
		os.Exit(1)
	}
}

func (p *pair) write(v int) {
	p.setX(v)
	work(20)
	p.setY(v)
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
	var p pair
	for id := range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range rounds {
				work(80)
				if id%2 == 0 {
					p.read()
				} else {
					p.write(i)
				}
			}
		}()
	}
	all.Wait()
}

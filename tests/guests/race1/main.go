// A race of depth 1: one goroutine must lose the processor between a check and the act that relies
// on it. Every access is locked, so the race detector would say nothing.
package main

import (
	"fmt"
	"os"
	"sync"
)

const (
	clients = 6
	rounds  = 12
)

type account struct {
	mu      sync.Mutex
	balance int
}

func (a *account) enough(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance >= n
}

func (a *account) take(n int) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance -= n
	return a.balance
}

// withdraw leaves nobody with a debt if nothing comes between its two steps.
func (a *account) withdraw(n int) {
	if !a.enough(n) {
		return
	}
	work(4)
	if left := a.take(n); left < 0 {
		fmt.Println("balance:", left)
		os.Exit(1)
	}
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
	accounts := make([]account, rounds)
	for i := range accounts {
		accounts[i].balance = 1
	}
	for range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range accounts {
				work(200)
				accounts[i].withdraw(1)
			}
		}()
	}
	all.Wait()
}

package main

import (
	"sync"
	"time"
)

// pingPong sends numbers through two unbuffered channels: two goroutine switches each.
func pingPong(n uint64) uint64 {
	there, back := make(chan uint64), make(chan uint64)
	go func() {
		for v := range there {
			back <- v
		}
		close(back)
	}()
	sum := uint64(0)
	for i := uint64(1); i <= n; i++ {
		there <- i
		sum += <-back
	}
	close(there)
	return sum
}

// mutex lets many goroutines start, count under one lock, and end.
func mutex(goroutines, rounds int) uint64 {
	var lock sync.Mutex
	var done sync.WaitGroup
	count := uint64(0)
	for range goroutines {
		done.Add(1)
		go func() {
			defer done.Done()
			for range rounds {
				lock.Lock()
				count++
				lock.Unlock()
			}
		}()
	}
	done.Wait()
	return count
}

// readClock measures the host call: time.Now makes two of them on wasip1.
func readClock(n int) uint64 {
	last := time.Now()
	count := uint64(0)
	for range n {
		now := time.Now()
		if !now.Before(last) {
			count++
		}
		last = now
	}
	return count
}

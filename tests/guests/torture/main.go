// A correct program whose last line may not depend on the schedule: panics of nil pointers with
// blocking deferred functions, garbage collections, maps, JSON, select, timers, deep stacks.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type pair struct{ a, b int }

// deref recovers from a nil pointer in a deferred function that blocks.
func deref(p *pair, done chan int) (result int) {
	defer func() {
		failed := recover() != nil
		time.Sleep(time.Millisecond)
		done <- 1
		if failed {
			result = 7
		}
	}()
	return p.b
}

func deep(n int) int {
	var pad [20]int
	if n == 0 {
		runtime.Gosched()
		return 0
	}
	pad[n%20] = n
	return deep(n-1) + pad[n%20]
}

func at(list []int, i int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
		}
	}()
	return list[i]
}

// encode goes through reflection, allocation and large frames.
func encode(m map[string][]int) int {
	text, err := json.Marshal(m)
	var back map[string][]int
	if err != nil || json.Unmarshal(text, &back) != nil {
		fmt.Println("json:", err)
		os.Exit(1)
	}
	return len(back) + len(text)
}

func main() {
	var all sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	add := func(n int) {
		mu.Lock()
		sum += n
		mu.Unlock()
	}
	events := make(chan int)
	go func() {
		for n := range events {
			add(n)
		}
	}()
	for id := range 6 {
		all.Add(1)
		go func() {
			defer all.Done()
			m := map[string][]int{}
			for i := range 40 {
				add(deref(nil, events))
				add(deref(&pair{1, i}, events))
				add(at([]int{1, 2, 3}, i%6))
				key := fmt.Sprint("k", i%13)
				m[key] = append(m[key], i*id)
				add(encode(m))
				if i%20 == 0 {
					add(deep(300+50*id) % 1000)
					runtime.GC()
				}
				select {
				case <-time.After(time.Duration(i%3) * time.Millisecond):
				}
			}
		}()
	}
	all.Wait()
	time.Sleep(5 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	fmt.Println("sum", sum)
	const want = 46402 // as computed natively
	if sum != want {
		os.Exit(1)
	}
}

// Command stacks is a guest for the tests of src/engine: it computes things whose output must not
// depend on the rewriting pass, and it stops in places whose stack the engine has to describe.
//
// The tests look for the lines marked "line: NAME".
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
)

type record struct {
	Name  string
	Score float64
	Tags  []string
}

//go:noinline
func descend(depth int) int {
	if depth < 0 {
		return 0
	}
	return descend(depth+1) + depth // line: descend
}

//go:noinline
func spin(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i*i ^ sum // line: spin
	}
	return sum
}

//go:noinline
func outer(n int) int {
	return spin(n) + 1 // line: outer
}

//go:noinline
func say(text string) {
	os.Stdout.WriteString(text) // line: say
}

func grow() {
	var kept [][]byte
	for {
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = byte(i)
		}
		kept = append(kept, block)
		if len(kept)%8 == 0 {
			say(fmt.Sprintln("kept", len(kept)))
		}
	}
}

// twin exercises much of the compiler and the runtime and prints what comes out.
func twin() {
	words := strings.Fields(strings.Repeat("the quick brown fox jumps over the lazy dog ", 200))
	counts := map[string]int{}
	for _, w := range words {
		counts[w]++
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(k, counts[k])
	}
	var list []record
	for i := 0; i < 200; i++ {
		list = append(list, record{fmt.Sprint("r", i), float64(i) / 7, []string{"a", "b"}})
	}
	text, _ := json.Marshal(list)
	fmt.Printf("%x\n", sha256.Sum256(text))
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v * 3
		}
		close(pong)
	}()
	total := 0
	for i := 0; i < 500; i++ {
		ping <- i
		total += <-pong
	}
	close(ping)
	fmt.Println("total", total)
	defer func() { fmt.Println("recovered:", recover()) }()
	var none *record
	fmt.Println(none.Name)
}

func main() {
	switch os.Args[1] {
	case "twin":
		twin()
	case "recurse":
		fmt.Println(descend(1))
	case "spin":
		say("spinning\n")
		fmt.Println(outer(1 << 40)) // line: main
	case "grow":
		grow()
	}
}

package main

import "strconv"

// mapStrings builds a map with string keys and reads it back.
func mapStrings(n int) uint64 {
	m := make(map[string]int)
	for i := range n {
		m["key-"+strconv.Itoa(i*7)]++
	}
	found := 0
	for i := range n {
		found += m["key-"+strconv.Itoa(i)]
	}
	return uint64(found) + uint64(len(m))*16 + uint64(n%7)
}

type tree struct{ left, right *tree }

func grow(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{grow(depth - 1), grow(depth - 1)}
}

func (t *tree) count() uint64 {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

// trees builds and drops binary trees: allocation and garbage collection.
func trees(depth, rounds int) uint64 {
	long := grow(depth)
	sum := uint64(0)
	for range rounds {
		sum += grow(depth).count()
	}
	return sum + long.count()*0 + uint64(rounds)
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// engine is a write-ahead log: a sequence of records, the first at position 1.
type engine interface {
	// Append adds a record behind the last one. When it returns nil, the record is promised to
	// survive power loss. After an error the log may not be used any more.
	Append(record string) error
}

// opener opens or creates the log in dir and returns the records it holds, in order.
type opener func(dir string) (e engine, records []string, err error)

// engines by the name that -engine takes.
var engines = map[string]opener{
	"checked": openChecked,
	"tidwall": openTidwall,
	"seeking": openSeeking,
	"rosedb":  openRosedb,
}

func findEngine(name string) (opener, error) {
	if open, ok := engines[name]; ok {
		return open, nil
	}
	names := slices.Sorted(maps.Keys(engines))
	return nil, fmt.Errorf("unknown engine %q; there are %s", name, strings.Join(names, ", "))
}

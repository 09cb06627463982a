package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

type order struct {
	ID     int               `json:"id"`
	Name   string            `json:"name"`
	Price  float64           `json:"price"`
	Tags   []string          `json:"tags"`
	Labels map[string]string `json:"labels"`
}

// jsonRoundTrips encodes and decodes small objects.
func jsonRoundTrips(n int) uint64 {
	size := 0
	for i := range n {
		in := order{i, fmt.Sprintf("order %d", i), float64(i) * 1.25, []string{"new", "urgent", "eu"},
			map[string]string{"customer": "c" + fmt.Sprint(i%97), "region": "north"}}
		text, err := json.Marshal(in)
		if err != nil {
			return 0
		}
		var out order
		if err := json.Unmarshal(text, &out); err != nil || out.ID != i || out.Price != in.Price {
			return 0
		}
		size += len(text)
	}
	return uint64(size)
}

// flateRoundTrip compresses text of so many megabytes and expands it again.
func flateRoundTrip(megabytes int) uint64 {
	r := random(3)
	words := []string{"node ", "seed ", "crash ", "fault ", "replay ", "disk ", "torn ", "tail\n"}
	var text bytes.Buffer
	for text.Len() < megabytes<<20 {
		text.WriteString(words[r.next()>>61])
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, 6)
	w.Write(text.Bytes())
	w.Close()
	back, err := io.ReadAll(flate.NewReader(&packed))
	if err != nil || !bytes.Equal(back, text.Bytes()) {
		return 0
	}
	return 1
}

// regexpMatches parses log lines with a pattern that has groups.
func regexpMatches(n int) uint64 {
	pattern := regexp.MustCompile(`^(\d+)\.(\d{3}) +([a-z]+) +(\w+)=(\S+)`)
	matches := uint64(0)
	for i := range n {
		line := fmt.Sprintf("%d.%03d  server   offset=%d rest of the line", i, i%1000, i*64)
		if m := pattern.FindStringSubmatch(line); m != nil && m[3] == "server" {
			matches++
		}
	}
	return matches
}

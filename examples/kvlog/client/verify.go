package main

import "time"

// readWindow is how many requests verify has on the way at once.
const readWindow = 64

// verify reads all entries back and checks them, and returns how many it could read until the
// deadline.
func verify(addr string, entries []entry, deadline time.Time) (checked int) {
	for checked < len(entries) {
		c := connect(addr, deadline)
		if c == nil {
			return checked
		}
		checked += readBack(c, entries[checked:])
		c.close()
	}
	return checked
}

// readBack checks entries in order until the connection breaks, and returns how many.
func readBack(c *session, entries []entry) (checked int) {
	for checked < len(entries) {
		part := entries[checked:min(checked+readWindow, len(entries))]
		requests := make([]string, len(part))
		for i, e := range part {
			requests[i] = e.get()
		}
		answers, err := c.ask(requests...)
		for i, answer := range answers {
			part[i].check(answer)
		}
		checked += len(answers)
		if err != nil {
			return checked
		}
	}
	return checked
}

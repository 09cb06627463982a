package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// key is what the client knows of one key. Version n has the value values[n-1].
type key struct {
	name   string
	values []string // all that were sent, in order
	acked  int      // the highest version that the server acknowledged, 0 if none
}

// ledger remembers all keys. Each is written by one writer, one version at a time. It may hold any
// version from the one acknowledged last to the one sent last.
type ledger struct {
	mu   sync.Mutex
	keys []*key
}

func newLedger(keys int) *ledger {
	l := &ledger{}
	for i := range keys {
		l.keys = append(l.keys, &key{name: fmt.Sprintf("key%02d", i+1)})
	}
	return l
}

// next makes the next version of a key and returns it with the request that sets it. Values are
// short, so that the database without rewriting stays within a page: the library also has trouble
// with a commit of which only the second page survives, and that is not what is tested here.
func (l *ledger) next(k *key) (version int, request string) {
	fill := strings.Repeat(string('a'+rune(sim.Rand().IntN(26))), 4+sim.Rand().IntN(16))
	l.mu.Lock()
	defer l.mu.Unlock()
	version = len(k.values) + 1
	value := fmt.Sprintf("%d %s", version, fill)
	k.values = append(k.values, value)
	return version, fmt.Sprintf("PUT %s %s", k.name, value)
}

// acknowledge notes that the server called a version durable.
func (l *ledger) acknowledge(k *key, version int) {
	sim.Reachable("a version was acknowledged")
	l.mu.Lock()
	defer l.mu.Unlock()
	k.acked = max(k.acked, version)
}

// ackedKeys returns how many keys have an acknowledged version.
func (l *ledger) ackedKeys() (count int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range l.keys {
		if k.acked > 0 {
			count++
		}
	}
	return count
}

// question is a GET on its way. It remembers what was acknowledged when it was asked: what is
// acknowledged later says nothing about the answer.
type question struct {
	key   *key
	acked int
}

func (l *ledger) ask(k *key) question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return question{k, k.acked}
}

func (q question) request() string { return "GET " + q.key.name }

// judge checks the server's answer to a question.
func (l *ledger) judge(q question, answer string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	version := q.key.versionIn(answer)
	switch {
	case version >= q.acked && version > 0:
		sim.Reachable("a version was read back")
	case version >= 0:
		sim.Assert(version >= q.acked, fmt.Sprintf(
			"acknowledged version %d of %s missing after restart: the server answers %q",
			q.acked, q.key.name, short(answer)))
	default:
		sim.Assert(false, fmt.Sprintf(
			"%s has a value that no client sent: %q", q.key.name, short(answer)))
	}
}

// versionIn returns which version of the key the answer holds, 0 for NONE, -1 for no version of it.
func (k *key) versionIn(answer string) int {
	if answer == "NONE" {
		return 0
	}
	value, _ := strings.CutPrefix(answer, "VAL ")
	for i, sent := range k.values {
		if sent == value {
			return i + 1
		}
	}
	return -1
}

// short cuts a text for a message.
func short(text string) string {
	if len(text) <= 24 {
		return text
	}
	return text[:21] + "..."
}

package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// message is what the client knows of one message it put.
type message struct {
	number    int
	text      string
	acked     bool
	life      string    // the life of the server that acknowledged it
	ackedAt   time.Time // when the acknowledgement had arrived
	delivered bool      // at least once
}

// ledger remembers all messages, and how long each life of the server lasted. The library promises
// what a sync covered, and it syncs every so often while it lives. So a message is *promised* when
// the server that acknowledged it still answered one sync interval, and some slack, later.
//
// Messages that are not promised may be lost. A message may be delivered twice: the position of the
// reader is only as new as the last sync.
type ledger struct {
	mu        sync.Mutex
	interval  time.Duration // after which an acknowledged message is promised
	messages  []*message
	byText    map[string]*message
	seenAlive map[string]time.Time // by life: the latest request that it answered was sent then
	swallowed int                  // TAKEs without an answer: each may have taken a message
}

func newLedger(interval time.Duration) *ledger {
	return &ledger{
		interval:  interval,
		byText:    map[string]*message{},
		seenAlive: map[string]time.Time{},
	}
}

// next makes a message of its own, of 16 to 215 bytes: so the boundaries of messages that overwrite
// others rarely agree with theirs.
func (l *ledger) next() *message {
	size := 16 + sim.Rand().IntN(200)
	fill := string('a' + rune(sim.Rand().IntN(26)))
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &message{number: len(l.messages) + 1}
	m.text = fmt.Sprintf("m%d-", m.number)
	m.text += strings.Repeat(fill, size-len(m.text))
	l.messages = append(l.messages, m)
	l.byText[m.text] = m
	return m
}

// acknowledge notes that a life of the server took the message.
func (l *ledger) acknowledge(m *message, life string, now time.Time) {
	sim.Reachable("a message was acknowledged")
	l.mu.Lock()
	defer l.mu.Unlock()
	m.acked, m.life, m.ackedAt = true, life, now
}

// alive notes that a life answered a request that was sent at the time.
func (l *ledger) alive(life string, sent time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sent.After(l.seenAlive[life]) {
		l.seenAlive[life] = sent
	}
}

// swallow notes a TAKE without an answer.
func (l *ledger) swallow() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.swallowed++
}

// deliver judges a message that the queue delivered. One that was put may come at any time.
func (l *ledger) deliver(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.byText[text]
	if m == nil {
		sim.Assert(false,
			fmt.Sprintf("a message was delivered that was never put: %q", short(text)))
		return
	}
	sim.Sometimes(m.delivered, "a message was delivered again after a restart")
	sim.Sometimes(!m.acked, "a message in doubt was delivered")
	m.delivered = true
}

func (l *ledger) promised(m *message) bool {
	return m.acked && l.seenAlive[m.life].Sub(m.ackedAt) >= l.interval
}

// judge is called when the queue is empty in the end. No more promised messages may be missing than
// were on their way to a client when the server died.
func (l *ledger) judge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var missing []*message
	for _, m := range l.messages {
		if !l.promised(m) {
			continue
		}
		sim.Reachable("a synced message was judged")
		if !m.delivered {
			missing = append(missing, m)
		}
	}
	if len(missing) > l.swallowed {
		sim.Assert(false, fmt.Sprintf("synced message %d was never delivered; "+
			"%d are missing, and at most %d were on their way when the server died",
			missing[0].number, len(missing), l.swallowed))
	}
}

// short cuts a text for a message.
func short(text string) string {
	if len(text) <= 24 {
		return text
	}
	return text[:21] + "..."
}

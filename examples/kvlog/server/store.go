package main

import (
	"sync"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// maxBatchBytes bounds what one fsync covers.
const maxBatchBytes = 64 << 10

// syncDelay is how long acknowledged entries may stay unsynced with -ack=before-fsync.
const syncDelay = 2 * time.Millisecond

// put is one entry on its way to the log. done is closed when it may be acknowledged.
type put struct {
	index uint64
	value string
	done  chan struct{}
}

// store keeps the entries in memory and their log on disk. Many connections read and write it; one
// goroutine (commitLoop) writes the log and covers all entries that wait with one fsync.
type store struct {
	log            *logFile
	ackBeforeFsync bool
	puts           chan *put
	unsynced       chan struct{} // holds a token while syncLoop has work

	mu    sync.RWMutex
	index map[uint64]string // what may be acknowledged or read

	pages *pages // the index with -index=copied; else nil
}

func openStore(o options) (*store, error) {
	index := map[uint64]string{}
	log, err := openLog(o, index)
	if err != nil {
		return nil, err
	}
	s := &store{
		log:            log,
		ackBeforeFsync: o.ackBeforeFsync,
		puts:           make(chan *put, 64),
		unsynced:       make(chan struct{}, 1),
		index:          index,
	}
	if o.copiedIndex {
		s.pages = newPages(index)
	}
	return s, nil
}

// Get returns the value of an entry.
func (s *store) Get(index uint64) (value string, ok bool) {
	if s.pages != nil {
		return s.pages.Get(index)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, ok = s.index[index]
	return value, ok
}

// Put returns when the entry may be acknowledged. If the log fails it never returns: the process
// ends.
func (s *store) Put(index uint64, value string) {
	p := &put{index: index, value: value, done: make(chan struct{})}
	s.puts <- p
	<-p.done
	if s.pages != nil {
		s.pages.Set(index, value) // the bug: other connections do the same meanwhile
	}
}

// commitLoop writes waiting entries until the log fails, and returns that error. No entry is
// acknowledged after it.
func (s *store) commitLoop() error {
	for {
		batch, records := s.gather()
		if err := s.log.Append(records); err != nil {
			return err
		}
		if s.ackBeforeFsync {
			s.acknowledge(batch) // the bug: a power loss takes entries that clients rely on
			select {
			case s.unsynced <- struct{}{}:
			default:
			}
			continue
		}
		if err := s.log.Sync(); err != nil {
			return err
		}
		s.acknowledge(batch)
	}
}

// gather waits for an entry and takes along all others that wait, with their records.
func (s *store) gather() (batch []*put, records []byte) {
	for {
		var p *put
		if len(batch) == 0 {
			p = <-s.puts
		} else {
			select {
			case p = <-s.puts:
			default:
				return batch, records
			}
		}
		batch = append(batch, p)
		records = appendRecord(records, p.index, p.value)
		if len(records)+headerSize+maxPayload > maxBatchBytes {
			return batch, records
		}
	}
}

func (s *store) acknowledge(batch []*put) {
	sim.Sometimes(len(batch) > 1, "one commit covers several entries")
	s.mu.Lock()
	for _, p := range batch {
		s.index[p.index] = p.value
	}
	s.mu.Unlock()
	for _, p := range batch {
		close(p.done)
	}
}

// syncLoop syncs what commitLoop acknowledged early, until the log fails.
func (s *store) syncLoop() error {
	for range s.unsynced {
		time.Sleep(syncDelay)
		if err := s.log.Sync(); err != nil {
			return err
		}
	}
	return nil
}

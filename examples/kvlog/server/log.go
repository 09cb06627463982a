package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// Choices of the command line; see README.md for what each does wrong or right.
type options struct {
	dir            string
	ackBeforeFsync bool // answer after the write, sync later
	appendBehind   bool // recovery leaves a torn tail and appends behind it
	dirSync        bool // sync the directory and its parent at start
	retrySync      bool // trust a second Sync after a failed one
	copiedIndex    bool // connections replace pages of the index by changed copies
}

// logFile is the log on disk. It is written by one goroutine; Sync may run in another.
type logFile struct {
	file      *os.File
	retrySync bool
}

// openLog opens or creates the log, recovers its entries into index and makes sure that all of them
// are durable before it returns: whoever reads an entry may rely on it.
func openLog(o options, index map[uint64]string) (*logFile, error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(o.dir, "log"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &logFile{file: f, retrySync: o.retrySync}
	if err := l.recover(o, index); err != nil {
		f.Close()
		return nil, err
	}
	if o.dirSync {
		// A new file survives power loss only with its name, the name of a new directory likewise.
		for _, dir := range []string{o.dir, filepath.Dir(filepath.Clean(o.dir))} {
			if err := syncDir(dir); err != nil {
				f.Close()
				return nil, err
			}
		}
	}
	return l, nil
}

// recover replays the log up to the first invalid record and leaves the file ready for appending.
func (l *logFile) recover(o options, index map[uint64]string) error {
	data, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	valid := replay(data, index)
	if len(data) > 0 {
		sim.Reachable("recovery found an earlier log")
	}
	if valid < len(data) {
		sim.Reachable("recovery found a torn tail")
		fmt.Fprintf(os.Stderr, "recovery: %d entries, then %d invalid bytes\n",
			len(index), len(data)-valid)
	}
	if o.appendBehind {
		return l.Sync() // the bug: what is appended behind an invalid record is never replayed
	}
	return l.cutTail(data[:valid])
}

// cutTail removes what follows the valid records and makes the valid ones durable.
//
// It writes the last of them again. They may have come from the page cache of a machine whose disk
// refused them: after a failed fsync the kernel calls such pages clean, and a later fsync does not
// write them. The server stops at the first failed fsync, so at most one batch is in doubt.
func (l *logFile) cutTail(valid []byte) error {
	if err := l.file.Truncate(int64(len(valid))); err != nil {
		return err
	}
	again := max(0, len(valid)-maxBatchBytes)
	if _, err := l.file.Seek(int64(again), io.SeekStart); err != nil {
		return err
	}
	if _, err := l.file.Write(valid[again:]); err != nil {
		return err
	}
	return l.Sync()
}

// replay puts the valid records at the start of data into index, later ones over earlier ones, and
// returns how many bytes they take.
func replay(data []byte, index map[uint64]string) (valid int) {
	for {
		entry, value, size, ok := readRecord(data[valid:])
		if !ok {
			return valid
		}
		index[entry] = value
		valid += size
	}
}

// Append writes encoded records at the end of the log. They are durable after Sync. After an error
// the end of the file is unknown and the log must not be used any more.
func (l *logFile) Append(records []byte) error {
	_, err := l.file.Write(records)
	return err
}

// Sync makes all that was appended before durable. After an error nothing is known of it, and
// trying again proves nothing (with retrySync it is tried all the same: the fsyncgate bug).
func (l *logFile) Sync() error {
	err := l.file.Sync()
	if err != nil && l.retrySync {
		err = l.file.Sync()
	}
	return err
}

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

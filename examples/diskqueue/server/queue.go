package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	older "example.com/diskqueue-1.0.0"
	"github.com/nsqio/go-diskqueue"
)

// Sizes of messages in bytes. No text passes for the size of a message: four letters are a number
// far above the maximum, and so is what half a size and half a message make.
const (
	minMessage = 8
	maxMessage = 1024
)

// options are the settings of the queue.
type options struct {
	dir     string
	version string        // of the library: "1.0.0" or "1.1.0"
	sync    time.Duration // how often the library syncs; it is never asked to by number of messages
	settle  bool          // store what recovery decided before the first message
}

// queue is what both versions of the library offer.
type queue interface {
	Put([]byte) error
	ReadChan() <-chan []byte
	Close() error
}

// never is a number of messages that no run reaches.
const never = 1 << 40

// openQueue opens or creates the queue in o.dir.
//
// The library keeps its positions in a metadata file, which it replaces at each sync, and never
// syncs the directory. So with o.settle the first metadata file of a process is made durable before
// the queue is used: opening decides where to read and write, and closing stores it.
func openQueue(o options) (queue, error) {
	if err := os.MkdirAll(o.dir, 0o750); err != nil {
		return nil, err
	}
	if o.settle {
		q, err := newQueue(o)
		if err != nil {
			return nil, err
		}
		if err := q.Close(); err != nil {
			return nil, err
		}
		if err := syncDirs(o.dir, filepath.Dir(filepath.Clean(o.dir))); err != nil {
			return nil, err
		}
	}
	return newQueue(o)
}

func newQueue(o options) (queue, error) {
	const fileSize = 1 << 30 // one file is enough; the library starts new ones on its own account
	switch o.version {
	case "1.0.0":
		return older.New("queue", o.dir, fileSize, minMessage, maxMessage, never, o.sync,
			func(level older.LogLevel, format string, args ...interface{}) {
				logLine(level >= older.WARN, format, args)
			}), nil
	case "1.1.0":
		return diskqueue.New("queue", o.dir, fileSize, minMessage, maxMessage, never, o.sync,
			func(level diskqueue.LogLevel, format string, args ...interface{}) {
				logLine(level >= diskqueue.WARN, format, args)
			}), nil
	}
	return nil, fmt.Errorf("unknown version %q; there are 1.0.0 and 1.1.0", o.version)
}

// logLine prints the library's warnings and errors.
func logLine(serious bool, format string, args []interface{}) {
	if serious {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

func syncDirs(dirs ...string) error {
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

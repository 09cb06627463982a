package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rosedblabs/wal"
	"github.com/seedfall/seedfall/sdk/go/sim"
)

// rosedb is github.com/rosedblabs/wal with Sync on: every write is followed by an fsync.
type rosedb struct {
	log *wal.WAL
}

func openRosedb(dir string) (engine, []string, error) {
	options := wal.DefaultOptions
	options.DirPath = dir
	options.SegmentSize = 64 * wal.MB
	options.Sync = true
	log, err := wal.Open(options)
	if err != nil {
		return nil, nil, err
	}
	records, err := readAll(log)
	if err != nil {
		// The only reading of this error that lets a server start at all: a power loss tore the
		// last write, and what stands before it is the log.
		sim.Reachable("recovery found a torn tail")
		fmt.Fprintf(os.Stderr, "recovery: %d records, then: %v\n", len(records), err)
	}
	return &rosedb{log: log}, records, nil
}

// readAll returns the records up to the first that the library's reader refuses, and its error.
//
// A torn length field can send the reader past the end of its block, where it panics. That counts
// as an error of the reader: it must not hide what is tested here.
func readAll(log *wal.WAL) (records []string, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the reader panics: %v", broken)
		}
	}()
	for reader := log.NewReader(); ; {
		record, _, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		records = append(records, string(record))
	}
}

func (r *rosedb) Append(record string) error {
	_, err := r.log.Write([]byte(record))
	return err
}

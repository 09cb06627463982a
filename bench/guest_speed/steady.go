package main

import (
	"encoding/binary"
	"os"
	"time"
)

// work keeps a heap of so many megabytes, changes some of it every millisecond, makes garbage, and
// appends to a file that it syncs now and then.
func work(megabytes int, length time.Duration) error {
	chunks := make([][]byte, megabytes*16)
	r := random(11)
	for i := range chunks {
		chunks[i] = randomBytes(64 << 10)
	}
	log, err := os.Create("/work.log")
	if err != nil {
		return err
	}
	defer log.Close()
	end := time.Now().Add(length)
	for step := uint64(0); time.Now().Before(end); step++ {
		time.Sleep(time.Millisecond)
		record := make([]byte, 0, 64)
		for range 8 {
			chunk := chunks[r.next()%uint64(len(chunks))]
			chunk[r.next()%uint64(len(chunk))]++
			record = binary.BigEndian.AppendUint64(record, r.next()+uint64(chunk[0]))
		}
		if step%4 != 0 {
			continue
		}
		if _, err := log.Write(record); err != nil {
			return err
		}
		if step%64 != 0 {
			continue
		}
		if err := log.Sync(); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// seeking reads and writes the file of tidwall/wal (its first segment), with the recovery that the
// pending change to that library adds: a bad tail is left out in memory, and the next write goes to
// the end of the last whole record. The file is not cut there. That is the bug: a shorter record
// leaves the rest of the tail behind it, and the next recovery reads on in it.
//
// The format is a record after another: its size as an unsigned varint, then its bytes. There is no
// checksum, so anything that looks like a size and is followed by enough bytes is a record.
type seeking struct {
	file *os.File
}

func openSeeking(dir string) (engine, []string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%020d", 1)), os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	records, valid := splitRecords(data)
	if valid < len(data) {
		sim.Reachable("recovery found a torn tail")
		fmt.Fprintf(os.Stderr, "recovery: %d records, then %d bytes left out\n",
			len(records), len(data)-valid)
	}
	if _, err := f.Seek(int64(valid), io.SeekStart); err != nil {
		f.Close()
		return nil, nil, err
	}
	return &seeking{file: f}, records, nil
}

// splitRecords returns the records up to the first that is not whole, and how many bytes they take.
func splitRecords(data []byte) (records []string, valid int) {
	for {
		size, n := binary.Uvarint(data[valid:])
		if n <= 0 || uint64(len(data)-valid-n) < size {
			return records, valid
		}
		end := valid + n + int(size)
		records = append(records, string(data[valid+n:end]))
		valid = end
	}
}

func (s *seeking) Append(record string) error {
	entry := append(binary.AppendUvarint(nil, uint64(len(record))), record...)
	if _, err := s.file.Write(entry); err != nil {
		return err
	}
	return s.file.Sync()
}

package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// checked is a log that keeps its promise, to compare the others with. A record in the file is
//
//	offset 0  u32  size of the record in bytes, 1 to maxRecord
//	offset 4  u32  CRC-32C of the size field and the record
//	offset 8       the record
//
// with integers little endian. Recovery cuts off what follows the last valid record and syncs
// before anything is served or appended.
type checked struct {
	file *os.File
}

const checkedHeader = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func openChecked(dir string) (engine, []string, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, nil, err
	}
	records, err := recoverChecked(f)
	if err == nil {
		// The file's name must survive as well, and that of its folder.
		err = syncDirs(dir, filepath.Dir(filepath.Clean(dir)))
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return &checked{file: f}, records, nil
}

// recoverChecked leaves f at the end of the last valid record, with nothing behind it, durable.
//
// It writes the last record again: it may have come from the page cache of a process that died at a
// failed fsync, and then a later fsync would not write it.
func recoverChecked(f *os.File) (records []string, err error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	valid, last := 0, 0
	for {
		record, ok := decodeChecked(data[valid:])
		if !ok {
			break
		}
		records = append(records, record)
		last, valid = valid, valid+checkedHeader+len(record)
	}
	if valid < len(data) {
		sim.Reachable("recovery found a torn tail")
		fmt.Fprintf(os.Stderr, "recovery: %d records, then %d invalid bytes\n",
			len(records), len(data)-valid)
	}
	if err := f.Truncate(int64(valid)); err != nil {
		return nil, err
	}
	if _, err := f.Seek(int64(last), io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := f.Write(data[last:valid]); err != nil {
		return nil, err
	}
	return records, f.Sync()
}

func encodeChecked(record string) []byte {
	entry := binary.LittleEndian.AppendUint32(nil, uint32(len(record)))
	entry = binary.LittleEndian.AppendUint32(entry, checksum(entry, record))
	return append(entry, record...)
}

func decodeChecked(data []byte) (record string, ok bool) {
	if len(data) < checkedHeader {
		return "", false
	}
	size := binary.LittleEndian.Uint32(data)
	if size == 0 || size > maxRecord || int(size) > len(data)-checkedHeader {
		return "", false
	}
	record = string(data[checkedHeader : checkedHeader+size])
	return record, binary.LittleEndian.Uint32(data[4:]) == checksum(data[:4], record)
}

func checksum(size []byte, record string) uint32 {
	return crc32.Update(crc32.Checksum(size, castagnoli), castagnoli, []byte(record))
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

func (c *checked) Append(record string) error {
	if _, err := c.file.Write(encodeChecked(record)); err != nil {
		return err
	}
	return c.file.Sync()
}

package main

import (
	"encoding/binary"
	"hash/crc32"
)

// A record is one entry in the log file:
//
//	offset 0  u32  size of the payload in bytes, 9 to maxPayload
//	offset 4  u32  CRC-32C of the size field and the payload
//	offset 8       payload: u64 entry number, then the value (at least one byte)
//
// Integers are little endian. The checksum covers the size, and a payload is never empty, so
// neither a cut record nor a run of zeros passes for a valid one.
const (
	headerSize = 8
	indexSize  = 8
	maxValue   = 1 << 10
	maxPayload = indexSize + maxValue
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRecord appends the encoded entry to buf.
func appendRecord(buf []byte, index uint64, value string) []byte {
	start := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(indexSize+len(value)))
	buf = binary.LittleEndian.AppendUint32(buf, 0)
	buf = binary.LittleEndian.AppendUint64(buf, index)
	buf = append(buf, value...)
	binary.LittleEndian.PutUint32(buf[start+4:], checksum(buf[start:]))
	return buf
}

// readRecord decodes the record at the start of buf and returns its size in the file. ok is false
// if no valid record starts there.
func readRecord(buf []byte) (index uint64, value string, size int, ok bool) {
	if len(buf) < headerSize {
		return 0, "", 0, false
	}
	payload := binary.LittleEndian.Uint32(buf)
	if payload <= indexSize || payload > maxPayload {
		return 0, "", 0, false
	}
	size = headerSize + int(payload)
	if len(buf) < size || binary.LittleEndian.Uint32(buf[4:]) != checksum(buf[:size]) {
		return 0, "", 0, false
	}
	index = binary.LittleEndian.Uint64(buf[headerSize:])
	return index, string(buf[headerSize+indexSize : size]), size, true
}

// checksum is the CRC of a whole record without its checksum field.
func checksum(record []byte) uint32 {
	sum := crc32.Update(0, castagnoli, record[:4])
	return crc32.Update(sum, castagnoli, record[headerSize:])
}

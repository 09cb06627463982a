package main

import "github.com/tidwall/wal"

// tidwall is github.com/tidwall/wal with its default options, which sync after every write.
type tidwall struct {
	log  *wal.Log
	last uint64
}

func openTidwall(dir string) (engine, []string, error) {
	log, err := wal.Open(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	last, err := log.LastIndex()
	if err != nil {
		return nil, nil, err
	}
	t := &tidwall{log: log, last: last}
	var records []string
	for index := uint64(1); index <= last; index++ {
		record, err := log.Read(index)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, string(record))
	}
	return t, records, nil
}

func (t *tidwall) Append(record string) error {
	if err := t.log.Write(t.last+1, []byte(record)); err != nil {
		return err
	}
	t.last++
	return nil
}

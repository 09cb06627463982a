package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/seedfall/seedfall/sdk/go/sim"
	"github.com/tidwall/buntdb"
)

// options are the settings of the store.
type options struct {
	dir    string
	shrink bool // let the library rewrite its file in the background
}

// fileName is the database in its folder.
const fileName = "db"

// When the library looks, once a second, the file is rewritten if it is larger than this, and
// larger than it was after the last time by this much.
const (
	shrinkMinBytes = 256
	shrinkPercent  = 10
)

// store is a buntdb database with SyncPolicy Always: a commit is followed by an fsync of its file.
//
// The library never syncs the directory, so the store does, at start and after each commit. What is
// found wrong here is therefore not a lost name.
type store struct {
	db  *buntdb.DB
	dir string

	mu    sync.Mutex
	bytes int64 // size of the file when it was last looked at
}

// openStore opens or creates the database, with its file's name durable.
func openStore(o options) (*store, error) {
	if err := os.MkdirAll(o.dir, 0o750); err != nil {
		return nil, err
	}
	name := filepath.Join(o.dir, fileName)
	if err := createFile(name); err != nil {
		return nil, err
	}
	if err := syncDirs(o.dir, filepath.Dir(filepath.Clean(o.dir))); err != nil {
		return nil, err
	}
	db, err := buntdb.Open(name)
	if err != nil {
		return nil, err
	}
	if err := configure(db, o.shrink); err != nil {
		return nil, err
	}
	return &store{db: db, dir: o.dir}, nil
}

func configure(db *buntdb.DB, shrink bool) error {
	var config buntdb.Config
	if err := db.ReadConfig(&config); err != nil {
		return err
	}
	config.SyncPolicy = buntdb.Always
	config.AutoShrinkMinSize = shrinkMinBytes
	config.AutoShrinkPercentage = shrinkPercent
	config.AutoShrinkDisabled = !shrink
	return db.SetConfig(config)
}

// createFile makes sure that the file exists.
func createFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		sim.Reachable("recovery found an earlier database")
	}
	return f.Sync()
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

// Put sets a key to a version of its value and returns when that is durable. A version that is not
// newer than what is there changes nothing: so a late request of a broken connection cannot undo a
// later one.
func (s *store) Put(key string, version int, fill string) error {
	err := s.db.Update(func(tx *buntdb.Tx) error {
		current, err := tx.Get(key)
		if err == nil && versionOf(current) >= version {
			return nil
		}
		if err != nil && !errors.Is(err, buntdb.ErrNotFound) {
			return err
		}
		_, _, err = tx.Set(key, fmt.Sprintf("%d %s", version, fill), nil)
		return err
	})
	if err != nil {
		return err
	}
	s.noteRewrite()
	return syncDirs(s.dir)
}

// noteRewrite notices that the library rewrote its file: nothing else makes it smaller.
func (s *store) noteRewrite() {
	info, err := os.Stat(filepath.Join(s.dir, fileName))
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if info.Size() < s.bytes {
		sim.Reachable("the library rewrote its file")
	}
	s.bytes = info.Size()
}

// versionOf returns the version in a stored value, 0 if there is none.
func versionOf(stored string) int {
	number, _, _ := strings.Cut(stored, " ")
	version, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return version
}

// Get returns what is stored under a key.
func (s *store) Get(key string) (stored string, ok bool, err error) {
	err = s.db.View(func(tx *buntdb.Tx) error {
		stored, err = tx.Get(key)
		return err
	})
	if errors.Is(err, buntdb.ErrNotFound) {
		return "", false, nil
	}
	return stored, err == nil, err
}

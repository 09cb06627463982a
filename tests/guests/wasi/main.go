// Command wasi calls functions of WASI preview 1 that Go's library never uses, checks what they do
// and prints one line for each group that behaves; a wrong answer ends it with exit code 1.
package main

import (
	"fmt"
	"os"
	"time"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 fd_advise
func fdAdvise(fd uint32, offset, length uint64, advice uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_allocate
func fdAllocate(fd uint32, offset, length uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_get
func fdFdstatGet(fd uint32, result unsafe.Pointer) uint32

//go:wasmimport wasi_snapshot_preview1 fd_fdstat_set_rights
func fdFdstatSetRights(fd uint32, base, inheriting uint64) uint32

//go:wasmimport wasi_snapshot_preview1 fd_filestat_set_times
func fdFilestatSetTimes(fd uint32, accessed, modified uint64, flags uint32) uint32

//go:wasmimport wasi_snapshot_preview1 fd_renumber
func fdRenumber(from, to uint32) uint32

//go:wasmimport wasi_snapshot_preview1 proc_raise
func procRaise(signal uint32) uint32

// Numbers of witx `errno`.
const (
	ok         = 0
	badf       = 8
	inval      = 28
	notsup     = 58
	spipe      = 70
	notcapable = 76
)

const rightRead, rightWrite = 1 << 1, 1 << 6

type fdstat struct {
	kind             uint8
	flags            uint16
	rights, inherits uint64
}

func main() {
	for _, group := range []struct {
		name string
		run  func()
	}{
		{"advise", advise}, {"allocate", allocate}, {"rights", rights},
		{"inheriting", inheriting}, {"times", times}, {"renumber", renumber}, {"raise", raise},
	} {
		group.run()
		fmt.Println("behaves:", group.name)
	}
	procRaise(6) // abrt: the exit code is 134
	fmt.Println("still here after SIGABRT")
}

func expect(got, want uint32, what string) {
	if got != want {
		fmt.Printf("%s: errno %d, want %d\n", what, got, want)
		os.Exit(1)
	}
}

func check(holds bool, what string) {
	if !holds {
		fmt.Println("wrong:", what)
		os.Exit(1)
	}
}

func create(name, content string) (*os.File, uint32) {
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		panic(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	return f, uint32(f.Fd())
}

func advise() {
	_, fd := create("/advised", "x")
	expect(fdAdvise(fd, 0, 0, 5), ok, "advice noreuse")
	expect(fdAdvise(fd, 0, 0, 6), inval, "advice 6")
	expect(fdAdvise(1, 0, 0, 0), spipe, "advice on stdout")
	expect(fdAdvise(999, 0, 0, 0), badf, "advice on no descriptor")
}

func allocate() {
	f, fd := create("/allocated", "head")
	expect(fdAllocate(fd, 2, 10_000), ok, "allocate")
	data, err := os.ReadFile("/allocated")
	check(err == nil && len(data) == 10_002, "the size after allocate")
	check(string(data[:4]) == "head" && data[5000] == 0, "the content after allocate")
	expect(fdAllocate(fd, 0, 5), ok, "allocate inside")
	info, _ := f.Stat()
	check(info.Size() == 10_002, "allocate never shrinks")
	expect(fdAllocate(fd, 0, 0), inval, "allocate nothing")
	reader, err := os.Open("/allocated")
	check(err == nil, "open")
	expect(fdAllocate(uint32(reader.Fd()), 0, 1), badf, "allocate through a reader")
	expect(fdAllocate(1, 0, 1), spipe, "allocate on stdout")
}

func rights() {
	f, fd := create("/rights", "text")
	var stat fdstat
	expect(fdFdstatGet(fd, unsafe.Pointer(&stat)), ok, "fdstat")
	check(stat.rights&rightWrite != 0, "a descriptor for writing says so")
	less := stat.rights &^ rightWrite
	expect(fdFdstatSetRights(fd, less, stat.inherits), ok, "giving up a right")
	_, err := f.Write([]byte("x"))
	check(err != nil, "a write without the right")
	_, err = f.ReadAt(make([]byte, 4), 0)
	check(err == nil, "a read with its right")
	expect(fdFdstatSetRights(fd, stat.rights, stat.inherits), notcapable, "taking a right back")
	reader, _ := os.Open("/rights")
	expect(fdFdstatGet(uint32(reader.Fd()), unsafe.Pointer(&stat)), ok, "fdstat")
	check(stat.rights&rightRead != 0 && stat.rights&rightWrite == 0, "a reader's rights")
}

// What a directory may pass on can only become less.
func inheriting() {
	if err := os.Mkdir("/sub", 0o700); err != nil {
		panic(err)
	}
	d, err := os.Open("/sub")
	check(err == nil, "open a directory")
	var stat fdstat
	fd := uint32(d.Fd())
	expect(fdFdstatGet(fd, unsafe.Pointer(&stat)), ok, "fdstat")
	expect(fdFdstatSetRights(fd, stat.rights, stat.inherits&^rightWrite), ok, "inheriting less")
	expect(fdFdstatSetRights(fd, stat.rights, stat.inherits), notcapable, "inheriting more again")
}

func times() {
	f, fd := create("/timed", "x")
	const set, setModified, now = 1, 4, 8
	expect(fdFilestatSetTimes(fd, 0, 1_800_000_000_000_000_000, setModified), ok, "set mtime")
	info, _ := f.Stat()
	check(info.ModTime().Equal(time.Unix(1_800_000_000, 0)), "mtime is what was set")
	expect(fdFilestatSetTimes(fd, 0, 0, setModified|now), inval, "two values of one time")
	expect(fdFilestatSetTimes(fd, 0, 0, now), ok, "set mtime to now")
	info, _ = f.Stat()
	check(info.ModTime().Year() == 2025, "mtime is now")
	expect(fdFilestatSetTimes(999, 0, 0, set), badf, "times of no descriptor")
}

func renumber() {
	a, from := create("/a", "content of a")
	_, to := create("/b", "content of b")
	expect(fdRenumber(from, 999), badf, "renumber to no descriptor")
	expect(fdRenumber(999, to), badf, "renumber from no descriptor")
	expect(fdRenumber(to, to), ok, "renumber to itself")
	expect(fdRenumber(from, to), ok, "renumber")
	var stat fdstat
	expect(fdFdstatGet(from, unsafe.Pointer(&stat)), badf, "the old number")
	text := make([]byte, 12)
	n, err := os.NewFile(uintptr(to), "/a").ReadAt(text, 0)
	check(err == nil && string(text[:n]) == "content of a", "the new number is the old file")
	_ = a
}

func raise() {
	expect(procRaise(16), ok, "SIGCHLD is ignored")
	expect(procRaise(18), notsup, "SIGSTOP")
	expect(procRaise(31), inval, "signal 31")
}

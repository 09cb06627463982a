// Command golden does a fixed little of everything that a trace shows: names, data, syncs, console
// lines. It calls the syscall package directly, so that the calls it makes do not change with Go.
//
// It keeps a counter in a file and counts to ten, one file replacement per step, across crashes.
package main

import (
	"os"
	"syscall"
	"time"
)

func must(err error) {
	if err != nil {
		println("golden:", err.Error())
		os.Exit(1)
	}
}

// load reads the counter; no file means 0.
func load() byte {
	fd, err := syscall.Open("/data/count", syscall.O_RDONLY, 0)
	if err == syscall.ENOENT {
		return 0
	}
	must(err)
	var buf [16]byte
	n, err := syscall.Read(fd, buf[:])
	must(err)
	must(syscall.Close(fd))
	if n != 16 || string(buf[1:15]) != "/10 is counted" || buf[15] != '\n' {
		println("golden: the counter is torn,", n, "bytes")
		os.Exit(3)
	}
	return buf[0] - '0'
}

func syncFolder(path string) {
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	must(err)
	must(syscall.Fsync(fd))
	must(syscall.Close(fd))
}

// store replaces the file by a new one, as careful programs do.
func store(count byte) {
	fd, err := syscall.Open("/data/new", syscall.O_CREAT|syscall.O_TRUNC|syscall.O_WRONLY, 0o600)
	must(err)
	_, err = syscall.Write(fd, append([]byte{'0' + count}, "/10 is counted\n"...))
	must(err)
	must(syscall.Fsync(fd))
	must(syscall.Close(fd))
	must(syscall.Rename("/data/new", "/data/count"))
	syncFolder("/data")
}

func count() {
	if err := syscall.Mkdir("/data", 0o700); err != syscall.EEXIST {
		must(err)
		syncFolder("/")
	}
	at := load()
	println("starts at", at)
	for at < 9 {
		at++
		store(at)
		println("counted", at)
	}
	println("done")
}

func main() {
	if os.Args[1] == "count" {
		count()
	} else {
		time.Sleep(10 * time.Second)
	}
}

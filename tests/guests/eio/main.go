// Command eio plays one row of the litmus table on failed fsyncs and prints what it sees. The test
// that runs it says by a capsule which operation fails; the operations of each row are counted in
// its comments.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	rows := map[string]func(){
		"again": again, "ten": tenDescriptors, "unseen": unseen, "heal": heal, "parked": parked,
	}
	rows[os.Args[1]]()
	time.Sleep(time.Hour)
}

// A second fsync after a failed one succeeds, reads show the new bytes, an eviction the old ones.
func again() {
	f := open() // 1
	if f == nil {
		return
	}
	write(f, "old")                    // 2
	fsync("first", f)                  // 3
	write(f, "new")                    // 4
	fsync("failing", f)                // 5: fails
	fsync("again", f)                  // 6
	show("cached", f)                  // 7
	time.Sleep(100 * time.Millisecond) // an eviction
	show("evicted", f)                 // 8
}

// Each of ten descriptors is told once; one opened later is not.
func tenDescriptors() {
	var files []*os.File
	for range 10 { // 1 to 10
		files = append(files, open())
	}
	write(files[0], "new")    // 11
	for i, f := range files { // 12 to 21; the first fails
		fsync(fmt.Sprint("file ", i), f)
	}
	for i, f := range files { // 22 to 31
		fsync(fmt.Sprint("file ", i, " again"), f)
	}
	fsync("reopened", open()) // 32, 33
}

// An error that nobody saw goes to the next one who opens the file, once.
func unseen() {
	f := open()     // 1
	write(f, "new") // 2: written back in the background, which fails
	f.Close()
	next := open()            // 3
	fsync("next", next)       // 4
	fsync("next again", next) // 5
	fsync("later", open())    // 6, 7
}

// Writing one byte of a lost page writes all of it; after the power loss the new page is there.
func heal() {
	f := open() // 1
	if boots(f) {
		show("rebooted", f) // 2 in the second life
		return
	}
	write(f, "old")                 // 3
	fsync("first", f)               // 4
	write(f, "new")                 // 5
	fsync("failing", f)             // 6: fails
	must(f.WriteAt([]byte("w"), 2)) // 7
	fsync("healing", f)             // 8
	open()                          // 9: the power fails behind it
}

// Other goroutines run while an fsync is under way, and the error still comes through.
func parked() {
	f := open()     // 1
	write(f, "new") // 2
	turns := 0
	done := make(chan error)
	go func() { done <- f.Sync() }() // 3: fails
	for {
		select {
		case err := <-done:
			fmt.Println("synced:", err != nil, "others ran:", turns > 10)
			fsync("again", f) // 4
			return
		case <-time.After(100 * time.Microsecond):
			turns++
		}
	}
}

// boots reads the file and says whether it has content: then this is a second life. Operation 2.
func boots(f *os.File) bool {
	n, _ := f.ReadAt(make([]byte, 8), 0)
	return n > 0
}

func open() *os.File {
	f, err := os.OpenFile("/f", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		fmt.Println("open:", err)
	}
	return f
}

func write(f *os.File, text string) { must(f.WriteAt([]byte(text), 0)) }

func must(_ int, err error) {
	if err != nil {
		fmt.Println("write:", err)
	}
}

func fsync(name string, f *os.File) {
	if err := f.Sync(); err != nil {
		fmt.Println(name+": fails", "EIO:", err.Error() == "sync /f: I/O error")
		return
	}
	fmt.Println(name + ": ok")
}

func show(name string, f *os.File) {
	content := make([]byte, 8)
	n, _ := f.ReadAt(content, 0)
	fmt.Printf("%s: %q\n", name, content[:n])
}

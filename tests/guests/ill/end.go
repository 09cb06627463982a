package main

import (
	"os"
	"sync"
)

func deadlock() {
	var a, b sync.Mutex
	var done sync.WaitGroup
	a.Lock()
	b.Lock()
	done.Add(1)
	go func() {
		b.Lock()
		a.Unlock()
		done.Done()
	}()
	a.Lock()
	b.Unlock()
	done.Wait()
}

func dereferenceNil() {
	var p *[4]int
	println(p[2])
}

// Bytes that are no text, and sequences that would drive a terminal.
func printGarbageAndExit() {
	os.Stderr.WriteString("\x1b[31mred \xff\xfe\x00 \x07bell\r\nnot \xc3\x28 text\n")
	os.WriteFile("/na\nme\x1b[31m\xff", []byte("x"), 0o600)
	os.Exit(3)
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The protocol answers each line in order, and says what is wrong with a bad one.
func TestProtocol(t *testing.T) {
	addr, _ := start(t, options{dir: t.TempDir()})
	got := talk(t, addr, "PING\nGET 3\nPUT 3 three words here\r\nGET 3\nPUT 3\nGET x\nHELLO\n", 7)
	want := []string{"PONG", "NONE", "OK 3", "VAL three words here",
		"ERR want PUT <entry> <value>, value of 1 to 1024 bytes", "ERR want GET <entry>",
		`ERR unknown request "HELLO"`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// With the correct settings, an acknowledged entry is in the log file when the answer arrives.
// Method: many connections write at once; the file is replayed while the server still runs.
func TestAcknowledgedEntriesAreInTheLog(t *testing.T) {
	o := options{dir: t.TempDir(), dirSync: true}
	addr, _ := start(t, o)
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Add(1)
		go func() {
			defer clients.Done()
			for i := range 5 {
				talk(t, addr, fmt.Sprintf("PUT %d v%d\n", 5*c+i, 5*c+i), 1)
			}
		}()
	}
	clients.Wait()
	data, err := os.ReadFile(filepath.Join(o.dir, "log"))
	index := map[uint64]string{}
	if valid := replay(data, index); err != nil || valid != len(data) || len(index) != 40 {
		t.Errorf("%d entries, %d of %d bytes valid, %v", len(index), valid, len(data), err)
	}
}

// When the log fails, the store stops with the error and acknowledges nothing more.
// Method: close the file under the server, then write.
func TestAFailedLogStopsAcknowledging(t *testing.T) {
	s, err := openStore(options{dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.log.file.Close()
	failed := make(chan error, 1)
	go func() { failed <- s.commitLoop() }()
	acked := make(chan struct{})
	go func() {
		s.Put(1, "never")
		close(acked)
	}()
	if err := <-failed; err == nil {
		t.Error("commitLoop ended without an error")
	}
	select {
	case <-acked:
		t.Error("the entry was acknowledged")
	case <-time.After(20 * time.Millisecond):
	}
	if _, ok := s.Get(1); ok {
		t.Error("the entry can be read")
	}
}

func start(t *testing.T, o options) (addr string, s *store) {
	t.Helper()
	s, err := openStore(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go s.commitLoop()
	go s.syncLoop()
	go serve(ln, s)
	return ln.Addr().String(), s
}

// talk sends text on a new connection and returns so many lines of answers.
func talk(t *testing.T, addr, text string, lines int) (answers []string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		t.Error(err)
	}
	in := bufio.NewScanner(c)
	for len(answers) < lines && in.Scan() {
		answers = append(answers, in.Text())
	}
	return answers
}

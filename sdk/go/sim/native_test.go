//go:build !(seedfall && wasip1)

package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A false Assert must stop a native program with its message; a true one must not.
func TestAssertPanicsOnlyWhenFalse(t *testing.T) {
	Assert(true, "fine")
	defer func() {
		if got := recover(); got != "sim.Assert failed: entry 3 lost" {
			t.Errorf("recovered %v", got)
		}
	}()
	Assert(false, "entry 3 lost")
}

// A broken Always or Unreachable is printed once per call site with its place, and the rest is
// silent. Method: run two sites three times each and count the lines.
func TestViolationsArePrintedOncePerSite(t *testing.T) {
	var out bytes.Buffer
	old := violations.out
	violations.out = &out
	defer func() { violations.out = old }()

	for range 3 {
		Always(true, "holds")
		Sometimes(false, "rare")
		Reachable("here")
		Always(false, "balance is never negative")
		Unreachable("two leaders")
	}
	text := out.String()
	if strings.Count(text, "violated") != 2 ||
		!strings.Contains(text, "sim.Always violated: balance is never negative\n") ||
		!strings.Contains(text, "sim.Unreachable violated: two leaders\n") {
		t.Errorf("printed:\n%s", text)
	}
	if !strings.Contains(text, "native_test.go:") ||
		!strings.Contains(text, "(sim.TestViolationsArePrintedOncePerSite)") {
		t.Errorf("no call site in:\n%s", text)
	}
}

// Two calls in one function are two sites, and a repeated call is the same one.
func TestCallSitesTellLinesApart(t *testing.T) {
	var sites []string
	for range 2 {
		sites = append(sites, callSite(0))
		sites = append(sites, callSite(0))
	}
	if sites[0] == sites[1] || sites[0] != sites[2] || sites[1] != sites[3] {
		t.Errorf("sites: %q", sites)
	}
}

// A node name that nobody can resolve must be usable at both ends on one machine.
// Method: ".invalid" is reserved for names that never resolve.
func TestUnknownNodeNamesMeanLocalhost(t *testing.T) {
	ln, err := Listen("tcp", "server.invalid:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go echoOnce(ln)
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	exchange(t, "server.invalid:"+port)
}

// SEEDFALL_HOSTS maps whole addresses before hosts.
func TestHostsVariableMapsAddresses(t *testing.T) {
	t.Setenv("SEEDFALL_HOSTS", "store=127.0.0.2, store:7000=127.0.0.1:9000,nonsense")
	for addr, want := range map[hostPort]string{
		"store:7000":     "127.0.0.1:9000",
		"store:7001":     "127.0.0.2:7001",
		"127.0.0.1:7000": "127.0.0.1:7000",
		":7000":          ":7000",
	} {
		if got := locate(context.Background(), "tcp", addr); got != want {
			t.Errorf("locate(%q) = %q, want %q", addr, got, want)
		}
	}
}

// Errors must look like those of package net, whatever the build.
func TestErrorsAreNetErrors(t *testing.T) {
	var opErr *net.OpError
	_, err := Dial("udp", "127.0.0.1:53")
	if !errors.As(err, &opErr) || !strings.Contains(err.Error(), "unsupported network") {
		t.Errorf("udp: %v", err)
	}
	if _, err = Listen("tcp", "no port"); !errors.As(err, &opErr) {
		t.Errorf("bad address: %v", err)
	}

	ln, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := ln.Addr().String()
	ln.Close()
	if _, err = Dial("tcp", closed); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("closed port: %v", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = DialContext(ctx, "tcp", closed)
	if !errors.Is(err, context.Canceled) || !errors.As(err, &opErr) {
		t.Errorf("cancelled: %v", err)
	}
}

// The control calls must be harmless outside the simulator.
func TestControlFallbacks(t *testing.T) {
	if Simulated() {
		t.Error("this test does not run in the simulator")
	}
	SetupComplete()
	QuietFor(-time.Second)
	t.Setenv("SEEDFALL_NODE", "node-7")
	if Node() != "node-7" {
		t.Errorf("Node() = %q", Node())
	}
	if a, b := Rand().Uint64(), Rand().Uint64(); a == b {
		t.Errorf("two equal draws: %d", a)
	}
}

func echoOnce(ln net.Listener) {
	c, err := ln.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	io.Copy(c, c)
}

func exchange(t *testing.T, addr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c, err := DialContext(ctx, "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v", got, err)
	}
}

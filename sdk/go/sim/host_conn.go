//go:build seedfall && wasip1

package sim

import (
	"net"
	"sync"
	"syscall"
	"time"
)

// conn is a connection of package net that knows its addresses: on wasip1 those of package net are
// always empty.
type conn struct {
	tcp           *net.TCPConn
	local, remote hostPort
}

func newConn(tcp *net.TCPConn, remote hostPort) *conn {
	c := &conn{tcp: tcp}
	c.local, c.remote = socketAddrs(tcp, "", remote)
	return c
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.tcp.Read(p)
	return n, polish(err, c.local, c.remote)
}

func (c *conn) Write(p []byte) (int, error) {
	n, err := c.tcp.Write(p)
	return n, polish(err, c.local, c.remote)
}

func (c *conn) LocalAddr() net.Addr  { return c.local }
func (c *conn) RemoteAddr() net.Addr { return c.remote }

func (c *conn) Close() error      { return polish(c.tcp.Close(), c.local, c.remote) }
func (c *conn) CloseRead() error  { return polish(c.tcp.CloseRead(), c.local, c.remote) }
func (c *conn) CloseWrite() error { return polish(c.tcp.CloseWrite(), c.local, c.remote) }

func (c *conn) SetDeadline(t time.Time) error {
	return polish(c.tcp.SetDeadline(t), c.local, c.remote)
}

func (c *conn) SetReadDeadline(t time.Time) error {
	return polish(c.tcp.SetReadDeadline(t), c.local, c.remote)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	return polish(c.tcp.SetWriteDeadline(t), c.local, c.remote)
}

func (c *conn) SyscallConn() (syscall.RawConn, error) { return c.tcp.SyscallConn() }

// The socket options that libraries set without need. The simulated network has no Nagle delay and
// no keep-alive probes; package net would answer ENOPROTOOPT.

func (c *conn) SetNoDelay(bool) error                  { return nil }
func (c *conn) SetKeepAlive(bool) error                { return nil }
func (c *conn) SetKeepAlivePeriod(time.Duration) error { return nil }

// listener is a listener of package net that knows its address and accepts conns.
type listener struct {
	net.Listener
	local     hostPort
	accepting sync.RWMutex // held for reading inside Accept
}

func (l *listener) Accept() (net.Conn, error) {
	l.accepting.RLock()
	defer l.accepting.RUnlock()
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, polish(err, nil, l.local)
	}
	return newConn(inner.(*net.TCPConn), ""), nil
}

// Close also waits for pending Accepts to give up: the last user of a descriptor closes it, and the
// address must be free again when Close returns.
func (l *listener) Close() error {
	err := l.Listener.Close()
	l.accepting.Lock()
	defer l.accepting.Unlock()
	return polish(err, nil, l.local)
}

func (l *listener) Addr() net.Addr { return l.local }

// SetDeadline bounds pending and later Accepts; a zero t removes the bound.
func (l *listener) SetDeadline(t time.Time) error {
	return polish(l.Listener.(*net.TCPListener).SetDeadline(t), nil, l.local)
}

// polish makes an error of package net, which is ours alone to change, what it is on other systems:
// it puts the addresses in, and net.ErrClosed in place of the closed-file error that a socket made
// from an os.File reports on wasip1. That error is internal, so it is known by its text.
func polish(err error, source, addr net.Addr) error {
	if e, ok := err.(*net.OpError); ok {
		e.Source, e.Addr = source, addr
		if e.Err.Error() == "use of closed file" {
			e.Err = net.ErrClosed
		}
	}
	return err
}

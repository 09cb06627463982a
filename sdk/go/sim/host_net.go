//go:build seedfall && wasip1

package sim

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"
)

// How a simulated socket becomes a net.Conn without a patched toolchain: package net on wasip1
// accepts descriptors that the host made, through an os.File (net.FileConn, net.FileListener).
// Reads, writes and accepts then park only their goroutine, in the runtime's poll_oneoff.
// Connecting is the one thing wasip1 lacks: net_dial returns a socket that is still connecting, and
// we wait until it is writable before we hand it out.

func listen(network string, addr hostPort) (net.Listener, error) {
	fail := func(call string, err error) (net.Listener, error) {
		err = os.NewSyscallError(call, err)
		return nil, &net.OpError{Op: "listen", Net: network, Addr: addr, Err: err}
	}
	fd, errno := openSocket(callNetListen, addr)
	if errno != 0 {
		return fail("bind", errno)
	}
	inner, err := adopt(fd, net.FileListener)
	if err != nil {
		return fail("listen", err)
	}
	local, _ := socketAddrs(inner.(syscall.Conn), addr, "")
	return &listener{Listener: inner, local: local}, nil
}

func dial(ctx context.Context, network string, addr hostPort) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: addr, Err: err}
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	fd, errno := openSocket(callNetDial, addr)
	if errno == syscall.ENOENT {
		return fail(&net.DNSError{Err: "no such host", Name: string(addr), IsNotFound: true})
	}
	if errno != 0 {
		return fail(os.NewSyscallError("connect", errno))
	}
	inner, err := adopt(fd, net.FileConn)
	if err != nil {
		return fail(err)
	}
	if err := waitConnected(ctx, inner); err != nil {
		inner.Close()
		return fail(err)
	}
	return newConn(inner.(*net.TCPConn), addr), nil
}

// openSocket makes host call nr (net_listen or net_dial), which answers with a new descriptor.
func openSocket(nr int32, addr hostPort) (fd int, errno syscall.Errno) {
	text := lend(string(addr))
	var out fdOut
	errno = call(nr, &netAddrIn{addrPtr: text.address(), addrLen: text.length()}, &out)
	text.release()
	return int(out.fd), errno
}

// adopt gives the descriptor to package net; on error it closes it.
//
// The descriptor is marked blocking when os.NewFile sees it, so that the file does not enter it
// into the poller. With two entries for one descriptor, closing the file could remove the wrong
// one: the wasip1 poller removes the first entry with that number. Package net enters its copy in
// any case.
func adopt[T any](fd int, wrap func(*os.File) (T, error)) (wrapped T, err error) {
	if err := syscall.SetNonblock(fd, false); err != nil {
		syscall.Close(fd)
		return wrapped, os.NewSyscallError("fd_fdstat_set_flags", err)
	}
	f := os.NewFile(uintptr(fd), "socket")
	defer f.Close() // the copy in package net keeps the descriptor open
	if err := syscall.SetNonblock(fd, true); err != nil {
		return wrapped, os.NewSyscallError("fd_fdstat_set_flags", err)
	}
	return wrap(f)
}

// waitConnected parks the goroutine until the connection stands, has failed or ctx ends.
func waitConnected(ctx context.Context, c net.Conn) error {
	stop := context.AfterFunc(ctx, func() { c.SetWriteDeadline(time.Unix(1, 0)) })
	status, err := finalStatus(c)
	if !stop() {
		return ctx.Err() // the deadline above may hit c at any moment: the caller closes it
	}
	if err != nil {
		return err
	}
	if status != 0 {
		return os.NewSyscallError("connect", status)
	}
	return nil
}

// finalStatus asks for the connection's state each time the socket polls writable. The error is
// that of waiting, for example a deadline.
func finalStatus(c net.Conn) (status syscall.Errno, err error) {
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return 0, err
	}
	err = raw.Write(func(fd uintptr) bool {
		var out statusOut
		mustCall(callNetConnectStatus, &fdIn{fd: uint32(fd)}, &out)
		status = syscall.Errno(out.errno)
		return status != syscall.EINPROGRESS
	})
	return status, err
}

// socketAddrs asks the host for the addresses of a socket. What it does not tell stays as given.
func socketAddrs(c syscall.Conn, local, remote hostPort) (hostPort, hostPort) {
	raw, err := c.SyscallConn()
	if err != nil {
		return local, remote
	}
	raw.Control(func(fd uintptr) {
		var out netAddrsOut
		if call(callNetAddrs, &fdIn{fd: uint32(fd)}, &out) != 0 {
			return
		}
		if l, r, ok := out.addrs(); ok && l != "" {
			local = l
			if r != "" {
				remote = r
			}
		}
	})
	return local, remote
}

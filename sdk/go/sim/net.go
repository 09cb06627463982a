package sim

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// hostPort is a TCP address by name, such as "server:7000". It implements net.Addr.
type hostPort string

// Network returns "tcp".
func (hostPort) Network() string { return "tcp" }

// String returns "host:port".
func (a hostPort) String() string { return string(a) }

// Listen announces on a TCP address such as "server:7000" or ":7000". network is "tcp", "tcp4" or
// "tcp6". Port 0 chooses a free port; the listener's Addr tells it. Errors are *net.OpError like
// those of net.Listen.
//
// Outside the simulator a host name that does not resolve stands for this machine, so that a world
// can be tried on one machine. The environment variable SEEDFALL_HOSTS decides otherwise: a list
// such as "server=10.0.0.7,store:7000=127.0.0.1:9000", where "name=host" replaces a host and
// "name:port=host:port" a whole address.
func Listen(network, addr string) (net.Listener, error) {
	local, err := checkAddr(network, addr)
	if err != nil {
		return nil, &net.OpError{Op: "listen", Net: network, Addr: local, Err: err}
	}
	return listen(network, local)
}

// Dial is [DialContext] without a deadline: it waits until the connection is made or the network
// gives up.
func Dial(network, addr string) (net.Conn, error) {
	return DialContext(context.Background(), network, addr)
}

// DialContext connects to a TCP address such as "server:7000". network is "tcp", "tcp4" or "tcp6".
// Errors are *net.OpError like those of net.Dialer: they wrap the errno (errors.Is with
// syscall.ECONNREFUSED, say), and after the context's end they wrap the context's error. Once
// connected, the end of ctx does not affect the connection.
//
// Outside the simulator names are found as [Listen] says.
func DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	remote, err := checkAddr(network, addr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: remote, Err: err}
	}
	return dial(ctx, network, remote)
}

// checkAddr returns addr with a numeric port. On error it returns addr as it is.
func checkAddr(network, addr string) (hostPort, error) {
	switch network {
	case "tcp", "tcp4", "tcp6":
	default:
		return hostPort(addr), fmt.Errorf("unsupported network, package sim has tcp, tcp4 and tcp6: %w",
			net.UnknownNetworkError(network))
	}
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return hostPort(addr), err
	}
	port, err := net.LookupPort(network, service)
	if err != nil {
		return hostPort(addr), err
	}
	return hostPort(net.JoinHostPort(host, strconv.Itoa(port))), nil
}

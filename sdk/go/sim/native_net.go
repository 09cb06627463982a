//go:build !(seedfall && wasip1)

package sim

import (
	"context"
	"net"
	"os"
	"strings"
	"time"
)

// lookupTimeout bounds how long a name server may delay the fallback to this machine.
const lookupTimeout = time.Second

func listen(network string, addr hostPort) (net.Listener, error) {
	return net.Listen(network, locate(context.Background(), network, addr))
}

func dial(ctx context.Context, network string, addr hostPort) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, locate(ctx, network, addr))
}

// locate turns the address of a simulated node into one that exists on this machine.
func locate(ctx context.Context, network string, addr hostPort) string {
	host, port, err := net.SplitHostPort(string(addr))
	if err != nil {
		return string(addr)
	}
	mapped := mapping(os.Getenv("SEEDFALL_HOSTS"))
	if whole, ok := mapped[string(addr)]; ok {
		return whole
	}
	if other, ok := mapped[host]; ok {
		return net.JoinHostPort(other, port)
	}
	if !resolves(ctx, host) {
		return net.JoinHostPort(loopback(network), port)
	}
	return string(addr)
}

// loopback is an address and not the name localhost, which nobody may be there to resolve (wasip1).
func loopback(network string) string {
	if network == "tcp6" {
		return "::1"
	}
	return "127.0.0.1"
}

// mapping reads "name=host,name:port=host:port"; entries without "=" are ignored.
func mapping(list string) map[string]string {
	mapped := map[string]string{}
	for _, entry := range strings.Split(list, ",") {
		if from, to, ok := strings.Cut(strings.TrimSpace(entry), "="); ok {
			mapped[from] = to
		}
	}
	return mapped
}

// resolves reports whether the host is empty, an address or a known name.
func resolves(ctx context.Context, host string) bool {
	if host == "" {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	_, err := net.DefaultResolver.LookupHost(ctx, host)
	return err == nil
}

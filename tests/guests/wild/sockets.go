package main

// WasmEdge's socket extension. The newer of two forms where there are two: a module imports one.

//go:wasmimport wasi_snapshot_preview1 sock_open
func sockOpen(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_bind
func sockBind(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_listen
func sockListen(a, b uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_connect
func sockConnect(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_recv_from
func sockRecvFrom(a, b, c, d, e, f, g, h uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_send_to
func sockSendTo(a, b, c, d, e, f, g uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_getsockopt
func sockGetsockopt(a, b, c, d, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_setsockopt
func sockSetsockopt(a, b, c, d, e uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_getlocaladdr
func sockGetlocaladdr(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_getpeeraddr
func sockGetpeeraddr(a, b, c uint32) uint32

//go:wasmimport wasi_snapshot_preview1 sock_getaddrinfo
func sockGetaddrinfo(a, b, c, d, e, f, g, h uint32) uint32

// Places in `input`, below the subscriptions.
const (
	atInet       = 22528        // an address and its bytes
	atRoom       = atInet + 64  // an address that may be written to
	atOptionSize = atInet + 128 // 4
	atHints      = atInet + 192 // of a lookup
	atResult     = atInet + 256 // the address of its result
	atFound      = atInet + 320 // its result
	atFoundName  = atInet + 384 // the address in it
)

const (
	errnoInval  = 28
	errnoIsConn = 30
)

// prepareSockets writes what socket calls work on, and what they may have changed.
func prepareSockets() {
	out := result.good()
	put32(atInet, inputAt(atInet+16), 4)
	copy(input[atInet+16:], "\x7f\x00\x00\x01")
	put32(atRoom, out+4096, 16)
	put32(atOptionSize, 4)
	put32(atHints, 0, 0, 0, 0, 0, 0, 0)
	put32(atResult, inputAt(atFound))
	put32(atFound, 0, 0, 0, inputAt(atFoundName), out+8192, 64, 0)
	put32(atFoundName, 0, 26, out+12288)
}

var (
	freshFD uint64 // a socket that was never bound

	inet = pointerTo(atInet)
	room = pointerTo(atRoom)
	// Nobody listens at any of these.
	port = &kind{name: "port", good: fixed(1), bad: list(0, 80, 65535, 65536, 1<<31, top)}
)

var socketCalls = []call{
	{name: "sock_open", kinds: kinds{flags(1), flags(2), result}, make: words3(sockOpen)},
	{name: "sock_bind", kinds: kinds{listener, inet, port}, want: errnoInval, make: words3(sockBind)},
	{name: "sock_listen", kinds: kinds{listener, flags(1)}, make: words2(sockListen)},
	{name: "sock_connect", kinds: kinds{stream, inet, port}, want: errnoIsConn,
		make: words3(sockConnect)},
	{name: "sock_recv_from", kinds: kinds{stream, vectors, vectorsN, room, flags(0),
		result, secondResult, result}, want: errnoAgain,
		make: func(a []uint64) uint32 {
			return sockRecvFrom(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]), w(a[6]), w(a[7]))
		}},
	{name: "sock_send_to", or: errnoAgain,
		kinds: kinds{stream, vectors, vectorsN, inet, port, flags(0), result},
		make: func(a []uint64) uint32 {
			return sockSendTo(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]), w(a[6]))
		}},
	{name: "sock_getsockopt",
		kinds: kinds{stream, flags(0), flags(1), result, pointerTo(atOptionSize)},
		make:  words5(sockGetsockopt)},
	{name: "sock_setsockopt", kinds: kinds{stream, flags(0), flags(0), inet, size(4)},
		make: words5(sockSetsockopt)},
	{name: "sock_getlocaladdr", kinds: kinds{listener, room, result}, make: words3(sockGetlocaladdr)},
	{name: "sock_getpeeraddr", kinds: kinds{stream, room, result}, make: words3(sockGetpeeraddr)},
	{name: "sock_getaddrinfo", kinds: kinds{pointerTo(atAddress + 64), size(4), pointerTo(atAddress + 69), size(4),
		pointerTo(atHints), pointerTo(atResult), number(1), result},
		make: func(a []uint64) uint32 {
			return sockGetaddrinfo(w(a[0]), w(a[1]), w(a[2]), w(a[3]), w(a[4]), w(a[5]), w(a[6]), w(a[7]))
		}},
}

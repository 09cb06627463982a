package sim

// The host call table.
//
// A simulated guest imports these functions from the module "seedfall":
//
//	abi_version() -> i32
//	setup_complete() -> i32, only if it can call SetupComplete
//	call(nr i32, in ptr, in_len i32, out ptr, out_len i32) -> i32
//
// `nr` selects a row of the table below; `in` and `out` are fixed layouts of little-endian integers
// and 32-bit guest addresses. The answer is a WASI errno, 0 for success. Numbers are never reused
// and layouts never change: a new need is a new number, so an old guest runs on a new host, and a
// new guest on an old host sees ENOSYS (52).
//
// The layouts are Go structs made of fixed-width fields without padding, so that they can be tested
// on every platform (see abi_test.go).

// abiVersion is the version of the table this package was written for. A host may be newer.
const abiVersion = 1

// Call numbers.
const (
	callProperty         = 1 // in propertyIn
	callSetupComplete    = 2 // no input, no output; the same as the import setup_complete
	callQuietFor         = 3 // in quietIn
	callNodeName         = 4 // out nodeNameOut
	callRandomU64        = 5 // out u64
	callNetListen        = 6 // in netAddrIn, out fdOut
	callNetDial          = 7 // in netAddrIn, out fdOut; returns at once, the fd connects meanwhile
	callNetConnectStatus = 8 // in fdIn, out statusOut
	callNetAddrs         = 9 // in fdIn, out netAddrsOut
)

// propertyKind says how a property is judged.
type propertyKind uint32

const (
	kindAssert      propertyKind = 1 // every evaluation must be true
	kindAlways      propertyKind = 2 // as assert, and an invariant by intent
	kindSometimes   propertyKind = 3 // some evaluation in the sweep must be true
	kindReachable   propertyKind = 4 // must be executed in some run
	kindUnreachable propertyKind = 5 // must not be executed
)

// String is the name of the exported function that states a property of this kind.
func (k propertyKind) String() string {
	names := [...]string{"", "Assert", "Always", "Sometimes", "Reachable", "Unreachable"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown property"
}

// propertyIn reports one evaluation of a property.
//
// msgPtr is the address of the message as the program passed it, never of a copy: the host takes a
// message inside the module's data segments (a constant) for the property's identity, and otherwise
// the call site. The host ends the run inside the call when an assert or always is false or an
// unreachable is executed; when told to keep going it records the failure and answers 0.
type propertyIn struct {
	kind    uint32 // a propertyKind
	cond    uint32 // 0 or 1
	msgPtr  uint32
	msgLen  uint32 // bytes
	sitePtr uint32 // "file.go:123 (Func)", the file as the toolchain recorded it
	siteLen uint32 // bytes
}

// quietIn asks for a window without faults.
type quietIn struct {
	ns int64 // length of the window in nanoseconds of simulated time, not negative
}

// nodeNameOut receives the name of the calling node.
type nodeNameOut struct {
	length uint32 // bytes used in name
	name   [252]byte
}

// netAddrIn names a TCP address, "host:port" with a decimal port.
type netAddrIn struct {
	addrPtr uint32
	addrLen uint32 // bytes
}

// fdIn names a socket made by net_listen, net_dial or sock_accept.
type fdIn struct{ fd uint32 }

// fdOut receives a new socket: an ordinary WASI descriptor of type SOCKET_STREAM, NONBLOCK set.
type fdOut struct{ fd uint32 }

// statusOut receives the state of a connecting socket: 0 connected, EINPROGRESS (26) not yet,
// anything else why it failed. The socket polls writable when the state is final.
type statusOut struct{ errno uint32 }

// netAddrsOut receives both addresses of a socket as "host:port", local before remote in text. A
// listener has no remote address (remoteLen 0).
type netAddrsOut struct {
	localLen  uint32 // bytes
	remoteLen uint32 // bytes
	text      [504]byte
}

// addrs returns both addresses; false if the lengths do not fit the text.
func (o *netAddrsOut) addrs() (local, remote hostPort, ok bool) {
	end := uint64(o.localLen) + uint64(o.remoteLen)
	if end > uint64(len(o.text)) {
		return "", "", false
	}
	return hostPort(o.text[:o.localLen]), hostPort(o.text[o.localLen:end]), true
}

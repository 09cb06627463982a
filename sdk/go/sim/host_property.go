//go:build seedfall && wasip1

package sim

import (
	"sync"
	"unsafe"
)

// siteOf remembers the call site of a message by the message's address. Finding the caller costs
// some microseconds in wasm, and Reachable and Sometimes with a constant message are executed over
// and over. An entry keeps its message alive, so no other message can come to lie at its address.
var siteOf = struct {
	sync.Mutex
	entries map[messageKey]siteEntry
}{entries: map[messageKey]siteEntry{}}

type messageKey struct {
	address *byte
	length  int
	kind    propertyKind
}

type siteEntry struct {
	message, site string
}

// siteEntriesMax bounds what formatted messages can make us remember.
const siteEntriesMax = 256

// siteOfMessage is callSite for a property that may be executed very often. Two places with the same
// constant message are one property, so the first place stands for both.
func siteOfMessage(kind propertyKind, msg string) string {
	if kind != kindSometimes && kind != kindReachable {
		return callSite(3)
	}
	key := messageKey{unsafe.StringData(msg), len(msg), kind}
	siteOf.Lock()
	defer siteOf.Unlock()
	entry, known := siteOf.entries[key]
	if !known {
		entry = siteEntry{msg, callSite(3)}
		if len(siteOf.entries) < siteEntriesMax {
			siteOf.entries[key] = entry
		}
	}
	return entry.site
}

// property must be called by the exported function itself: siteOfMessage skips three frames to find the site.
func property(kind propertyKind, cond bool, msg string) {
	message, site := lend(msg), lend(siteOfMessage(kind, msg))
	in := propertyIn{
		kind:    uint32(kind),
		msgPtr:  message.address(),
		msgLen:  message.length(),
		sitePtr: site.address(),
		siteLen: site.length(),
	}
	if cond {
		in.cond = 1
	}
	mustCall(callProperty, &in, &none{})
	message.release()
	site.release()
}

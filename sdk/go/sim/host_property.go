//go:build seedfall && wasip1

package sim

// property must be called by the exported function itself: it skips two frames to find the site.
func property(kind propertyKind, cond bool, msg string) {
	message, site := lend(msg), lend(callSite(2))
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

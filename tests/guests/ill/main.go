// Command ill misbehaves in the way its first argument names.
//
// With a second argument "sometimes" it draws a coin first and, on one side of it, does nothing
// wrong: a sweep then has hurt and unhurt seeds side by side.
package main

import "os"

var modes = map[string]func(){
	"idle":      func() {},
	"spin":      func() { println(spin()) },
	"clock":     readClockForEver,
	"yield":     yieldForEver,
	"recurse":   func() { println(descend(1)) },
	"allocate":  allocate,
	"print":     printForEver,
	"line":      printOneEndlessLine,
	"deadlock":  deadlock,
	"panic":     func() { panic("out of cheese") },
	"nil":       dereferenceNil,
	"exit":      func() { os.Exit(3) },
	"garbage":   printGarbageAndExit,
	"files":     openFilesWithoutEnd,
	"fill":      fillTheDisk,
	"paths":     trickyPaths,
	"grow":      growSparseFile,
	"quiet":     quietForNegative,
	"numbers":   unknownCallNumbers,
	"property":  propertyWithBadPointers,
	"assert":    func() { property(kindAssert, false, "the sky is green") },
	"hostbytes": hostBytesInMessage,
	"vectors":   hugeVectors,
	"polls":     pollHugeTables,
	"peer":      livePeacefully,
}

func main() {
	mode, known := modes[os.Args[1]]
	if !known {
		println("no such mode:", os.Args[1])
		os.Exit(64)
	}
	if len(os.Args) > 2 && os.Args[2] == "sometimes" && randomByte()%2 == 0 {
		mode = modes["idle"]
	}
	mode()
}

// check ends the program with code 70 when something is not as it must be.
func check(ok bool, what string) {
	if !ok {
		println("unexpected:", what)
		os.Exit(70)
	}
}

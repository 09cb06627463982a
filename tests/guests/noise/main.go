// Command noise asks the host for a value that differs from run to run: the one thing a guest of the
// simulator cannot do, made possible by a function that only a test offers.
package main

import "os"

//go:wasmimport test host_value
func hostValue() uint64

func main() {
	println("before")
	value := hostValue()
	switch os.Args[1] {
	case "say":
		println("the host says", value)
	case "compute": // the value shows only in how long this takes
		sum := uint64(1)
		for range value % 1000 {
			sum = sum*3 | 1
		}
		os.Stdout.WriteString("computed\n"[:8+sum&1])
	case "ignore":
	}
	println("after")
}

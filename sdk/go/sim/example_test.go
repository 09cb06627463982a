package sim_test

import (
	"bufio"
	"fmt"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

// A server and a client in one program; in a world they would be two nodes.
func Example() {
	ln, err := sim.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			fmt.Fprintln(c, "welcome")
			c.Close()
		}
	}()

	c, err := sim.Dial("tcp", ln.Addr().String())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	sim.SetupComplete()
	line, err := bufio.NewReader(c).ReadString('\n')
	sim.Assert(err == nil, fmt.Sprintf("the greeting failed: %v", err))
	sim.Reachable("a client was greeted")
	fmt.Print(line)
	// Output: welcome
}

// Always takes an invariant; Sometimes proves that the tests get somewhere interesting.
func ExampleAlways() {
	balance, withdrawals := 100, 3
	sim.Always(balance >= 0, "the balance is never negative")
	sim.Sometimes(withdrawals > 2, "an account saw several withdrawals")
}

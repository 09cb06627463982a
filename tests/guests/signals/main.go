// A program that asks for signals, as most servers do, for src/world/library_overlay_test.cc.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/seedfall/seedfall/sdk/go/sim"
)

func main() {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)

	file, err := os.Create("/a")
	check(err)
	check(file.Sync())
	fmt.Println("synced")

	listener, err := sim.Listen("tcp", ":7000")
	check(err)
	go serve(listener)
	conn, err := sim.Dial("tcp", "localhost:7000")
	check(err)
	_, err = conn.Write([]byte("hello"))
	check(err)
	answer := make([]byte, 5)
	_, err = io.ReadFull(conn, answer)
	check(err)
	fmt.Println("answered:", string(answer))

	select {
	case s := <-interrupts:
		fmt.Println("signal:", s)
	case <-time.After(time.Second):
		fmt.Println("no signal within a second")
	}
	signal.Stop(interrupts)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	check(ctx.Err())
	stop()
	fmt.Println("stopped:", ctx.Err())
}

func serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		check(err)
		go io.Copy(conn, conn)
	}
}

func check(err error) {
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

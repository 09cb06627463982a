// Tool does one thing that its arguments name, so that tests of `seedfall exec` can look at it from
// the outside: what it gets, what it prints, what it leaves on its disk.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		os.Exit(1)
	}
}

func run(what string, args []string) error {
	switch what {
	case "args":
		for _, arg := range os.Args {
			fmt.Printf("%q\n", arg)
		}
	case "env":
		env := os.Environ()
		sort.Strings(env)
		for _, line := range env {
			fmt.Println(line)
		}
	case "copy": // stdin to stdout
		_, err := io.Copy(os.Stdout, os.Stdin)
		return err
	case "noise": // so many bytes to each stream
		count, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		line := make([]byte, count)
		for i := range line {
			line[i] = 'x'
		}
		os.Stdout.Write(line)
		os.Stderr.Write(line)
	case "exit":
		code, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		os.Exit(code)
	case "busy": // another goroutine computes until it is told to stop
		stop, stopped := make(chan bool), make(chan bool)
		go func() {
			for {
				select {
				case <-stop:
					close(stopped)
					return
				default:
				}
			}
		}()
		time.Sleep(time.Millisecond)
		close(stop)
		<-stopped
		fmt.Println("stopped")
	case "cat":
		content, err := os.ReadFile(args[0])
		os.Stdout.Write(content)
		return err
	case "ls":
		entries, err := os.ReadDir(args[0])
		for _, entry := range entries {
			fmt.Println(entry.Name(), entry.Type())
		}
		return err
	case "write":
		return os.WriteFile(args[0], []byte(args[1]), 0o666)
	case "edit": // pairs of actions and names, as one program
		return edit(args)
	case "random":
		fmt.Println(time.Now().UnixNano(), os.Getpid())
		buffer := make([]byte, 8)
		file, err := os.CreateTemp("", "")
		fmt.Println(file.Name(), buffer, err)
	case "wait":
		select {}
	case "sleep":
		length, err := time.ParseDuration(args[0])
		time.Sleep(length)
		return err
	case "recurse":
		fmt.Println(recurse(1))
	case "log": // appends numbered lines for ever, counting those it finds at each start
		return log(args[0])
	default:
		return fmt.Errorf("no such action: %s", what)
	}
	return nil
}

func edit(args []string) error {
	for len(args) >= 2 {
		var err error
		switch args[0] {
		case "rm":
			err = os.Remove(args[1])
		case "mkdir":
			err = os.Mkdir(args[1], 0o777)
		case "touch":
			err = os.WriteFile(args[1], []byte("new\n"), 0o666)
		case "link":
			err = os.Symlink("target", args[1])
		case "append":
			var file *os.File
			if file, err = os.OpenFile(args[1], os.O_APPEND|os.O_WRONLY, 0); err == nil {
				_, err = file.WriteString("more\n")
			}
		case "fill": // 64 MiB that are no holes
			err = os.WriteFile(args[1], bytes.Repeat([]byte("seedfall"), 8<<20), 0o666)
		case "move":
			err = os.Rename(args[1], args[1]+".moved")
		case "sparse":
			err = os.WriteFile(args[1], []byte("head"), 0o666)
			if err == nil {
				err = os.Truncate(args[1], 1<<40)
			}
		}
		if err != nil {
			return err
		}
		args = args[2:]
	}
	return nil
}

func recurse(depth int) int {
	if depth == 0 {
		return 0
	}
	return recurse(depth+1) + 1
}

func log(path string) error {
	old, _ := os.ReadFile(path)
	fmt.Println("found", len(old), "bytes")
	if len(old) > 0 {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	for {
		if _, err := file.WriteString("0123456789\n"); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

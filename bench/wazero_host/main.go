// Command wazero_host is the smallest host that runs a Go program under wazero: what seedfall's
// guest speed is compared with. It compiles first (its code cache makes that quick), then runs the
// program, and prints the CPU time of the run alone.
//
//	wazero_host [-mount] CACHE PROGRAM.wasm ARGUMENT...
//
// With -mount the program sees the host's files, as the standard library's tests need.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

func main() {
	args := os.Args[1:]
	mount := len(args) > 0 && args[0] == "-mount"
	if mount {
		args = args[1:]
	}
	if len(args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: wazero_host [-mount] CACHE PROGRAM.wasm ARGUMENT...")
		os.Exit(2)
	}
	milliseconds, err := run(args[0], args[1], args[2:], mount)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wazero_host:", err)
		os.Exit(1)
	}
	fmt.Printf("%.3f\n", milliseconds)
}

func run(cacheFolder, program string, args []string, mount bool) (milliseconds float64, err error) {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(cacheFolder)
	if err != nil {
		return 0, err
	}
	defer cache.Close(ctx)
	host := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	defer host.Close(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, host); err != nil {
		return 0, err
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		return 0, err
	}
	code, err := host.CompileModule(ctx, wasm)
	if err != nil {
		return 0, err
	}
	config := wazero.NewModuleConfig().
		WithArgs(append([]string{"guest_speed"}, args...)...).
		WithStdout(os.Stderr).WithStderr(os.Stderr).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader)

	if mount {
		folder, err := os.Getwd()
		if err != nil {
			return 0, err
		}
		config = config.WithFSConfig(wazero.NewFSConfig().WithDirMount("/", "/")).
			WithEnv("PWD", folder).WithEnv("GOROOT", runtime.GOROOT()).
			WithEnv("GOWASIRUNTIME", "wazero")
	}

	runtime.GC() // the garbage of compiling is not the run's
	before := cpuMilliseconds()
	_, err = host.InstantiateModule(ctx, code, config)
	milliseconds = cpuMilliseconds() - before
	var exit *sys.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 0 {
		err = nil
	}
	return milliseconds, err
}

// cpuMilliseconds is the user and system time of this process.
func cpuMilliseconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

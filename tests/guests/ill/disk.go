package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

func openFilesWithoutEnd() {
	var open []*os.File
	for {
		f, err := os.OpenFile("/same", os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			check(errors.Is(err, syscall.EMFILE), err.Error())
			break
		}
		open = append(open, f)
		check(len(open) < 5000, "there is no limit")
	}
	println("could open", len(open))
	for _, f := range open {
		check(f.Close() == nil, "close")
	}
	_, err := os.Create("/again")
	check(err == nil, "open after close")
}

func fillTheDisk() {
	f, err := os.Create("/big")
	check(err == nil, "create")
	block := make([]byte, 64<<10)
	total := 0
	for {
		n, err := f.Write(block)
		total += n
		if err != nil {
			check(errors.Is(err, syscall.ENOSPC), err.Error())
			break
		}
		check(total < 1<<26, "there is no limit")
	}
	println("could write", total)
	check(f.Sync() == nil, "sync of a full disk")
	check(f.Truncate(0) == nil, "truncate")
	_, err = f.WriteAt(block, 0)
	check(err == nil, "write after truncate")
}

// A file far larger than the disk, made of holes, and reads of it.
func growSparseFile() {
	f, err := os.Create("/sparse")
	check(err == nil, "create")
	for _, size := range []int64{1 << 40, 1 << 50, 1 << 62, 1<<63 - 1} {
		err := f.Truncate(size)
		if err == nil {
			var b [8]byte
			_, err = f.ReadAt(b[:], size-8)
			check(err == nil && b == [8]byte{}, "read of a hole")
		}
		_, err = f.WriteAt([]byte("end"), size-3)
		check(err == nil || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.ENOSPC),
			"write at the end")
	}
	check(f.Truncate(0) == nil, "truncate")
}

func trickyPaths() {
	is := func(err error, want error, what string) {
		check(errors.Is(err, want), what+": "+errorText(err))
	}
	stat := func(path string) error {
		_, err := os.Stat(path)
		return err
	}
	up := strings.Repeat("../", 100)
	check(os.WriteFile(up+"at-the-root", []byte("x"), 0o600) == nil, "write above the root")
	is(stat("/at-the-root"), nil, "the root's parent is the root")
	is(stat(up+"etc/passwd"), fs.ErrNotExist, "no host file through ..")
	is(stat("/proc/self/environ"), fs.ErrNotExist, "no host file by its name")
	is(stat("/"+strings.Repeat("n", 256)), syscall.ENAMETOOLONG, "a name of 256 bytes")
	is(stat("/"+strings.Repeat("n/", 5000)), syscall.ENAMETOOLONG, "a path of 10,000 bytes")
	is(stat("/nul\x00byte"), syscall.EINVAL, "a NUL")
	check(os.Symlink("/loop-b", "/loop-a") == nil && os.Symlink("/loop-a", "/loop-b") == nil,
		"symlinks")
	is(stat("/loop-a"), syscall.ELOOP, "a loop of symlinks")
	is(stat("/loop-a/under"), syscall.ELOOP, "a loop of symlinks, with more behind it")
	check(os.Symlink("/etc", "/out") == nil, "symlink out")
	is(stat("/out/passwd"), fs.ErrNotExist, "no host file through a symlink")
	check(os.Symlink("self/x", "/self") == nil, "a symlink into itself")
	is(stat("/self"), syscall.ELOOP, "a symlink into itself")
	is(os.Rename("/at-the-root", "/at-the-root/below"), syscall.ENOTDIR, "a file as a folder")
	check(os.Mkdir("/d", 0o700) == nil, "mkdir")
	is(os.Rename("/d", "/d/d"), syscall.EINVAL, "a folder into itself")
	check(os.Remove("/") != nil, "the root cannot go")
	deep := ""
	for range 200 {
		deep += "/d"
		os.Mkdir(deep, 0o700)
	}
	is(stat(deep), nil, "200 folders deep")
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

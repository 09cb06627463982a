package main

import (
	"os"
	"strings"
)

const atHostile = 1 << 20 // in input: two texts, half a mebibyte each

func hostilePaths() []string {
	return []string{
		"", "/", "//", ".", "..", "./", "../", "name", "name/", "name/.", "name/..", "name/x",
		"dir/../name", "../dir/name", "empt", "empt/", "empt/..", "link", "link/", "link/x",
		"loop-a", "loop-a/", "loop-a/x", "../self", "../self/", "../up", "../up/x", "../top/dir/name",
		"../../../../etc/passwd", "/proc/self/mem", "/dev/null", "../root/etc/passwd",
		strings.Repeat("../", 1000) + "name", strings.Repeat("./", 2047), strings.Repeat("name/", 800),
		strings.Repeat("n", 255), strings.Repeat("n", 256), strings.Repeat("/", 4095),
		strings.Repeat("/", 4096), strings.Repeat("x", 1<<16), strings.Repeat("../self/", 500),
		"\x00", "a\x00b", "name\x00", "\xff\xfe\xfd", "\xc3\x28", "\x1b[31m\n", "na me", "COM1", "C:\\x",
	}
}

// pathArguments finds the addresses that a size follows which is that of a name.
func pathArguments(c *call, places *[2]int) []int {
	at := places[:0]
	for i := range c.kinds {
		if i > 0 && c.kinds[i] == name {
			at = append(at, i-1)
		}
	}
	return at
}

var hostileTexts []string

// preparePaths makes links that lead nowhere good.
func preparePaths() {
	hostileTexts = hostilePaths()
	for _, link := range [][2]string{
		{"/dir/loop-a", "loop-b"}, {"/dir/loop-b", "loop-a"}, {"/self", "self/x"},
		{"/up", "../../.."}, {"/top", "/"}, {"/root", "/../../.."},
	} {
		if err := os.Symlink(link[1], link[0]); err != nil {
			fail(err.Error())
		}
	}
}

// walkPaths passes each hostile text, and each pair where a call takes two.
func walkPaths() {
	var places [2]int
	put := func(args []uint64, at, room int, text string) {
		place := atHostile + room<<19
		copy(input[place:], text)
		args[at], args[at+1] = inputAt(place), uint64(len(text))
	}
	for i := range calls {
		c := &calls[i]
		at := pathArguments(c, &places)
		for _, first := range hostileTexts {
			if len(at) == 1 {
				args := c.good()
				put(args, at[0], 0, first)
				invoke(c, args)
			}
			for _, second := range hostileTexts {
				if len(at) < 2 {
					break
				}
				args := c.good()
				put(args, at[0], 0, first)
				put(args, at[1], 1, second)
				invoke(c, args)
			}
		}
	}
}

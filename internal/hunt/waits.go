//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
)

// longestWait is how long another client may have to wait for a command that looks at all keys. In
// a test it is not judged.
const longestWait = 500 * time.Millisecond

// openWaits runs the commands of the kit that look at all keys of a large database, while another
// client pings.
func openWaits(h *hunt) (step, error) {
	server, err := h.serve("--test-kit", "yes", "--enable-debug-command", "yes")
	if err != nil {
		return nil, err
	}
	lines := []string{"MINI.DUMP", "MINI.DUMP key:*", "MINI.DIFF before default", "MINI.DIFF empty before",
		"MINI.LEAKS", "MINI.LEAKS MARK now", "MINI.LEAKS SINCE now",
		"MINI.WORLD SNAPSHOT again", "MINI.WORLD FORK default again", "MINI.WORLD DROP again"}
	return func(r *rand.Rand) error {
		admin, err := server.dial()
		if err != nil {
			return err
		}
		defer admin.Close()
		for _, line := range []string{"FLUSHALL", "MINI.WORLD SNAPSHOT empty", "MINI.LEAKS MARK now",
			fmt.Sprint("DEBUG POPULATE ", h.size(500_000)), "MINI.WORLD SNAPSHOT before", "SET key:1 changed"} {
			if _, err := admin.do(strings.Fields(line)...); err != nil {
				return err
			}
		}
		for range 5 {
			if err := h.waitsFor(server, admin, pick(r, lines)); err != nil {
				return err
			}
		}
		for _, line := range []string{"FLUSHALL", "MINI.WORLD FORGET before", "MINI.WORLD FORGET empty",
			"MINI.WORLD FORGET again", "MINI.WORLD DROP again", "MINI.LEAKS MARK now"} {
			if _, err := admin.do(strings.Fields(line)...); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// waitsFor runs a command, and measures the longest wait of another client meanwhile.
func (h *hunt) waitsFor(server *target, admin *conn, line string) error {
	h.doing("redis-cli %s", line)
	other, err := server.dial()
	if err != nil {
		return err
	}
	defer other.Close()
	var done atomic.Bool
	longest := make(chan time.Duration)
	go func() {
		var most time.Duration
		for !done.Load() {
			start := time.Now()
			if _, err := other.do("PING"); err != nil {
				break
			}
			most = max(most, time.Since(start))
		}
		longest <- most
	}()
	err = admin.send(strings.Fields(line)...)
	if err == nil {
		_, err = admin.replies.Read()
	}
	done.Store(true)
	most := <-longest
	h.count("commands", 1)
	if h.measured("longest wait of another client", most); most > longestWait && !h.brief {
		h.found(fmt.Sprintf("another client waits %.1f s for %s", most.Seconds(), line), h.attempted())
	}
	return err
}

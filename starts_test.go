package miniserver_test

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// left is what servers may leave behind in a process.
type left struct {
	goroutines, descriptors, threads int
	mapped                           int // kilobytes that are in use outside of Go's heap
}

// leftNow counts what there is.
func leftNow(t *testing.T) (now left) {
	t.Helper()
	count := func(folder string) int {
		entries, err := os.ReadDir("/proc/self/" + folder)
		if err != nil {
			t.Skip("there is no /proc to count in")
		}
		return len(entries)
	}
	now = left{runtime.NumGoroutine(), count("fd"), count("task"), 0}
	maps, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer maps.Close()
	var heap uint64
	_, err = fmt.Sscanf(fmt.Sprintf("%p", new([1 << 20]byte)), "0x%x", &heap)
	require.NoError(t, err)
	outside := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		var from, to uint64
		if n, _ := fmt.Sscanf(line, "%x-%x rw-p 00000000 00:00 0", &from, &to); n == 2 {
			outside = heap < from || heap >= to
		}
		var kb int
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &kb); n == 1 && outside {
			now.mapped += kb
		}
	}
	return now
}

// TestServersLeaveNothing: closed servers leave no goroutines, descriptors, threads or memory. A
// process that has had a thousand servers is as it was when it has had two thousand.
func TestServersLeaveNothing(t *testing.T) {
	const servers = 1000
	serve := func() *miniserver.Server {
		s, err := miniserver.Start()
		require.NoError(t, err)
		s.Do("SET", "k", strings.Repeat("x", 10_000))
		s.Do("RPUSH", "list", "a")
		return s
	}
	oneByOne := func() {
		for range servers {
			require.NoError(t, serve().Close())
		}
	}
	atOnce := func() {
		var all [servers]*miniserver.Server
		var together sync.WaitGroup
		for i := range all {
			together.Go(func() { all[i] = serve() })
		}
		together.Wait()
		for _, s := range all {
			together.Go(func() { require.NoError(t, s.Close()) })
		}
		together.Wait()
	}
	for name, run := range map[string]func(){"one by one": oneByOne, "at once": atOnce} {
		run()
		before := leftNow(t)
		run()
		const kept = 16 << 10 // kilobytes that may be more: less for each server than its data
		var now left
		for range 300 {
			if now = leftNow(t); now.goroutines <= before.goroutines && now.descriptors <= before.descriptors &&
				now.threads <= before.threads+20 && now.mapped <= before.mapped+kept {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		require.LessOrEqual(t, now.goroutines, before.goroutines, name)
		require.LessOrEqual(t, now.descriptors, before.descriptors, name)
		require.LessOrEqual(t, now.threads, before.threads+20, name)
		require.LessOrEqual(t, now.mapped, before.mapped+kept, name)
	}
}

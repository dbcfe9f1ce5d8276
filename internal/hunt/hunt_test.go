//go:build linux

package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
	"github.com/miniserver-go/miniserver/internal/quick"
)

func TestMain(m *testing.M) { os.Exit(launch.Run(m)) }

func briefly(t *testing.T) limits {
	quick.Outside(t)
	path, err := launch.Checked()
	require.NoError(t, err)
	return limits{path: path, reference: newest(), seed: 1, brief: true, memory: 2 << 30, slack: 96 << 20,
		patience: time.Minute, settling: time.Minute}
}

// TestAreas attacks briefly in each area.
func TestAreas(t *testing.T) {
	for _, a := range areas {
		t.Run(a.name, func(t *testing.T) {
			var out strings.Builder
			l := briefly(t)
			l.steps = a.brief
			if a.name == "waits" { // which measures how long, and so a server that does not check itself
				path, err := launch.Ours()
				require.NoError(t, err)
				l.path = path
			}
			found, err := l.run(a, &out)
			require.NoError(t, err)
			require.Zero(t, found, out.String())
			if os.Getenv("REQUIRE_REDIS") == "1" {
				require.NotContains(t, out.String(), "NOT COMPARED")
			}
			t.Log(out.String())
		})
	}
}

// attack runs one step against a server and returns what was found.
func attack(t *testing.T, l limits, attempt func(*hunt, *target) error) string {
	l.steps = 1
	var out strings.Builder
	_, err := l.run(area{name: "test", open: func(h *hunt) (step, error) {
		server, err := h.serve("--enable-debug-command", "yes")
		return func(*rand.Rand) error { return attempt(h, server) }, err
	}}, &out)
	require.NoError(t, err)
	return out.String()
}

func TestTheFrameFindsWhatFails(t *testing.T) {
	ask := func(args ...string) func(*hunt, *target) error {
		return func(h *hunt, server *target) error {
			c, err := server.dial()
			if err == nil {
				defer c.Close()
				h.doing("redis-cli %s", strings.Join(args, " "))
				_, err = c.do(args...)
			}
			return err
		}
	}
	small := briefly(t)
	small.memory = 64 << 20
	hasty := briefly(t)
	hasty.patience, hasty.settling = time.Second, time.Millisecond
	out := attack(t, briefly(t), ask("SHUTDOWN", "NOSAVE"))
	require.Contains(t, out, "the process ended: exit status 0")
	require.Contains(t, out, "redis-cli SHUTDOWN NOSAVE")
	require.Contains(t, out, "go run ./internal/hunt -seed 1 -steps 1 test")
	require.Contains(t, attack(t, hasty, ask("DEBUG", "SLEEP", "20")), "no reply to PING for 1s")
	require.Contains(t, attack(t, small, ask("SETRANGE", "k", "300000000", "x")), "MB of memory")
	require.Contains(t, attack(t, briefly(t), func(*hunt, *target) error { return errors.New("odd") }),
		"FOUND test: odd")
	require.Contains(t, attack(t, briefly(t), func(*hunt, *target) error { panic("broken") }),
		"FOUND test: panic: broken")
	leak := func(_ *hunt, server *target) error {
		for range 10 {
			c, err := server.dial()
			if err != nil {
				return err
			}
			t.Cleanup(func() { c.Close() })
		}
		return nil
	}
	require.Contains(t, attack(t, hasty, leak), "descriptors (at the start")
	require.Contains(t, attack(t, briefly(t), ask("PING")), "0 findings")
}

func TestReduceLeavesOutAllThatDoesNotMatter(t *testing.T) {
	var items []int
	for i := range 100 {
		items = append(items, i)
	}
	fails := func(part []int) bool { return slices.Contains(part, 17) && slices.Contains(part, 80) }
	require.Equal(t, []int{17, 80}, reduce(items, fails))
}

func TestStepsRepeatThemselves(t *testing.T) {
	h := hunt{limits: limits{seed: 5}, at: 5}
	require.Equal(t, short(h.random()), short(h.random()))
}

// TestGroupsFindLostWrites lets the area attack redis-server with Sentinels, which loses writes
// when a master is cut off.
func TestGroupsFindLostWrites(t *testing.T) {
	l := briefly(t)
	if l.reference == "" {
		t.Skip("redis-server was not found")
	}
	l.rival, l.steps = true, 1
	attacked := areas[slices.IndexFunc(areas, func(a area) bool { return a.name == "groups" })]
	var out strings.Builder
	for ; l.seed < 20; l.seed++ {
		found, err := l.run(attacked, &out)
		require.NoError(t, err)
		if strings.Contains(out.String(), "without a network to cut") {
			t.Skip("only root can cut a network")
		}
		if found > 0 && strings.Contains(out.String(), "histories that no order explains") {
			return
		}
	}
	t.Fatal("no write was lost:\n" + out.String())
}

package test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

// glance is the time between two looks at the files. Asking for the state of a few files costs
// nothing to speak of, and works on every file system, in containers too.
const glance = 200 * time.Millisecond

// watchFiles runs the tests, and again whenever a file, or a script that one names, has changed,
// until the context ends.
func (o *testOptions) watchFiles(ctx context.Context, out io.Writer) error {
	for ctx.Err() == nil {
		before := o.state()
		if err := o.runOnce(ctx, out); err != nil && !errors.Is(err, subcommand.ErrPrinted) && ctx.Err() == nil {
			fmt.Fprintln(out, err)
		}
		fmt.Fprintln(out, "waiting for changes; press Ctrl-C to end")
		for changed := ""; changed == "" && ctx.Err() == nil; changed = difference(before, o.state()) {
			select {
			case <-time.After(glance):
			case <-ctx.Done():
			}
		}
		if ctx.Err() == nil {
			fmt.Fprintf(out, "\n%s: %s\n", time.Now().Format(time.TimeOnly), difference(before, o.state()))
		}
	}
	return nil
}

// state returns when each file was changed, and its size.
func (o *testOptions) state() map[string]string {
	files, err := o.findTests()
	state := map[string]string{}
	if err != nil {
		state[strings.Join(o.paths, " ")] = err.Error()
	}
	for _, path := range files {
		state[path] = stamp(path)
		if file, err := transcript.Load(path); err == nil {
			for script := range file.Scripts() {
				state[script] = stamp(script)
			}
		} else {
			state[path] += err.Error() // a script that is missing may come
		}
	}
	return state
}

func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

// difference names the first file that has changed; "" if there is none.
func difference(before, after map[string]string) string {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] != after[path] {
			return path + " has changed"
		}
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, there := after[path]; !there {
			return path + " was deleted"
		}
	}
	return ""
}

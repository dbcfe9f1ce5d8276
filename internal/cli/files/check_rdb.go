package files

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// CheckRDB returns the sub-command that checks snapshots.
func CheckRDB() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "check-rdb",
		Forms:   []string{"<file.rdb>"},
		Purpose: "looks for damage in a snapshot",
		Prepare: func(*pflag.FlagSet) subcommand.Action { return checkRDB },
	}
}

// checkRDB checks a snapshot as redis-check-rdb does, without changing it.
func checkRDB(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return subcommand.Misuse("")
	}
	m := progress.NewMeter("checking")
	defer m.End()
	return rdbCheck{out, m}.run(args[0])
}

// rdbCheck checks a snapshot and prints what it finds.
type rdbCheck struct {
	out   io.Writer
	meter *progress.Meter
}

// maxDatabases is the number of databases that a checked or converted snapshot may have.
const maxDatabases = 1 << 14

// run checks a file. If the file is damaged it prints the damage and returns subcommand.ErrPrinted.
func (c rdbCheck) run(path string) error {
	f, size, err := disk.OS{}.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	c.say(0, "Checking RDB file %s", path)
	e := payload.Scratch(maxDatabases, commands.Types, commands.Auxiliary()...)
	r := rdb.NewReader(f, payload.Options(e.Home(), size, false))
	keys, volatile, libraries := 0, 0, 0
	for err == nil && r.Next() {
		switch r.Item {
		case rdb.ModuleData:
			err = e.Home().LoadAuxiliary(snapshot.KeptIn(e, &r.Auxiliary))
		case rdb.Aux:
			c.say(r.Offset(), "AUX FIELD %s = '%s'", r.Name, r.Text)
		case rdb.Library:
			libraries++
		case rdb.Key:
			if keys++; r.Record.Deadline != 0 {
				volatile++
			}
		}
		c.meter.Show(r.Offset(), size)
	}
	err = cmp.Or(err, r.Err())
	if err == nil && r.Offset() < size {
		err = fmt.Errorf("%d bytes follow the end", size-r.Offset())
	}
	if err != nil {
		fmt.Fprintln(c.out, "--- RDB ERROR DETECTED ---")
		c.say(r.Offset(), "%v", err)
		c.count(keys, volatile)
		sayByType(c.out, &r.Skipped)
		return subcommand.ErrPrinted
	}
	c.say(r.Offset(), "Checksum OK")
	c.say(r.Offset(), `\o/ RDB looks OK! \o/`)
	c.count(keys, volatile)
	sayByType(c.out, &r.Skipped)
	if libraries > 0 {
		fmt.Fprintf(c.out, "[info] %d libraries of functions\n", libraries)
	}
	return nil
}

func (c rdbCheck) count(keys, volatile int) {
	fmt.Fprintf(c.out, "[info] %d keys read\n[info] %d expires\n", keys, volatile)
}

// sayByType prints what was found of module types that no server of this kind has. It is no damage.
func sayByType(out io.Writer, skipped *rdb.Skipped) {
	for _, what := range skipped.ByType() {
		fmt.Fprintf(out, "[info] of an unknown module type: %s\n", what)
	}
}

func (c rdbCheck) say(offset int64, format string, args ...any) {
	fmt.Fprintf(c.out, "[offset %d] %s\n", offset, fmt.Sprintf(format, args...))
}

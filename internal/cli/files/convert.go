// Package files works on the files of a server that does not run: it checks append-only files and
// snapshots as the programs of Redis do, and converts snapshots into text and back.
package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/persistence/jsonlines"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// Convert returns the sub-command that converts snapshots.
func Convert() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "convert",
		Forms:   []string{"json|resp <file.rdb> [output]", "rdb <file.json> <file.rdb>"},
		Purpose: "turns a snapshot into text and back",
		Words:   func() []string { return convertFormats },
		Prepare: prepareConvert,
	}
}

var convertFormats = []string{"json", "resp", "rdb"}

func prepareConvert(flags *pflag.FlagSet) subcommand.Action {
	c := conversion{unknown: "skip", warn: os.Stderr}
	flags.Var(subcommand.Choice{Value: &c.unknown, Allowed: []string{"skip", "error"}}, "unknown-module-types",
		"what becomes of values of module types that are unknown")
	return c.run
}

// conversion converts a file.
type conversion struct {
	unknown string    // skip, error: what becomes of what is of unknown module types
	warn    io.Writer // gets what is skipped
}

// run writes a snapshot as lines of JSON or as commands, or lines of JSON as a snapshot.
func (c *conversion) run(_ context.Context, args []string, _ io.Reader, out io.Writer) error {
	if len(args) > 0 && !slices.Contains(convertFormats, args[0]) {
		return subcommand.Misuse("the format " + subcommand.OneOf(convertFormats))
	}
	if len(args) < 2 || len(args) > 3 || len(args) == 2 && args[0] == "rdb" {
		return subcommand.Misuse("")
	}
	in, size, err := disk.OS{}.Open(args[1])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if args[0] != "rdb" && len(args) == 2 {
		src, end := metered(in, size, progress.IsTerminal(out))
		defer end()
		return withPath(args[1], c.snapshot(src, size, args[0], out))
	}
	src, end := metered(in, size, false)
	defer end()
	file, err := disk.OS{}.Create(args[2])
	if err != nil {
		return err
	}
	if args[0] == "rdb" {
		err = jsonlines.Snapshot(src, file, maxDatabases, commands.Types)
	} else {
		err = c.snapshot(src, size, args[0], file)
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		file.Abandon()
	}
	return withPath(args[1], err)
}

// metered returns a reader that shows its progress. It shows none if the output goes to the
// terminal (busy).
func metered(in io.Reader, size int64, busy bool) (src io.Reader, end func()) {
	m := progress.NewMeter("converting")
	if m == nil || busy {
		return in, func() {}
	}
	return &countingReader{Reader: in, size: size, report: m.Show}, m.End
}

// countingReader is a reader of size bytes that reports how many were read.
type countingReader struct {
	io.Reader
	done, size int64
	report     func(done, total int64)
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.done += int64(n)
	c.report(c.done, c.size)
	return n, err
}

// withPath adds the file's path to an error.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

// snapshot writes the snapshot src, of size bytes, in another format: "json", a line for each key
// and for each library of functions, or "resp", the commands that restore them, for redis-cli
// --pipe. Deadlines of elements are separate commands, so that a Redis that does not know them
// accepts everything else.
func (c conversion) snapshot(src io.Reader, size int64, to string, out io.Writer) error {
	e := payload.Scratch(maxDatabases, commands.Types)
	w := bufio.NewWriterSize(out, 64<<10)
	var put snapshot.Receiver
	switch to {
	case "json":
		put = jsonlines.NewWriter(w, e.Parts.Types)
	case "resp":
		const redis70 = 10 // the oldest Redis that takes libraries
		put = &commandWriter{w, rdb.Encoder{Compress: true, Format: rdb.Format{Version: redis70}}, resp.NewWriter(2),
			-1, e.Parts.Types}
	default:
		return fmt.Errorf("%q is not one of the formats json, resp and rdb", to)
	}
	o := payload.Options(e.Home(), size, false)
	o.RefuseUnknown = c.unknown == "error"
	r := rdb.NewReader(src, o)
	err := errors.Join(snapshot.Each(r, e.Home().Keyspace, put), w.Flush())
	for _, line := range r.Skipped.Lines() {
		fmt.Fprintln(c.warn, line)
	}
	if behind := size - r.Offset(); err == nil && behind > 0 {
		err = fmt.Errorf("%d bytes follow the snapshot and were not converted", behind)
	}
	return err
}

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// convert writes a snapshot as lines of JSON or as commands, or lines of JSON as a snapshot.
func convert(args []string, out io.Writer) error {
	forms := []string{"json", "resp", "rdb"}
	if len(args) < 2 || len(args) > 3 || len(args) == 2 && args[0] == "rdb" || !slices.Contains(forms, args[0]) {
		return errors.New("usage: miniserver convert json|resp <file.rdb> [output]\n" +
			"       miniserver convert rdb <file.json> <file.rdb>")
	}
	in, size, err := snapshot.OS{}.Open(args[1])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if args[0] != "rdb" && len(args) == 2 {
		src, end := metered(in, size, progress.IsTerminal(out))
		defer end()
		return told(args[1], snapshot.Convert(src, size, args[0], out))
	}
	src, end := metered(in, size, false)
	defer end()
	file, err := snapshot.OS{}.Create(args[2])
	if err != nil {
		return err
	}
	if args[0] == "rdb" {
		err = snapshot.FromJSON(src, file)
	} else {
		err = snapshot.Convert(src, size, args[0], file)
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		file.Abandon()
	}
	return told(args[1], err)
}

// metered returns a reader that shows how far it is, unless the terminal is full of other things.
func metered(in io.Reader, size int64, busy bool) (src io.Reader, end func()) {
	m := newMeter("converting")
	if m == nil || busy {
		return in, func() {}
	}
	return &counted{Reader: in, size: size, tell: m.show}, m.end
}

// told adds the file's name to an error.
func told(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

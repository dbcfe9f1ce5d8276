package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// errTold is an error that was printed already.
var errTold = errors.New("told already")

const checkUsage = "usage: miniserver check-aof [--fix|--truncate-to-timestamp <seconds>] <file.manifest|file.aof>"

// checkAOF looks through an append-only file, or those that a manifest names.
func checkAOF(args []string, in io.Reader, out io.Writer) error {
	c := journal.Check{Out: out, In: in}
	switch {
	case len(args) == 1:
	case len(args) == 2 && args[0] == "--fix":
		c.Fix = true
	case len(args) == 3 && args[0] == "--truncate-to-timestamp":
		var err error
		if c.Until, err = strconv.ParseInt(args[1], 10, 64); err != nil {
			return fmt.Errorf("invalid timestamp %q", args[1])
		}
	default:
		return errors.New(checkUsage)
	}
	m := newMeter("checking")
	defer m.end()
	c.Progress = m.show
	err := c.Run(args[len(args)-1])
	if errors.Is(err, journal.ErrInvalid) {
		return errTold
	}
	return err
}

// checkRDB looks through a snapshot.
func checkRDB(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: miniserver check-rdb <file.rdb>")
	}
	m := newMeter("checking")
	defer m.end()
	err := snapshot.Check{Out: out, Progress: m.show}.Run(args[0])
	if errors.Is(err, snapshot.ErrDamaged) {
		return errTold
	}
	return err
}

package main

import (
	"errors"
	"io"

	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// errTold says that what is wrong was told already.
var errTold = errors.New("told already")

// checkAOF looks through an append-only file, or those that a manifest names.
func checkAOF(args []string, in io.Reader, out io.Writer) error {
	fix := len(args) == 2 && args[0] == "--fix"
	if fix {
		args = args[1:]
	}
	if len(args) != 1 {
		return errors.New("usage: miniserver check-aof [--fix] <file.manifest|file.aof>")
	}
	m := newMeter("checking")
	defer m.end()
	err := journal.Check{Out: out, In: in, Fix: fix, Progress: m.show}.Run(args[0])
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

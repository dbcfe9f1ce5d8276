package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/miniserver-go/miniserver/persistence/snapshot"
)

// convert writes a snapshot as lines of JSON or as commands, or lines of JSON as a snapshot.
func convert(args []string, out io.Writer) error {
	if len(args) < 2 || len(args) > 3 || len(args) == 2 && args[0] == "rdb" {
		return errors.New("usage: miniserver convert json|resp <file.rdb> [output]\n" +
			"       miniserver convert rdb <file.json> <file.rdb>")
	}
	in, size, err := snapshot.OS{}.Open(args[1])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if args[0] != "rdb" && len(args) == 2 {
		return told(args[1], snapshot.Convert(in, size, args[0], out))
	}
	file, err := snapshot.OS{}.Create(args[2])
	if err != nil {
		return err
	}
	if args[0] == "rdb" {
		err = snapshot.FromJSON(in, file)
	} else {
		err = snapshot.Convert(in, size, args[0], file)
	}
	if err == nil {
		err = file.Commit()
	}
	if err != nil {
		file.Abandon()
	}
	return told(args[1], err)
}

// told says with which file something is wrong.
func told(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", path, err)
}

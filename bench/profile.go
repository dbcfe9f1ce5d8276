package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/launch"
)

// runProfile is the subcommand profile. It runs the rows of compare, lua, json and modules on a
// server in this process, and writes down where the processor's time went. The Go tools compile the
// command miniserver with that profile: they inline the calls, and lay out the branches, that it
// shows to be frequent. A profile ages slowly, since one of an older version still knows most of
// the hot functions.
func runProfile(args []string) error {
	o := newOptions("profile").withLoad(100_000, 1)
	to := o.flags.String("o", "cmd/miniserver/default.pgo", "the file to write, relative to the module")
	if err := o.parse(args); err != nil {
		return err
	}
	if !filepath.IsAbs(*to) {
		root, err := launch.Root()
		if err != nil {
			return err
		}
		*to = filepath.Join(root, *to)
	}
	s, stop, err := startHere()
	if err != nil {
		return err
	}
	defer stop()
	file, err := os.Create(*to)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	err = o.drive(s, slices.Concat(plainWorkloads(), dataWorkloads(), luaWorkloads(), jsonWorkloads(),
		moduleWorkloads()))
	pprof.StopCPUProfile()
	if failed := file.Close(); err == nil {
		err = failed
	}
	return err
}

// startHere starts ours in this process, with these settings; the function stops it.
func startHere(settings ...string) (*server, func(), error) {
	ours, err := miniserver.Start(settings...)
	if err != nil {
		return nil, nil, err
	}
	process := &launch.Server{Network: "tcp", Address: ours.Addr(), PID: os.Getpid()}
	c, err := dial("ours", process)
	if err != nil {
		_ = ours.Close()
		return nil, nil, err
	}
	return &server{client: c, process: process}, func() {
		c.conn.Close()
		_ = ours.Close()
	}, nil
}

// drive runs the chosen workloads, without looking at what they measure.
func (o *options) drive(s *server, all []workload) error {
	list := o.chosen(all)
	bar := newSteps(len(list))
	defer bar.End()
	for _, w := range list {
		bar.begin(w.name)
		for range o.rounds {
			if _, errs := w.run(o.generator, o.requests, s); errs[0] != nil {
				return fmt.Errorf("%s: %w", w.name, errs[0])
			}
		}
	}
	return nil
}

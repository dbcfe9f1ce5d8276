package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/recording"
)

// SCRIPT COVERAGE START | REPORT [LCOV | TEXT] | STOP [RESET]
func (s *Scripts) cmdCoverage(c *engine.Call) {
	r := s.Recording(c.World)
	recorder{"COVERAGE", r.StartCoverage, r.StopCoverage,
		func(format string) ([]byte, error) { return coverageReport(r, format) }, []string{"TEXT", "LCOV"}}.run(c)
}

// SCRIPT PROFILE START | REPORT [TEXT | PPROF | SVG] | STOP [RESET]
func (s *Scripts) cmdProfile(c *engine.Call) {
	r := s.Recording(c.World)
	recorder{"PROFILE", r.StartProfile, r.StopProfile,
		func(format string) ([]byte, error) { return timesReport(r, format) }, []string{"TEXT", "PPROF", "SVG"}}.run(c)
}

// recorder is what the two commands differ in.
type recorder struct {
	name    string
	start   func() error
	stop    func(reset bool) error
	report  func(format string) ([]byte, error)
	formats []string // the default first
}

func (r recorder) run(c *engine.Call) {
	switch {
	case c.Word("START"):
		r.runStart(c)
	case c.Word("REPORT"):
		r.runReport(c)
	case c.Word("STOP"):
		r.runStop(c)
	default:
		c.Fail(c.Engine.Commands.Errorf(errRecordAction, r.name))
	}
}

func (r recorder) runStart(c *engine.Call) {
	if c.More() {
		c.Fail(c.SubSyntaxError())
		return
	}
	if err := r.start(); err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}

func (r recorder) runReport(c *engine.Call) {
	format := r.format(c)
	if c.More() {
		c.Fail(c.Engine.Commands.Errorf(errRecordFormat, r.name, strings.Join(r.formats, "|")))
		return
	}
	report, err := r.report(format)
	if err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Bulk(report)
}

func (r recorder) runStop(c *engine.Call) {
	reset := c.Word("RESET")
	if c.More() {
		c.Fail(c.Engine.Commands.Errorf(errRecordReset, r.name))
		return
	}
	if err := r.stop(reset); err != nil {
		c.Fail(err)
		return
	}
	c.Reply.Status("OK")
}

// format reads the format of a report.
func (r recorder) format(c *engine.Call) string {
	for _, format := range r.formats {
		if c.Word(format) {
			return format
		}
	}
	return r.formats[0]
}

func coverageReport(r *recording.Recording, format string) ([]byte, error) {
	coverage, err := r.Coverage()
	switch {
	case err != nil:
		return nil, err
	case format == "LCOV":
		return coverage.LCOV(), nil
	}
	return coverage.Text(), nil
}

func timesReport(r *recording.Recording, format string) ([]byte, error) {
	times, err := r.Times()
	switch {
	case err != nil:
		return nil, err
	case format == "PPROF":
		return times.PProf(), nil
	case format == "SVG":
		return times.SVG(), nil
	}
	return times.Text(), nil
}

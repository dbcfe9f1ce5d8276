package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting"
)

// evalRecords is what miniserver eval records of the runs. The end of a file's name says what it
// gets.
type evalRecords struct {
	profile string // a file: .pb.gz for pprof, .svg with a flame graph, else text; onOutput; "" for none
	cover   string // a file: .txt with text, else a tracefile of lcov; "" for none
}

// onOutput stands for standard output, which gets the source with the time of each line.
const onOutput = "-"

func (r *evalRecords) define(flags *pflag.FlagSet) {
	flags.StringVar(&r.profile, "profile", "",
		"print how long the lines of the script took, or write it to this `file`: .svg, .pb.gz for pprof, else text")
	flags.Lookup("profile").NoOptDefVal = onOutput
	flags.StringVar(&r.cover, "cover", "", "write which lines ran to this `file`: .txt, else a tracefile of lcov")
}

func (r *evalRecords) start(w *engine.World, s *scripting.Scripts) (err error) {
	if r.cover != "" {
		err = s.Recording(w).StartCoverage()
	}
	if r.profile != "" {
		err = errors.Join(err, s.Recording(w).StartProfile())
	}
	return err
}

// write writes what was recorded. In tracefiles the script has its path.
func (r *evalRecords) write(w *engine.World, s *scripting.Scripts, path string, out io.Writer) error {
	if r.profile != "" {
		if err := r.writeProfile(w, s, path, out); err != nil {
			return err
		}
	}
	if r.cover == "" {
		return nil
	}
	coverage, err := s.Recording(w).Coverage()
	if err != nil {
		return err
	}
	for i := range coverage.Scripts {
		coverage.Scripts[i].Name = path
	}
	if strings.HasSuffix(r.cover, ".txt") {
		return os.WriteFile(r.cover, coverage.Text(), 0o644)
	}
	return os.WriteFile(r.cover, coverage.LCOV(), 0o644)
}

func (r *evalRecords) writeProfile(w *engine.World, s *scripting.Scripts, path string, out io.Writer) error {
	times, err := s.Recording(w).Times()
	if err != nil {
		return err
	}
	for i := range times.Scripts {
		times.Scripts[i].Name = path
	}
	switch {
	case r.profile == onOutput:
		_, err = fmt.Fprintf(out, "\n%s", times.Listing())
		return err
	case strings.HasSuffix(r.profile, ".svg"):
		return os.WriteFile(r.profile, times.SVG(), 0o644)
	case strings.HasSuffix(r.profile, ".pb.gz"):
		return os.WriteFile(r.profile, times.PProf(), 0o644)
	}
	return os.WriteFile(r.profile, times.Text(), 0o644)
}

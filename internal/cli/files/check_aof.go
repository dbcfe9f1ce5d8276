package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/errno"
	"github.com/miniserver-go/miniserver/internal/progress"
	"github.com/miniserver-go/miniserver/persistence/journal"
	"github.com/miniserver-go/miniserver/resp"
)

// CheckAOF returns the sub-command that checks append-only files.
func CheckAOF() *subcommand.Subcommand {
	return &subcommand.Subcommand{
		Name:    "check-aof",
		Forms:   []string{"[options] <file.manifest|file.aof>"},
		Purpose: "looks for damage in an append-only file",
		Prepare: prepareCheckAOF,
	}
}

func prepareCheckAOF(flags *pflag.FlagSet) subcommand.Action {
	var c aofCheck
	flags.BoolVar(&c.fix, "fix", false, "truncate the last file before its damage")
	flags.Int64Var(&c.until, "truncate-to-timestamp", 0,
		"truncate the last file before an annotation of a later time, in `seconds` since 1970")
	return c.check
}

// check checks the files of a journal as redis-check-aof does: a manifest with the files it names,
// or a single file.
func (c *aofCheck) check(_ context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 || c.fix && c.until != 0 {
		return subcommand.Misuse("")
	}
	c.in, c.out, c.meter = in, out, progress.NewMeter("checking")
	defer c.meter.End()
	return c.run(args[0])
}

// aofCheck checks files and prints what it finds. Its methods return subcommand.ErrPrinted for
// damage that stays.
type aofCheck struct {
	out   io.Writer
	in    io.Reader // answers whether a file may be truncated
	fix   bool      // truncate the last file before its damage, if the answer is yes
	until int64     // truncate the last file before an annotation of a later time; seconds since the epoch, 0 for none
	meter *progress.Meter
}

// run checks a manifest with the files it names, or a single file.
func (c aofCheck) run(path string) error {
	if _, err := os.Stat(path); err != nil {
		return cannotOpen(path, err)
	}
	if !strings.HasSuffix(path, ".manifest") {
		c.say("Start checking Old-Style AOF")
		return c.file(path, path, "AOF", true)
	}
	files, err := journal.ReadManifest(journal.OS{}, path)
	if err != nil {
		return err
	}
	c.say("Start checking Multi Part AOF")
	for i, f := range files {
		kind := "INCR AOF"
		switch {
		case f.Base:
			kind = "BASE AOF"
			c.say("Start to check BASE AOF.")
		case i == 0 || files[i-1].Base:
			c.say("Start to check INCR files.")
		}
		if err := c.file(filepath.Join(filepath.Dir(path), f.Name), f.Name, kind, i == len(files)-1); err != nil {
			return err
		}
	}
	c.say("All AOF files and manifest are valid")
	return nil
}

func cannotOpen(name string, err error) error {
	return fmt.Errorf("cannot open file %s: %s", name, errno.Text(err))
}

func (c aofCheck) say(format string, args ...any) { fmt.Fprintf(c.out, format+"\n", args...) }

// file checks one file.
func (c aofCheck) file(path, name, kind string, last bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return cannotOpen(name, err)
	}
	size := info.Size()
	report, err := journal.Check{Disk: journal.OS{}, Types: commands.Types, Auxiliary: commands.Auxiliary(),
		Until: c.until, Progress: c.meter.Show}.File(path, size)
	if report.Preamble > 0 {
		c.say("[offset %d] \\o/ RDB looks OK! \\o/", report.Preamble)
		c.say("[info] %d keys read", report.Keys)
		sayByType(c.out, &report.Skipped)
		c.say("RDB preamble is OK, proceeding with AOF tail...")
	}
	if report.Late {
		return c.rewind(path, name, report.Valid, last)
	}
	var flaw *resp.Flaw
	if err != nil && !errors.As(err, &flaw) {
		c.say("%s", err)
		c.say("%s %s is not valid, and can't be fixed.", kind, name)
		return subcommand.ErrPrinted
	}
	if flaw != nil {
		c.say("0x%16x: %s", flaw.Offset, flaw)
	}
	if c.until != 0 && flaw == nil {
		c.say("Truncate nothing in AOF %s to timestamp %d", name, c.until)
	} else {
		c.say("AOF analyzed: filename=%s, size=%d, ok_up_to=%d, diff=%d", name, size, report.Valid, size-report.Valid)
	}
	switch {
	case flaw == nil:
		c.say("%s %s is valid", kind, name)
		return nil
	case !c.fix:
		c.say("AOF %s is not valid. Use the --fix option to try fixing it.", name)
		return subcommand.ErrPrinted
	case !last:
		c.say("Failed to truncate AOF %s because it is not the last file", name)
		return subcommand.ErrPrinted
	}
	return c.cut(path, name, size, report.Valid)
}

// rewind truncates a file before an annotation of a time after until.
func (c aofCheck) rewind(path, name string, size int64, last bool) error {
	switch {
	case size == 0:
		c.say("AOF %s has nothing before timestamp %d, aborting...", name, c.until)
		return subcommand.ErrPrinted
	case !last:
		c.say("Failed to truncate AOF %s to timestamp %d to offset %d because it is not the last file.", name,
			c.until, size)
		c.say("If you insist, please delete all files after this file according to the manifest file " +
			"and delete the corresponding records in manifest file manually. Then re-run check-aof.")
		return subcommand.ErrPrinted
	}
	if err := journal.Truncate(journal.OS{}, path, size); err != nil {
		return fmt.Errorf("failed to truncate AOF %s to timestamp %d: %w", name, c.until, err)
	}
	c.say("Successfully truncated AOF %s to timestamp %d", name, c.until)
	return nil
}

// cut truncates a file to its valid part, if the answer is yes.
func (c aofCheck) cut(path, name string, size, valid int64) error {
	c.say("This will shrink the AOF %s from %d bytes, with %d bytes, to %d bytes", name, size, size-valid, valid)
	fmt.Fprint(c.out, "Continue? [y/N]: ")
	answer, _ := bufio.NewReader(c.in).ReadString('\n')
	if !strings.HasPrefix(strings.ToLower(answer), "y") {
		c.say("Aborting...")
		return subcommand.ErrPrinted
	}
	if err := journal.Truncate(journal.OS{}, path, valid); err != nil {
		return fmt.Errorf("failed to truncate AOF %s: %w", name, err)
	}
	c.say("Successfully truncated AOF %s", name)
	return nil
}

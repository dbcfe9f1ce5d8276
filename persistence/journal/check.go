package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// Check checks the files of a journal without a server, as redis-check-aof does.
type Check struct {
	Disk     Disk // OS if nil
	Out      io.Writer
	In       io.Reader               // answers whether a file may be truncated
	Fix      bool                    // truncate the last file before the damage, if In agrees
	Until    int64                   // truncate the last file before the first later timestamp; seconds since the epoch, 0 for never
	Progress func(done, total int64) // of the file being read; may be nil
}

// ErrInvalid is the error of a damaged file. Check.Out says what is wrong with it.
var ErrInvalid = errors.New("the AOF is not valid")

// Run checks a manifest with the files it names, or a single file.
func (c Check) Run(path string) error {
	if c.Disk == nil {
		c.Disk = OS{}
	}
	if _, err := c.Disk.Size(path); err != nil {
		return fmt.Errorf("cannot open file %s: %s", path, reason(err))
	}
	if !strings.HasSuffix(path, ".manifest") {
		c.say("Start checking Old-Style AOF")
		return c.file(path, path, "AOF", true)
	}
	m, err := readManifest(c.Disk, path)
	if err != nil {
		return err
	}
	c.say("Start checking Multi Part AOF")
	parts := m.data()
	for i, p := range parts {
		kind := "INCR AOF"
		switch {
		case p.kind == kindBase:
			kind = "BASE AOF"
			c.say("Start to check BASE AOF.")
		case i == 0 || parts[i-1].kind == kindBase:
			c.say("Start to check INCR files.")
		}
		if err := c.file(filepath.Join(filepath.Dir(path), p.name), p.name, kind, i == len(parts)-1); err != nil {
			return err
		}
	}
	c.say("All AOF files and manifest are valid")
	return nil
}

func (c Check) say(format string, args ...any) { fmt.Fprintf(c.Out, format+"\n", args...) }

// file checks one file.
func (c Check) file(path, name, kind string, last bool) error {
	size, err := c.Disk.Size(path)
	if err != nil {
		return fmt.Errorf("cannot open file %s: %s", name, reason(err))
	}
	valid, err := c.scan(path, size)
	var from *late
	if errors.As(err, &from) {
		return c.rewind(path, name, from.offset, last)
	}
	var flaw *Flaw
	if err != nil && !errors.As(err, &flaw) {
		c.say("%s", err)
		c.say("%s %s is not valid, and can't be fixed.", kind, name)
		return ErrInvalid
	}
	if flaw != nil {
		c.say("0x%16x: %s", flaw.Offset, flaw)
	}
	if c.Until != 0 && flaw == nil {
		c.say("Truncate nothing in AOF %s to timestamp %d", name, c.Until)
	} else {
		c.say("AOF analyzed: filename=%s, size=%d, ok_up_to=%d, diff=%d", name, size, valid, size-valid)
	}
	switch {
	case flaw == nil:
		c.say("%s %s is valid", kind, name)
		return nil
	case !c.Fix:
		c.say("AOF %s is not valid. Use the --fix option to try fixing it.", name)
		return ErrInvalid
	case !last:
		c.say("Failed to truncate AOF %s because it is not the last file", name)
		return ErrInvalid
	}
	return c.shrink(path, name, size, valid)
}

// late is the error of a file that reaches a timestamp after Check.Until.
type late struct{ offset int64 }

func (l *late) Error() string { return fmt.Sprintf("what follows byte %d is later", l.offset) }

// rewind truncates a file to the offset at which Check.Until is passed.
func (c Check) rewind(path, name string, from int64, last bool) error {
	switch {
	case from == 0:
		c.say("AOF %s has nothing before timestamp %d, aborting...", name, c.Until)
		return ErrInvalid
	case !last:
		c.say("Failed to truncate AOF %s to timestamp %d to offset %d because it is not the last file.", name, c.Until, from)
		c.say("If you insist, please delete all files after this file according to the manifest file " +
			"and delete the corresponding records in manifest file manually. Then re-run check-aof.")
		return ErrInvalid
	}
	if err := truncate(c.Disk, path, from); err != nil {
		return fmt.Errorf("failed to truncate AOF %s to timestamp %d: %w", name, c.Until, err)
	}
	c.say("Successfully truncated AOF %s to timestamp %d", name, c.Until)
	return nil
}

// shrink truncates a file to its valid part, if Check.In agrees.
func (c Check) shrink(path, name string, size, valid int64) error {
	c.say("This will shrink the AOF %s from %d bytes, with %d bytes, to %d bytes", name, size, size-valid, valid)
	fmt.Fprint(c.Out, "Continue? [y/N]: ")
	answer, _ := bufio.NewReader(c.In).ReadString('\n')
	if !strings.HasPrefix(strings.ToLower(answer), "y") {
		c.say("Aborting...")
		return ErrInvalid
	}
	if err := truncate(c.Disk, path, valid); err != nil {
		return fmt.Errorf("failed to truncate AOF %s: %w", name, err)
	}
	c.say("Successfully truncated AOF %s", name)
	return nil
}

// scan reads a file to its end. It returns the size of its valid part.
func (c Check) scan(path string, size int64) (valid int64, err error) {
	f, err := c.Disk.Read(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, len(preamble))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	src := io.MultiReader(bytes.NewReader(head[:n]), f)
	if string(head[:n]) == preamble {
		if src, valid, err = c.snapshot(src, size); err != nil {
			return 0, err
		}
	}
	return c.commands(src, valid, size)
}

// snapshot reads the snapshot at the beginning of src. It returns the rest of src and the offset of that.
func (c Check) snapshot(src io.Reader, size int64) (rest io.Reader, offset int64, err error) {
	dice := func(uint64) uint64 { return 0 }
	r := rdb.NewReader(src, rdb.Options{Keyspace: keyspace.New(maxDatabases, 1, dice), Limits: rdb.Limits{
		Hash: hash.Limits{MaxEntries: 512, MaxValue: 64}, ZSet: zset.Limits{MaxEntries: 128, MaxValue: 64},
		Set: set.Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64}, List: list.Defaults, Dice: dice}})
	keys := 0
	for r.Next() {
		if r.Item == rdb.Key {
			keys++
			c.progress(r.Offset(), size)
		}
	}
	if err := r.Err(); err != nil {
		return nil, 0, err
	}
	c.say("[offset %d] \\o/ RDB looks OK! \\o/", r.Offset())
	c.say("[info] %d keys read", keys)
	c.say("RDB preamble is OK, proceeding with AOF tail...")
	return r.Rest(), r.Offset(), nil
}

// maxDatabases is the number of databases that a journal being checked may use.
const maxDatabases = 1 << 10

// commands reads commands to the end of the file. It returns the offset up to which all are complete.
func (c Check) commands(src io.Reader, offset, size int64) (valid int64, err error) {
	in, tx := newScanner(src, offset), transactions{valid: offset}
	for {
		list, err := in.next()
		switch {
		case err == io.EOF && tx.open:
			return tx.valid, &Flaw{Offset: tx.valid, Truncated: true}
		case err == io.EOF:
			return tx.valid, nil
		case err != nil:
			return tx.valid, err
		}
		for _, command := range list {
			if isLate, err := c.late(command); err != nil {
				return tx.valid, err
			} else if isLate {
				return tx.valid, &late{tx.valid}
			}
			tx.pass(command)
		}
		c.progress(list[len(list)-1].end, size)
	}
}

// late reports whether a command is a timestamp after Check.Until.
func (c Check) late(command command) (bool, error) {
	text, isTime := bytes.CutPrefix(command.note, []byte("#TS:"))
	if c.Until == 0 || !isTime {
		return false, nil
	}
	unix, ok := resp.ParseInt(text)
	if !ok {
		return false, fmt.Errorf("invalid timestamp annotation at byte %d", command.start)
	}
	return unix > c.Until, nil
}

func (c Check) progress(done, total int64) {
	if c.Progress != nil {
		c.Progress(done, total)
	}
}

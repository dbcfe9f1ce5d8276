package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// ManifestFile is a file that a manifest names and that holds data.
type ManifestFile struct {
	Name string // in the directory of the manifest
	Base bool   // the data at one moment; else commands that follow it
}

// ReadManifest returns the files that hold the data, in the order in which they are loaded.
func ReadManifest(disk Disk, path string) (files []ManifestFile, err error) {
	m, err := readManifest(disk, path)
	if err != nil {
		return nil, err
	}
	for _, p := range m.data() {
		files = append(files, ManifestFile{p.name, p.kind == kindBase})
	}
	return files, nil
}

// Check reads a file of a journal without a server.
type Check struct {
	Disk      Disk
	Types     engine.Types       // that the data may have
	Auxiliary []engine.Auxiliary // that may be beside the keys
	// Seconds since the epoch: stop at the first annotation of a later time; 0 for none.
	Until    int64
	Progress func(done, total int64) // in bytes
}

// Report describes the part of a file that Check read.
type Report struct {
	Preamble int64       // size of the snapshot that the file begins with; 0 if it begins with commands
	Keys     int         // keys in that snapshot
	Skipped  rdb.Skipped // what is in it besides, of unknown module types
	Valid    int64       // offset up to which the file is valid; no transaction is open there
	Late     bool        // an annotation of a time after Until follows
}

// File reads a file of size bytes. Damage in its commands is a *resp.Flaw. After an error the
// report covers what precedes it.
func (c Check) File(path string, size int64) (r Report, err error) {
	f, err := c.Disk.Read(path)
	if err != nil {
		return r, err
	}
	defer f.Close()
	head := make([]byte, len(preamble))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return r, err
	}
	src := io.MultiReader(bytes.NewReader(head[:n]), f)
	if string(head[:n]) == preamble {
		if src, err = c.snapshot(&r, src, size); err != nil {
			return r, err
		}
	}
	return r, c.commands(&r, src, size)
}

// snapshot reads the snapshot that src begins with, and returns what follows it.
func (c Check) snapshot(r *Report, src io.Reader, size int64) (rest io.Reader, err error) {
	e := payload.Scratch(maxDatabases, c.Types, c.Auxiliary...)
	o := payload.Options(e.Home(), 0, false)
	o.Versions = rdb.Versions{} // all that are known
	in := rdb.NewReader(src, o)
	for err == nil && in.Next() {
		switch in.Item {
		case rdb.Key:
			r.Keys++
			c.Progress(in.Offset(), size)
		case rdb.ModuleData:
			err = e.Home().LoadAuxiliary(snapshot.KeptIn(e, &in.Auxiliary))
		}
	}
	r.Skipped = in.Skipped
	if err = cmp.Or(err, in.Err()); err != nil {
		return nil, err
	}
	r.Preamble, r.Valid = in.Offset(), in.Offset()
	return in.Rest(), nil
}

// maxDatabases is more than any journal has.
const maxDatabases = 1 << 10

// commands reads commands to the end.
func (c Check) commands(r *Report, src io.Reader, size int64) error {
	in, tx := newScanner(src, r.Valid), transactions{valid: r.Valid}
	defer func() { r.Valid = tx.valid }()
	for {
		list, err := in.Next()
		switch {
		case err == io.EOF && tx.open:
			return &resp.Flaw{Offset: tx.valid, Truncated: true}
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		for _, command := range list {
			if r.Late, err = c.late(command); err != nil || r.Late {
				return err
			}
			tx.pass(command)
		}
		c.Progress(list[len(list)-1].End, size)
	}
}

// late reports whether a command is the annotation of a time after Until.
func (c Check) late(command resp.Command) (bool, error) {
	text, isTime := bytes.CutPrefix(command.Line, []byte("#TS:"))
	if c.Until == 0 || !isTime {
		return false, nil
	}
	unix, ok := resp.ParseInt(text)
	if !ok {
		return false, fmt.Errorf("invalid timestamp annotation at byte %d", command.Start)
	}
	return unix > c.Until, nil
}

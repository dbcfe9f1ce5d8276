package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/payload"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/persistence/snapshot"
	"github.com/miniserver-go/miniserver/resp"
)

// commandError is the error of a command that failed.
type commandError struct {
	name []byte
	at   int64
	err  error
}

func (e *commandError) Error() string {
	return fmt.Sprintf("the command %q at byte %d was refused: %s", e.name, e.at, e.err)
}

// transactions tracks whether a transaction is open.
type transactions struct {
	open  bool
	valid int64 // offset up to which all commands and transactions are complete
}

func (t *transactions) pass(c resp.Command) {
	switch {
	case c.Args == nil:
	case isName(c.Args, "MULTI"):
		t.open = true
	case isName(c.Args, "EXEC") || isName(c.Args, "DISCARD"):
		t.open = false
	}
	if !t.open {
		t.valid = c.End
	}
}

func isName(args [][]byte, upper string) bool { return command.IsWord(args[0], upper) }

// replay executes the commands in src, which begin at an offset of the file. It returns the offset
// up to which the file is complete. The error is a *resp.Flaw if the file is damaged.
func replay(e *engine.Engine, src io.Reader, offset int64, progress func(int64)) (valid int64, err error) {
	loader, in := e.NewLoader(), newScanner(src, offset)
	tx := transactions{valid: offset}
	var batch [][][]byte
	for {
		commands, err := in.Next()
		if err == io.EOF && tx.open {
			return tx.valid, &resp.Flaw{Offset: tx.valid, Truncated: true}
		}
		if err == io.EOF {
			return tx.valid, nil
		}
		if err != nil {
			return tx.valid, err
		}
		batch = batch[:0]
		for _, c := range commands {
			if c.Args != nil {
				batch = append(batch, c.Args)
			}
		}
		if done, err := loader.Do(batch); err != nil {
			return tx.valid, &commandError{batch[done][0], startOf(commands, done), err}
		}
		for _, c := range commands {
			tx.pass(c)
		}
		progress(commands[len(commands)-1].End)
		snapshot.Delay(e, len(batch), snapshot.LoadDelay(e))
	}
}

// startOf returns the offset of the nth command, not counting annotations.
func startOf(commands []resp.Command, n int) int64 {
	for _, c := range commands {
		if c.Args == nil {
			continue
		}
		if n == 0 {
			return c.Start
		}
		n--
	}
	return 0
}

// loadFile loads a file: a snapshot, commands, or a snapshot followed by commands. If the last file
// ends in the middle of a command and aof-load-truncated is on, it is truncated before that
// command; and before one that is damaged, if less than aof-load-corrupt-tail-max-size follows. A
// transaction goes as a whole, where Redis leaves its beginning.
func (j *Journal) loadFile(path string, last bool) error {
	f, err := j.disk.Read(path)
	if err != nil {
		return fmt.Errorf("can't open the append log file %s for reading: %w", path, err)
	}
	defer f.Close()
	size, err := j.disk.Size(path)
	if err != nil {
		return inFile(path, err)
	}
	valid, err := j.loadFrom(f, size)
	var flaw *resp.Flaw
	if !errors.As(err, &flaw) {
		return inFile(path, err)
	}
	name, tail := filepath.Base(path), size-valid
	switch {
	case !flaw.Truncated && last && tail < j.set.corruptTail:
		j.log('#', "!!! Warning: corrupt AOF file tail!!!")
		j.log('#', "Truncating the AOF %s at offset %d (remaining %d)", name, valid, tail)
		j.log('#', "AOF %s loaded anyway because aof-load-corrupt-tail-max-size is enabled", name)
		return inFile(path, Truncate(j.disk, path, valid))
	case !flaw.Truncated:
		return fmt.Errorf("bad file format reading the append only file %s: make a backup of your AOF file, then use "+
			"miniserver check-aof --fix <filename.manifest>: %w", path, flaw)
	case !last || !j.set.loadTruncated:
		return fmt.Errorf("unexpected end of file reading the append only file %s. "+
			"You can: 1) Make a backup of your AOF file, "+
			"then use miniserver check-aof --fix <filename.manifest>. 2) Alternatively you can set the "+
			"'aof-load-truncated' configuration option to yes and restart the server", path)
	}
	j.log('#', "!!! Warning: short read while loading the AOF file %s!!!", name)
	j.log('#', "Truncating the AOF %s at offset %d", name, valid)
	j.log('#', "AOF %s loaded anyway because aof-load-truncated is enabled", name)
	return inFile(path, Truncate(j.disk, path, valid))
}

func inFile(path string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// loadFrom loads a file's content of the given size. It returns the offset up to which the file is
// complete.
func (j *Journal) loadFrom(f io.Reader, size int64) (valid int64, err error) {
	head := make([]byte, len(preamble))
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return 0, err
	}
	src, begin := io.MultiReader(bytes.NewReader(head[:n]), f), int64(0)
	if string(head[:n]) == preamble {
		r := j.snapshotReader(src, size)
		defer r.Close()
		if err := j.loadSnapshot(r); err != nil {
			return 0, err
		}
		src, begin = r.Rest(), r.Offset()
	}
	done := j.loaded.Load() - begin
	return replay(j.engine, src, begin, func(at int64) { j.loaded.Store(done + at) })
}

// preamble is the text that a snapshot begins with.
const preamble = "REDIS"

// Truncate shortens a file and syncs it.
func Truncate(disk Disk, path string, size int64) error {
	f, err := disk.Append(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// snapshotReader returns a reader of the snapshot at the beginning of src, which has size bytes.
// The reader's Rest is what follows the snapshot. The caller must close it.
func (j *Journal) snapshotReader(src io.Reader, size int64) (r *rdb.Reader) {
	j.engine.With(func() {
		o := payload.Options(j.engine.Home(), size, false)
		o.Spawn = j.opts.Spawn
		r = rdb.NewReader(src, o)
	})
	return r
}

const atOnce = 512 // items of a snapshot loaded under one lock

// loadSnapshot loads a snapshot, in slices between which clients are answered.
func (j *Journal) loadSnapshot(r *rdb.Reader) (err error) {
	e, keys := j.engine, int64(0)
	for more := true; more && err == nil; {
		n := 0
		e.With(func() {
			for ; n < atOnce && more && err == nil; n++ {
				if more = r.Next(); more {
					err = j.loadItem(r)
				}
				if more && r.Item == rdb.Key {
					keys++
				}
			}
			j.opts.Loaded(keys, r.Skipped.Values)
		})
		j.loaded.Store(r.Offset())
		snapshot.Delay(e, n, snapshot.LoadDelay(e))
	}
	snapshot.LogSkipped(j.log, &r.Skipped)
	if err == nil {
		err = r.Err()
	}
	return err
}

// loadItem loads one item of a snapshot. It keeps keys whose deadline has passed: the commands that
// follow say when such a key was removed.
func (j *Journal) loadItem(r *rdb.Reader) error {
	switch r.Item {
	case rdb.Sizes:
		if db := j.engine.Home().Keyspace.DB(r.DB); db.Len() == 0 {
			db.Keys().Reserve(int(min(r.Keys, maxReserve)))
		}
	case rdb.Key:
		if !j.engine.Home().Keyspace.Restore(&r.Record) {
			return fmt.Errorf("the key %q appears twice in the snapshot", r.Record.Key)
		}
	case rdb.Element:
		r.SetDeadline(j.engine.Home().Keyspace)
		return r.Err()
	case rdb.Library:
		return j.engine.Parts.Libraries.Restore(j.engine.Home(), [][]byte{r.Text}, engine.Append)
	case rdb.ModuleData:
		return j.engine.Home().LoadAuxiliary(snapshot.KeptIn(j.engine, &r.Auxiliary))
	}
	return nil
}

// maxReserve bounds the number of keys for which memory is reserved on the word of a snapshot.
const maxReserve = 1 << 20

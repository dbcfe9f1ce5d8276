package snapshot

import (
	"errors"
	"fmt"
	"io"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// Check checks a snapshot as redis-check-rdb does. It does not change the file.
type Check struct {
	Out      io.Writer
	Disk     Disk                    // OS if nil
	Progress func(done, total int64) // in bytes; may be nil
}

// ErrDamaged is the error of a damaged snapshot. Check.Out says what is wrong with it.
var ErrDamaged = errors.New("the snapshot is damaged")

// checkedDatabases is the number of databases that a snapshot may use when it is checked or converted.
const checkedDatabases = 1 << 14

// Run checks a file. It returns ErrDamaged, or the error of opening the file.
func (c Check) Run(path string) error {
	if c.Disk == nil {
		c.Disk = OS{}
	}
	f, size, err := c.Disk.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	c.say(0, "Checking RDB file %s", path)
	e := engine.New(engine.Options{Databases: checkedDatabases, Clock: func() int64 { return 0 }})
	r := rdb.NewReader(f, ReaderOptions(e, size, false))
	keys, volatile, libraries := 0, 0, 0
	for r.Next() {
		switch r.Item {
		case rdb.Aux:
			c.say(r.Offset(), "AUX FIELD %s = '%s'", r.Name, r.Text)
		case rdb.Library:
			libraries++
		case rdb.Key:
			if keys++; r.Record.Deadline != 0 {
				volatile++
			}
		}
		if c.Progress != nil {
			c.Progress(r.Offset(), size)
		}
	}
	err = r.Err()
	if err == nil && r.Offset() < size {
		err = fmt.Errorf("%d bytes follow the end", size-r.Offset())
	}
	if err != nil {
		fmt.Fprintln(c.Out, "--- RDB ERROR DETECTED ---")
		c.say(r.Offset(), "%v", err)
		c.count(keys, volatile)
		return ErrDamaged
	}
	c.say(r.Offset(), "Checksum OK")
	c.say(r.Offset(), `\o/ RDB looks OK! \o/`)
	c.count(keys, volatile)
	if libraries > 0 {
		fmt.Fprintf(c.Out, "[info] %d libraries of functions\n", libraries)
	}
	return nil
}

func (c Check) count(keys, volatile int) {
	fmt.Fprintf(c.Out, "[info] %d keys read\n[info] %d expires\n", keys, volatile)
}

func (c Check) say(offset int64, format string, args ...any) {
	fmt.Fprintf(c.Out, "[offset %d] %s\n", offset, fmt.Sprintf(format, args...))
}

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// load loads the saved data, then the fixture.
func (p *program) load() error {
	if err := p.parts.Load(); err != nil {
		return err
	}
	return p.loadFixture()
}

// loadFixture loads the file of the option --load: a snapshot, an append-only file, or a text with a command on each
// line. It never writes the file.
func (p *program) loadFixture() error {
	if p.fixturePath == "" {
		return nil
	}
	f, err := os.Open(p.fixturePath)
	if err != nil {
		return fmt.Errorf("can't open the fixture: %w", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil {
		p.fixtureSize.Store(info.Size())
	}
	read := &countingReader{Reader: f, report: func(done, _ int64) { p.fixtureDone.Store(done) }}
	in := bufio.NewReaderSize(read, 64<<10) // so large that resp.NewReader adds no buffer of its own
	if head, _ := in.Peek(5); string(head) == "REDIS" {
		return p.parts.Snapshots.LoadFile(p.fixturePath, p.replayFixture)
	}
	p.engine.StartLoading()
	defer p.engine.StopLoading()
	return p.replayFixture(in)
}

// replayFixture executes the commands of the fixture: all of them, or those that follow its snapshot.
func (p *program) replayFixture(commands io.Reader) error {
	in := bufio.NewReaderSize(commands, 64<<10) // returns commands itself if that is such a reader
	if err := loadCommands(p.engine.NewLoader(), in); err != nil {
		return fmt.Errorf("can't load %s: %w", p.fixturePath, err)
	}
	return nil
}

// loadCommands executes commands, written as RESP or as text. It skips lines that are empty or begin with #.
func loadCommands(l *engine.Loader, in *bufio.Reader) error {
	for n := 1; ; n++ {
		args, err := nextCommand(in)
		switch {
		case errors.Is(err, io.EOF) && !l.InTx():
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("the last transaction is not complete")
		case err != nil:
			return fmt.Errorf("command %d: %w", n, err)
		case len(args) == 0:
			n--
			continue
		}
		if _, err := l.Do([][][]byte{args}); err != nil {
			return fmt.Errorf("command %d, %.60q: %s", n, args, err)
		}
	}
}

// nextCommand returns the next command; nil for an empty line or a comment.
func nextCommand(in *bufio.Reader) (args [][]byte, err error) {
	first, err := in.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] == '*' {
		v, err := resp.NewReader(in).Read()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		for _, e := range v.Elems {
			args = append(args, []byte(e.Text))
		}
		return args, err
	}
	line, err := in.ReadBytes('\n')
	if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
		if len(line) > 0 {
			err = nil
		}
		return nil, err
	}
	args, ok := resp.Words(line, nil)
	if !ok {
		return nil, fmt.Errorf("unbalanced quotes in %q", line)
	}
	return args, nil
}

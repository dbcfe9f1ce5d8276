package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// A manifest names the files of the journal, one per line:
//
//	file appendonly.aof.2.base.rdb seq 2 type b     the data at one moment
//	file appendonly.aof.3.incr.aof seq 3 type i     the commands since, in order
//	file appendonly.aof.4.incr.aof seq 4 type i startoffset 17 endoffset 21
//	file appendonly.aof.2.incr.aof seq 2 type h     what a rewrite made obsolete, to be removed
type manifest struct {
	base    *part // nil for none
	history []part
	incrs   []part

	// Files with numbers up to these may be there that are not named, and were not loaded.
	usedBase, usedIncr int64
}

// part is one of the files.
type part struct {
	name string // in the journal's directory
	seq  int64
	kind byte

	// The replication offsets of the data before the first command and after the last one, noOffset
	// if they are not known. The latter is known of a file that was closed. Redis has them since
	// 8.0, and Valkey has not.
	start, end int64
}

// noOffset stands for a replication offset that is not known.
const noOffset = -1

// newPart returns a part without offsets.
func newPart(name string, seq int64, kind byte) part {
	return part{name, seq, kind, noOffset, noOffset}
}

// as returns a part with another kind.
func (p part) as(kind byte) part {
	p.kind = kind
	return p
}

const (
	kindBase    = 'b'
	kindIncr    = 'i'
	kindHistory = 'h'
)

// maxSeq is the greatest sequence number that is read. Redis takes more, and writes what it cannot
// read after the greatest of 64 bits.
const maxSeq = 1 << 62

// maxManifestLine is the longest line that Redis reads.
const maxManifestLine = 1024

var errManifest = errors.New("invalid AOF manifest file format")

// readManifest reads the manifest at path. The error for an absent one wraps os.ErrNotExist.
func readManifest(disk Disk, path string) (*manifest, error) {
	text, err := readWhole(disk, path)
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func readWhole(disk Disk, path string) ([]byte, error) {
	r, err := disk.Read(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(r)
	return b.Bytes(), err
}

// parseManifest reads a manifest's text.
func parseManifest(text []byte) (*manifest, error) {
	m := new(manifest)
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line[0] == '#' {
			continue
		}
		p, err := parsePart(line)
		if err == nil {
			err = m.add(p)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("found an empty AOF manifest")
	}
	return m, nil
}

// parsePart parses a line. It skips unknown words, as Redis does.
func parsePart(line []byte) (p part, err error) {
	p = newPart("", 0, 0)
	// As in Redis, which reads up to the end of the line or of its buffer.
	if len(line) > maxManifestLine || line[len(line)-1] != '\n' {
		return p, fmt.Errorf("the AOF manifest file contains too long line")
	}
	words, ok := resp.Words(bytes.TrimSpace(line), nil)
	if !ok || len(words) < 6 || len(words)%2 != 0 {
		return p, errManifest
	}
	for i := 0; i < len(words); i += 2 {
		value := string(words[i+1])
		switch strings.ToLower(string(words[i])) {
		case "file":
			p.name = value
		case "seq":
			if p.seq, err = strconv.ParseInt(value, 10, 64); err != nil {
				return p, errManifest
			}
		case "type":
			p.kind = (value + "?")[0]
		case "startoffset":
			p.start = offsetOf(value)
		case "endoffset":
			p.end = offsetOf(value)
		}
	}
	switch {
	case p.name == "" || p.seq <= 0 || p.seq > maxSeq || p.kind == 0:
		return p, errManifest
	case filepath.Base(p.name) != p.name:
		return p, fmt.Errorf("file can't be a path, just a filename")
	}
	return p, nil
}

// offsetOf returns a replication offset, 0 for a text that is none, as in Redis.
func offsetOf(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func (m *manifest) add(p part) error {
	switch p.kind {
	case kindBase:
		if m.base != nil {
			return fmt.Errorf("found duplicate base file information")
		}
		m.base = &p
	case kindIncr:
		if n := len(m.incrs); n > 0 && p.seq <= m.incrs[n-1].seq {
			return fmt.Errorf("found a non-monotonic sequence number")
		}
		m.incrs = append(m.incrs, p)
	case kindHistory:
		m.history = append(m.history, p)
	default:
		return fmt.Errorf("unknown AOF file type")
	}
	return nil
}

// text returns the manifest as Redis writes it.
func (m *manifest) text() []byte {
	var b []byte
	for _, p := range m.all() {
		b = append(b, "file "...)
		if strings.ContainsAny(p.name, " \"'\\\t\r\n") {
			b = resp.Quote(b, p.name)
		} else {
			b = append(b, p.name...)
		}
		b = fmt.Appendf(b, " seq %d type %c", p.seq, p.kind)
		if p.start != noOffset {
			b = fmt.Appendf(b, " startoffset %d", p.start)
			if p.end != noOffset {
				b = fmt.Appendf(b, " endoffset %d", p.end)
			}
		}
		b = append(b, '\n')
	}
	return b
}

// all returns the files in the order of the manifest.
func (m *manifest) all() (parts []part) {
	if m.base != nil {
		parts = append(parts, *m.base)
	}
	return append(append(parts, m.history...), m.incrs...)
}

// data returns the files that hold the data, in the order in which they must be loaded.
func (m *manifest) data() (parts []part) {
	if m.base != nil {
		parts = append(parts, *m.base)
	}
	return append(parts, m.incrs...)
}

// names reports whether a file is among those of the manifest.
func (m *manifest) names(file string) bool {
	return slices.ContainsFunc(m.all(), func(p part) bool { return p.name == file })
}

// numbers returns a manifest that names no files, and does not use again the numbers of those that
// m names.
func (m *manifest) numbers() *manifest {
	return &manifest{usedBase: m.nextBase() - 1, usedIncr: m.nextIncr() - 1}
}

// nextBase returns the sequence number of the next base. No file of the history has it.
func (m *manifest) nextBase() int64 {
	seq := m.usedBase
	if m.base != nil {
		seq = max(seq, m.base.seq)
	}
	return max(seq, last(m.history)) + 1
}

// nextIncr returns the sequence number of the next file of commands. No file of the history has it.
func (m *manifest) nextIncr() int64 { return max(m.usedIncr, last(m.incrs), last(m.history)) + 1 }

// last returns the greatest sequence number; 0 if there are no files.
func last(parts []part) (seq int64) {
	for _, p := range parts {
		seq = max(seq, p.seq)
	}
	return seq
}

// withHistoryOf returns a copy in which the files that only other names are history. Their names
// are not used again while other may still turn out to be the manifest on disk. The files are
// removed when the next manifest is durable.
func (m *manifest) withHistoryOf(other *manifest) *manifest {
	next := *m
	next.history = slices.Clone(m.history)
	for _, p := range other.all() {
		if !m.names(p.name) {
			next.history = append(next.history, p.as(kindHistory))
		}
	}
	return &next
}

// withIncr returns a copy with another file of commands.
func (m *manifest) withIncr(incr part) *manifest {
	next := *m
	next.incrs = append(slices.Clone(m.incrs), incr)
	return &next
}

// lastEnds returns a copy in which the last file of commands ends at a replication offset, noOffset
// if more follows in it.
func (m *manifest) lastEnds(offset int64) *manifest {
	next := *m
	next.incrs = slices.Clone(m.incrs)
	next.incrs[len(next.incrs)-1].end = offset
	return &next
}

// rebased returns a copy in which base and the files of commands from sequence number incr on hold
// the data, and all other files are history.
func (m *manifest) rebased(base part, incr int64) *manifest {
	next := *m
	next.base, next.history, next.incrs = &base, slices.Clone(m.history), nil
	if m.base != nil {
		next.history = append(next.history, m.base.as(kindHistory))
	}
	for _, p := range m.incrs {
		if p.seq < incr {
			next.history = append(next.history, p.as(kindHistory))
		} else {
			next.incrs = append(next.incrs, p)
		}
	}
	return &next
}

// removeHistory removes the files of the history. It returns a copy without those that are gone.
func (m *manifest) removeHistory(disk Disk, dir string) *manifest {
	next := *m
	next.history = nil
	for _, p := range m.history {
		if err := disk.Remove(filepath.Join(dir, p.name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			next.history = append(next.history, p)
		}
	}
	return &next
}

//go:build linux

package main

import (
	"bytes"
	encoding "encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/dataset"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/resp"
)

// filesInStep is the number of damaged snapshots in a step.
const filesInStep = 100

// openFiles loads snapshots and append-only files. Whole ones must give back the data. A snapshot
// with a wrong checksum must be refused; one with mutated contents and a true checksum may be
// loaded, and then the data must bear to be saved and loaded again, in other encodings. Of an
// append-only file that is cut off, all that is complete must be loaded. check-rdb and check-aof
// read some of the files, too.
func openFiles(h *hunt) (step, error) {
	server, err := h.serve("--enable-debug-command", "yes", "--maxmemory", "500mb")
	if err != nil {
		return nil, err
	}
	a := &damaging{hunt: h, server: server}
	return a.step, nil
}

type damaging struct {
	*hunt
	server *target
}

func (a *damaging) step(r *rand.Rand) error {
	c, err := a.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	keys := someKeys(r)
	if err := a.snapshots(r, c, slices.Concat(keys...)); err != nil {
		return err
	}
	return a.replay(r, c, keys)
}

// someKeys returns the commands of some random keys. Mostly they are small ones, in which a
// mutation is likely to hit more than text.
func someKeys(r *rand.Rand) (keys [][]dataset.Command) {
	g := dataset.New(r.Uint64())
	most := 1 << 20
	if r.IntN(4) > 0 {
		most = 1000
	}
	for n := 1 + r.IntN(6); len(keys) < n; {
		if key := g.Key(); len(scripted(key)) < most {
			keys = append(keys, key)
		}
	}
	return keys
}

// snapshots saves the data that commands build, and has the server load the file, whole and
// damaged.
func (a *damaging) snapshots(r *rand.Rand, c *conn, commands []dataset.Command) error {
	if err := c.pack(pick(r, []string{"0", "128"})); err != nil {
		return err
	}
	path, err := a.save(c, pick(r, []string{"SAVE", "BGSAVE"}), commands)
	if err != nil {
		return err
	}
	if err := a.whole(c, commands); err != nil {
		return err
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := a.contradict(c, path); err != nil {
		return err
	}
	if err := c.pack("128"); err != nil {
		return err
	}
	for i := range a.size(filesInStep) {
		body := sound[9 : len(sound)-8]
		text := append([]byte("REDIS0012"), mutated(r, body, body)...)
		text = encoding.LittleEndian.AppendUint64(text, rdb.Sum(0, text))
		if err := a.load(c, path, text, i%20 == 0); err != nil {
			return err
		}
		if err := a.refuse(c, path, flipped(r, sound)); err != nil {
			return err
		}
	}
	return nil
}

// save has the server save the data that commands build, by SAVE or BGSAVE, and returns the path of
// the file.
func (a *damaging) save(c *conn, how string, commands []dataset.Command) (path string, err error) {
	if err := c.fill(commands); err != nil {
		return "", err
	}
	_, err = c.do(how)
	for saving := how == "BGSAVE"; saving && err == nil; {
		var info resp.Value
		info, err = c.do("INFO", "persistence")
		saving = strings.Contains(info.Text, "rdb_bgsave_in_progress:1")
	}
	return filepath.Join(a.server.process.Dir, "dump.rdb"), err
}

// whole compares the data with what is loaded from their snapshot.
func (a *damaging) whole(c *conn, commands []dataset.Command) error {
	want, err := c.state()
	if err != nil {
		return err
	}
	a.doing("printf '%s' | nc 127.0.0.1 6379\nredis-cli SAVE\nredis-cli DEBUG RELOAD NOSAVE", scripted(commands))
	got, err := a.reload(c)
	if err == nil && got != want {
		a.found("a snapshot is loaded as other data than were saved\n"+difference(want, got), a.attempted())
	}
	return err
}

// reload has the server load its snapshot, and returns its data afterwards, or the error that it
// replied.
func (a *damaging) reload(c *conn) (string, error) {
	reply, err := c.do("DEBUG", "RELOAD", "NOSAVE")
	if err != nil || reply.IsError() {
		return reply.Text, err
	}
	return c.state()
}

// packing are parameters that decide about encodings.
var packing = strings.Fields("hash-max-listpack-entries zset-max-listpack-entries set-max-listpack-entries " +
	"set-max-intset-entries")

// pack allows packed encodings up to some elements.
func (c *conn) pack(elements string) error {
	words := []string{"CONFIG", "SET"}
	for _, name := range packing {
		words = append(words, name, elements)
	}
	_, err := c.do(words...)
	return err
}

// load has the server load a snapshot. If it does, the data must survive being saved, and loaded
// without packed encodings. (The other way round, a score of -0 becomes 0, also in Redis.)
func (a *damaging) load(c *conn, path string, text []byte, check bool) error {
	loaded, err := a.offer(c, path, text)
	if err != nil {
		return err
	}
	if check {
		if err := a.check(loaded, "check-rdb", path); err != nil {
			return err
		}
	}
	if !loaded {
		return nil
	}
	a.count("loaded", 1)
	want, err := c.state()
	if err != nil {
		return err
	}
	if _, err := c.do("SAVE"); err != nil {
		return err
	}
	if err := c.pack("0"); err != nil {
		return err
	}
	got, err := a.reload(c)
	if err == nil && got != want {
		a.found("a snapshot that was loaded is saved as another\n"+difference(want, got), a.attempted())
	}
	if err != nil {
		return err
	}
	return c.pack("128")
}

// offer has the server load a snapshot and reports whether it did.
func (a *damaging) offer(c *conn, path string, text []byte) (loaded bool, err error) {
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return false, err
	}
	a.count("snapshots", 1)
	a.doing("printf '%s' > dump.rdb; redis-cli DEBUG RELOAD NOSAVE; redis-cli SAVE", escape(text))
	reply, err := c.do("DEBUG", "RELOAD", "NOSAVE")
	return !reply.IsError(), err
}

// flipped returns a copy with one bit changed, behind the format's version.
func flipped(r *rand.Rand, sound []byte) []byte {
	text := slices.Clone(sound)
	text[9+r.IntN(len(text)-9)] ^= 1 << r.IntN(8)
	return text
}

// unsealed is the end of a snapshot without checksum, which a changed bit may make of data.
var unsealed = append([]byte{0xff}, make([]byte, 8)...)

// refuse has the server load a snapshot whose checksum is wrong.
func (a *damaging) refuse(c *conn, path string, text []byte) error {
	loaded, err := a.offer(c, path, text)
	if loaded && err == nil && !bytes.Contains(text, unsealed) {
		a.found("a snapshot with a wrong checksum is loaded", a.attempted())
	}
	return err
}

// check runs one of the programs that check files. It must agree about a file that a server loads.
func (a *damaging) check(sound bool, args ...string) error {
	out, err := exec.Command(a.path, args...).CombinedOutput()
	if crashed(string(out)) {
		return fmt.Errorf("%s: %w\n%.2000s", args[0], err, out)
	}
	if sound && err != nil {
		return fmt.Errorf("%s refuses a file that a server loads: %.300s", args[0], out)
	}
	return nil
}

// crashed reports whether a program's output is that of a crash.
func crashed(out string) bool {
	return strings.Contains(out, "panic: ") || strings.Contains(out, "fatal error: ") ||
		strings.Contains(out, "goroutine 1 [")
}

// scripted returns commands as the format of a shell's printf.
func scripted(commands []dataset.Command) string {
	var b strings.Builder
	for _, command := range commands {
		b.WriteString(escape(request(command...)))
	}
	return b.String()
}

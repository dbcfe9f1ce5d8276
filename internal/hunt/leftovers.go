//go:build linux

package main

import (
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// openLeftovers starts servers in directories with every mixture of files that other servers,
// crashes and people leave there, and lets them write, rewrite, save, move and end. What was there
// and was not loaded must stay, byte by byte, under whatever name.
func openLeftovers(h *hunt) (step, error) {
	return func(r *rand.Rand) error {
		root, err := os.MkdirTemp("", "leftovers")
		if err != nil {
			return err
		}
		defer os.RemoveAll(root)
		l := &leftovers{hunt: h, r: r, root: root, dirs: []string{filepath.Join(root, "a"), filepath.Join(root, "b")},
			kept: map[string]string{}}
		if err := l.leave(); err != nil {
			return err
		}
		for range 3 {
			if err := l.live(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// leftovers are two directories with files, in which servers live one after the other.
type leftovers struct {
	*hunt
	r     *rand.Rand
	root  string
	dirs  []string
	n     int               // of files that were left
	kept  map[string]string // the bytes of each file that must stay, by its path at the start
	story []string          // lines to paste
}

// usedNames are the names that servers use for files, and one that they do not.
var usedNames = []string{"appendonlydir/appendonly.aof.manifest", "appendonlydir/appendonly.aof.1.base.rdb", "appendonlydir/appendonly.aof.1.base.aof", "appendonlydir/appendonly.aof.1.incr.aof", "appendonlydir/appendonly.aof.2.base.rdb", "appendonlydir/appendonly.aof.2.incr.aof",
	"appendonlydir/appendonly.aof", "appendonlydir/notes", "appendonly.aof", "dump.rdb"}

// manifests are whole ones, ones that name too much, and damaged ones.
var manifests = []string{
	"file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n",
	"file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n",
	"file appendonly.aof.1.base.aof seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n" +
		"file appendonly.aof.2.incr.aof seq 2 type i\n",
	"file appendonly.aof.1.incr.aof seq 1 type i\n",
	"file appendonly.aof.2.base.rdb seq 2 type b\nfile appendonly.aof.2.incr.aof seq 2 type i\n",
	"file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr",
	"file nowhere.1.base.rdb seq 1 type b\n",
	"\x00\xff garbage",
	"",
}

// leave makes the files.
func (l *leftovers) leave() (err error) {
	for _, dir := range append(l.dirs, filepath.Join(l.root, "elsewhere")) {
		err = errors.Join(err, os.Mkdir(dir, 0o755))
	}
	for _, dir := range l.dirs {
		switch l.r.IntN(10) {
		case 0: // no directory of the journal
		case 1:
			err = errors.Join(err, l.write(filepath.Join(dir, "appendonlydir"), "a file"))
			continue
		case 2:
			at := filepath.Join(l.root, "elsewhere", filepath.Base(dir))
			err = errors.Join(err, os.Mkdir(at, 0o755), os.Symlink(at, filepath.Join(dir, "appendonlydir")))
		default:
			err = errors.Join(err, os.Mkdir(filepath.Join(dir, "appendonlydir"), 0o755))
		}
		err = errors.Join(err, l.fill(dir))
	}
	return err
}

// fill leaves some of the files in a directory.
func (l *leftovers) fill(dir string) (err error) {
	for _, name := range usedNames {
		path := filepath.Join(dir, name)
		if _, missing := os.Stat(filepath.Dir(path)); missing == nil && l.r.IntN(2) == 0 {
			err = errors.Join(err, l.place(path))
		}
	}
	return err
}

// place leaves a file, a directory in its place, or a link.
func (l *leftovers) place(path string) error {
	text := l.contents(path)
	switch l.r.IntN(12) {
	case 0:
		return errors.Join(os.Mkdir(path, 0o755), l.write(filepath.Join(path, "within"), text))
	case 1:
		at := filepath.Join(l.root, "elsewhere", fmt.Sprint(l.n))
		return errors.Join(l.write(at, text), os.Symlink(at, path))
	case 2:
		return os.Symlink(filepath.Join(l.root, "elsewhere", "nowhere"), path)
	}
	return l.write(path, text)
}

// contents returns bytes for a file of that name, mostly whole ones. No two files have the same.
func (l *leftovers) contents(path string) string {
	l.n++
	key := fmt.Sprintf("left%04d", l.n)
	text := "*3\r\n$3\r\nSET\r\n$8\r\n" + key + "\r\n$1\r\nv\r\n"
	switch {
	case strings.HasSuffix(path, ".manifest"):
		if text = pick(l.r, manifests); text != "" {
			text = "# " + key + "\n" + text
		}
		return text
	case strings.HasSuffix(path, ".rdb"):
		body := []byte("REDIS0011\x00\x08" + key + "\x01v\xff")
		text = string(encoding.LittleEndian.AppendUint64(body, rdb.Sum(0, body)))
	}
	switch l.r.IntN(6) {
	case 0:
		return text[:len(text)-3-l.r.IntN(8)] // still with the number
	case 1:
		return key + " is garbage"
	}
	return text
}

func (l *leftovers) write(path, text string) error {
	l.story = append(l.story, fmt.Sprintf("printf '%s' > %s", escape([]byte(text)), path))
	err := os.WriteFile(path, []byte(text), 0o644)
	if text != "" {
		l.kept[realPath(path)] = text
	}
	return err
}

// live starts a server in one of the directories and, if it starts, lets it work and end.
func (l *leftovers) live() error {
	dir, appends := pick(l.r, l.dirs), pick(l.r, []string{"yes", "yes", "no"})
	l.tell("miniserver --dir %s --appendonly %s --enable-protected-configs yes", dir, appends)
	l.count("starts", 1)
	loaded := l.loaded(dir, appends == "yes") // by their names before the start
	t := l.hunt.server("--dir", dir, "--appendonly", appends, "--enable-protected-configs", "yes",
		"--aof-use-rdb-preamble", pick(l.r, []string{"yes", "no"}))
	if err := t.start(); err != nil {
		return errors.Join(crash(t.stderr.String()+err.Error()), l.check())
	}
	defer t.stop()
	if t.loads() {
		l.count("servers that loaded", 1)
		for _, path := range loaded {
			delete(l.kept, path)
		}
		if err := l.work(t, dir); err != nil {
			return err
		}
	}
	return errors.Join(crash(t.stderr.String()), l.check())
}

// tell adds a line to what is to be pasted.
func (l *leftovers) tell(format string, args ...any) {
	l.story = append(l.story, fmt.Sprintf(format, args...))
	l.doing("%s", strings.Join(l.story, "\n"))
}

var named = regexp.MustCompile(`(?m)^file (\S+) seq`)

// loaded returns the paths of the files that a server loads there: those that the manifest names
// or, without one, the single file. It leaves out those that are not as they were left.
func (l *leftovers) loaded(dir string, appends bool) (paths []string) {
	journal := filepath.Join(dir, "appendonlydir")
	manifest := filepath.Join(journal, "appendonly.aof.manifest")
	text, _ := os.ReadFile(manifest)
	names := named.FindAllStringSubmatch(string(text), -1)
	for _, m := range names {
		paths = append(paths, filepath.Join(journal, m[1]))
	}
	switch {
	case !appends:
		paths = []string{filepath.Join(dir, "dump.rdb")}
	case len(names) == 0:
		paths = []string{manifest, filepath.Join(journal, "appendonly.aof"), filepath.Join(dir, "appendonly.aof")}
	default:
		paths = append(paths, manifest)
	}
	for i, path := range paths {
		paths[i] = realPath(path)
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		text, _ := os.ReadFile(path)
		return string(text) != l.kept[path]
	})
}

// realPath returns a path without links, if there is something.
func realPath(path string) string {
	if at, err := filepath.EvalSymlinks(path); err == nil {
		return at
	}
	return path
}

// work lets a server do a few things, and ends it.
func (l *leftovers) work(t *target, dir string) error {
	c, err := t.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for range 2 + l.r.IntN(5) {
		words := strings.Fields(pick(l.r, []string{"SET k%d v", "BGREWRITEAOF", "BGREWRITEAOF",
			"CONFIG SET appendonly yes", "CONFIG SET appendonly no", "CONFIG SET dir %s", "FLUSHALL", "BGSAVE"}))
		switch {
		case words[0] == "SET":
			words[1] = fmt.Sprint("k", l.r.IntN(1000))
		case len(words) == 4 && words[2] == "dir":
			dir = pick(l.r, l.dirs)
			words[3] = dir
		case words[0] == "BGSAVE":
			delete(l.kept, filepath.Join(dir, "dump.rdb")) // which it is there to replace
		}
		l.tell("redis-cli %s", strings.Join(words, " "))
		if _, err := c.do(words...); err != nil {
			return err
		}
		if err := l.atRest(c); err != nil {
			return err
		}
	}
	end := pick(l.r, []string{"SHUTDOWN", "SIGTERM", "kill -9"})
	l.tell("%s", end)
	switch end {
	case "SHUTDOWN":
		c.do("SHUTDOWN", "NOSAVE")
	case "SIGTERM":
		syscall.Kill(t.process.PID, syscall.SIGTERM)
	default:
		syscall.Kill(t.process.PID, syscall.SIGKILL)
	}
	<-t.process.Exited()
	return nil
}

// atRest waits until nothing is saved or rewritten.
func (l *leftovers) atRest(c *conn) error {
	for end := time.Now().Add(l.settling); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		info, err := c.do("INFO", "persistence")
		if err != nil {
			return err
		}
		if !busySaving.MatchString(info.Text) {
			return nil
		}
	}
	return errors.New("a save or a rewrite does not end")
}

var busySaving = regexp.MustCompile(`(?:bgsave_in_progress|rewrite_in_progress|rewrite_scheduled):1`)

// check looks whether everything is there that must be.
func (l *leftovers) check() error {
	there := map[string]bool{}
	err := filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		there[string(text)] = true
		return err
	})
	for path, text := range l.kept {
		l.count("files looked for", 1)
		if err == nil && !there[text] {
			delete(l.kept, path)
			l.found(fmt.Sprintf("a file that was not loaded is lost: '%s', %q", path, text), l.attempted())
		}
	}
	return err
}

//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/miniserver-go/miniserver/resp"
)

// side is one of the two servers. Its files stay when it ends.
type side struct {
	*target
	common []string // options of each start
	root   string   // has the directories a and b, of which dir names one
	client *conn
	saves  int  // rdb_saves when it was last seen
	behind bool // the journal had something to write, and could
	full   bool // its disk is
	await  int  // rdb_saves when the save that is scheduled has begun
}

// newSide returns a server that is not started.
func newSide(t *target) (*side, error) {
	root, err := os.MkdirTemp("", "saves")
	s := &side{target: t, common: t.options, root: root}
	return s, errors.Join(err, os.Mkdir(s.path("a"), 0o755), os.Mkdir(s.path("b"), 0o755))
}

func (s *side) path(dir string) string { return filepath.Join(s.root, dir) }

// remove ends the server and removes its files.
func (s *side) remove() error {
	if s.process != nil {
		s.stop()
	}
	return os.RemoveAll(s.root)
}

// begin starts the server, and waits until it has loaded its data.
func (s *side) begin(options string) (err error) {
	s.process, s.await, s.full = nil, 0, false
	s.clear()
	words, _ := resp.Words([]byte(s.local(options)), nil)
	s.options = slices.Concat(s.common,
		[]string{"--logfile", "/dev/stderr", "--enable-debug-command", "yes", "--enable-protected-configs", "yes",
			"--hz", "100", "--auto-aof-rewrite-percentage", "0", "--dir", s.path("a")}, texts(words))
	if err := s.start(); err != nil {
		return fmt.Errorf("%w\n%s", err, s.stderr)
	}
	if s.client, err = s.dial(); err == nil {
		_, err = loadedReply(s.client, "PING")
	}
	if err == nil {
		_, err = s.client.do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	}
	return err
}

func texts(words [][]byte) (list []string) {
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// local puts the directories of this server into a text.
func (s *side) local(text string) string { return strings.ReplaceAll(text, actDir, s.root+"/") }

// hasEnded begins the outcome of an act that ended the server.
const hasEnded = "the server ended: "

// perform performs an act. The outcome is what can be seen of it at once.
func (s *side) perform(a act) (outcome string, err error) {
	switch verb, rest, _ := strings.Cut(string(a), " "); verb {
	case "kill":
		return s.signal(rest)
	case "prlimit":
		s.full = a == fullAct
		return "", exec.Command("prlimit", "--pid", strconv.Itoa(s.process.PID), rest).Run()
	case "obstruct":
		return "", s.obstruct()
	case "clear":
		return "", s.clear()
	}
	outcome, err = s.say(string(a) + actAnd + "INFO persistence")
	if strings.Contains(outcome, "Background saving scheduled") {
		s.await = s.saves + 1
	}
	return outcome, err
}

// settled returns what is to be seen of a server that has nothing to do; an error says that it has.
func (s *side) settled() (string, error) {
	text, err := s.say("INFO everything ; DBSIZE")
	switch {
	case err != nil:
	case strings.Contains(text, "_in_progress:1") || strings.Contains(text, "_scheduled:1"):
		err = errors.New("a save or a rewrite does not end")
	case s.behind:
		err = errors.New("the journal is not written")
	case s.saves < s.await:
		err = errors.New("the save that is scheduled does not begin")
	}
	return text, err
}

// obstruct puts directories where snapshots go.
func (s *side) obstruct() (err error) {
	for _, dir := range []string{"a", "b"} {
		snapshot := filepath.Join(s.path(dir), "dump.rdb")
		os.Rename(snapshot, snapshot+".aside") // if there is one
		err = errors.Join(err, os.Mkdir(snapshot, 0o755))
	}
	return err
}

// clear puts the snapshots back.
func (s *side) clear() error {
	for _, dir := range []string{"a", "b"} {
		snapshot := filepath.Join(s.path(dir), "dump.rdb")
		if info, err := os.Stat(snapshot); err == nil && info.IsDir() {
			os.Remove(snapshot)
			os.Rename(snapshot+".aside", snapshot)
		}
	}
	return nil
}

// signal sends a signal, and waits until the server ends or says that it does not.
func (s *side) signal(option string) (outcome string, err error) {
	const stays = "Errors trying to shut down the server"
	before := s.stderr.count(stays)
	signal := map[string]syscall.Signal{"-9": syscall.SIGKILL, "-TERM": syscall.SIGTERM, "-INT": syscall.SIGINT}[option]
	if err := syscall.Kill(s.process.PID, signal); err != nil {
		return "", err
	}
	for end := time.Now().Add(replyTime); time.Now().Before(end); {
		select {
		case <-s.process.Exited():
			return hasEnded + s.process.Exit(), nil
		case <-time.After(time.Millisecond):
		}
		if s.stderr.count(stays) > before {
			return "the server goes on", nil
		}
	}
	return "", errors.New("it neither ends nor says that it goes on")
}

// say sends commands in one piece, and returns what is compared of the replies. What a server says
// before it ends may be lost.
func (s *side) say(commands string) (outcome string, err error) {
	list := strings.Split(commands, actAnd)
	var all []byte
	for _, command := range list {
		words, _ := resp.Words([]byte(s.local(command)), nil)
		all = append(all, request(texts(words)...)...)
	}
	s.client.SetDeadline(time.Now().Add(replyTime))
	if _, err := s.client.Write(all); err != nil {
		return "", err
	}
	var text strings.Builder
	for _, command := range list {
		reply, err := s.client.replies.Read()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "", err
		}
		if err != nil {
			<-s.process.Exited()
			return hasEnded + s.process.Exit(), nil
		}
		s.tell(&text, command, reply)
	}
	return text.String(), nil
}

// tell writes a reply.
func (s *side) tell(b *strings.Builder, command string, reply resp.Value) {
	fields := immediate
	switch command {
	default:
		fmt.Fprintf(b, "%s: %s\n", command, reply)
		return
	case "INFO everything":
		fields = eventual
	case "INFO persistence":
	}
	on, works := false, false
	s.behind = false
	for line := range strings.Lines(reply.Text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if slices.Contains(fields, name) {
			b.WriteString(name + ":" + value + "\n")
		}
		switch name {
		case "rdb_saves":
			s.saves, _ = strconv.Atoi(value)
		case "aof_enabled":
			on = value == "1"
		case "aof_last_write_status":
			works = value == "ok"
			s.behind = on && !works && !s.full
		case "aof_buffer_length":
			s.behind = s.behind || works && value != "0"
		}
	}
}

// immediate are the fields of INFO that are compared right after an act, eventual those that are
// compared when nothing goes on any more.
var (
	immediate = strings.Fields("loading rdb_changes_since_last_save rdb_bgsave_in_progress rdb_last_bgsave_status " +
		"rdb_saves " +
		"rdb_saves_consecutive_failures rdb_last_load_keys_expired rdb_last_load_keys_loaded aof_enabled " +
		"aof_rewrite_in_progress " +
		"aof_rewrite_scheduled aof_pending_rewrite aof_last_bgrewrite_status aof_rewrites " +
		"aof_rewrites_consecutive_failures")
	eventual = append([]string{"aof_last_write_status"}, immediate...)
)

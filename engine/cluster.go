package engine

import (
	"bytes"
	"net"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/release"
)

// cluster is the server as the only node of a cluster, after cluster-enabled yes. The node owns all hash slots and keeps them, so
// it never redirects a client. Two rules of Redis Cluster remain: the keys of a command, of a transaction, and of a script that
// declares flags must be in one slot, and there is only database 0.
//
// Lines with keys get the flag OneSlot when the cluster is enabled. So without it neither the gate nor a line knows of clusters.
type cluster struct {
	enabled bool
}

// Slots is the number of hash slots.
const Slots = 16384

// noSlot is the slot of a command without keys.
const noSlot = -1

// clusterParams is the parameter that makes the server a node of a cluster.
func (e *Engine) clusterParams() []config.Param {
	return []config.Param{config.Bool("cluster-enabled", &e.cluster.enabled).AtStart().Then(e.markOneSlot)}
}

// markOneSlot gives the lines with keys the flag OneSlot if the server is a node of a cluster, and takes it away otherwise. EXEC has the keys of what
// it runs.
func (e *Engine) markOneSlot() {
	for _, cmd := range e.Commands.All() {
		markOneSlot(cmd, e.cluster.enabled)
		for _, sub := range cmd.Subs {
			markOneSlot(sub, e.cluster.enabled)
		}
	}
}

func markOneSlot(cmd *command.Command, on bool) {
	cmd.Flags &^= command.OneSlot
	if on && cmd.Flags&command.AnySlot == 0 && (cmd.HasKeys() || cmd.Flags&command.RunsTx != 0) {
		cmd.Flags |= command.OneSlot
	}
}

// InCluster reports whether the server is a node of a cluster.
func (e *Engine) InCluster() bool { return e.cluster.enabled }

// Mode is what HELLO and INFO call it.
func (e *Engine) Mode() string {
	if e.cluster.enabled {
		return "cluster"
	}
	return "standalone"
}

// Databases returns the number of databases that clients can select: only one in a cluster.
func (e *Engine) Databases() int {
	if e.cluster.enabled {
		return 1
	}
	return e.home.Keyspace.Len()
}

// oneDatabase is when a node of a cluster began to have only one database, instead of refusing the others. ClusterDatabases is when it could have
// several: cluster-databases, which is 1 by default and here.
var oneDatabase, ClusterDatabases = release.From("7.2.0"), release.From("valkey:9.0.0")

// shownDatabases is what CONFIG GET databases shows.
func (e *Engine) shownDatabases() string {
	if e.Release.Has(oneDatabase) && !e.Release.Has(ClusterDatabases) {
		return strconv.Itoa(e.Databases())
	}
	return strconv.Itoa(e.home.Keyspace.Len())
}

// checkSlot returns an error if the keys of a command lie in several slots, and notes the slot in the session. Those of EXEC are the keys of all queued
// commands. Malformed arguments have no keys; the command itself refuses them.
func (e *Engine) checkSlot(s *Session, cmd *command.Command, args [][]byte) error {
	s.slot = noSlot
	if cmd.Flags&command.RunsTx == 0 {
		return s.takeSlot(cmd, args)
	}
	if s.tx == nil || s.tx.dirtyExec && e.Release.Has(isValkey) {
		return nil
	}
	for _, q := range s.tx.commands {
		if err := s.takeSlot(q.cmd, q.args); err != nil {
			return err
		}
	}
	return nil
}

// isValkey is when Valkey parted from Redis.
var isValkey = release.From("valkey:7.2.5")

// takeSlot notes the slot of a command's keys in the session. It returns an error if they lie in several, or not in the one noted before.
func (s *Session) takeSlot(cmd *command.Command, args [][]byte) error {
	keys, _ := cmd.Keys.At(args)
	for _, k := range keys {
		slot := int32(KeySlot(args[k.At]))
		if s.slot != noSlot && s.slot != slot {
			return ErrCrossSlot
		}
		s.slot = slot
	}
	return nil
}

// checkScriptSlot is checkSlot for a command that a script calls. A script that declared flags, and not that it crosses slots, keeps to the slot of its
// keys; one without keys to that of the first key that it uses.
func (e *Engine) checkScriptSlot(s *Session, cmd *command.Command, args [][]byte) error {
	s.slot = noSlot
	if s.takeSlot(cmd, args) != nil {
		return e.Errorf(ErrCrossSlotCall, cmd.FullName())
	}
	kept := &s.caller.slot
	switch {
	case s.crossesSlots || s.slot == noSlot:
	case *kept == noSlot:
		*kept = s.slot
	case *kept != s.slot:
		return ErrCrossSlotScript
	}
	return nil
}

// CrossSlots says whether the keys that a script uses may lie in several slots, until the next EnterScript.
func (s *Session) CrossSlots(may bool) { s.crossesSlots = may }

// Reached returns where a session has reached the server. The address is "" and the port that of the configuration for a session without a
// network.
func (e *Engine) Reached(s *Session) (ip, port string) {
	ip, port, err := net.SplitHostPort(s.LocalAddr)
	if err != nil || s.Unix {
		return "", e.Setting("port", "0")
	}
	return ip, port
}

// Setting returns the value of a parameter, or other if no part has it.
func (e *Engine) Setting(name, other string) string {
	if p := e.Param(name); p != nil {
		return strings.TrimSpace(p.Get())
	}
	return other
}

// KeySlot returns the hash slot of a key: that of its tag, if it has one.
func KeySlot(key []byte) uint16 {
	if tag := hashTag(key); len(tag) > 0 {
		key = tag
	}
	return crc16(key) % Slots
}

// hashTag returns what stands in the first braces of a key; nothing if it has none.
func hashTag(key []byte) []byte {
	if _, rest, found := bytes.Cut(key, []byte("{")); found {
		if tag, _, closed := bytes.Cut(rest, []byte("}")); closed {
			return tag
		}
	}
	return nil
}

// PatternSlot returns the hash slot of all keys that match a pattern. one is false if they may lie in several: then no tag comes before the first
// special character.
func PatternSlot(pattern []byte) (slot uint16, one bool) {
	plain := pattern
	if i := bytes.IndexAny(pattern, "*?[\\"); i >= 0 {
		plain = pattern[:i]
	}
	return KeySlot(plain), len(plain) == len(pattern) || len(hashTag(plain)) > 0
}

// crc16 is the checksum of XMODEM: the polynomial 0x1021, from zero.
func crc16(text []byte) (sum uint16) {
	for _, b := range text {
		sum ^= uint16(b) << 8
		for range 8 {
			top := sum >> 15
			sum = sum<<1 ^ top*0x1021
		}
	}
	return sum
}

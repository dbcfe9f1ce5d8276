package replication

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/internal/replication/psync"
)

// A replica of an older release, or of another product, cannot read all data that this server may
// have. Miniservers and replicas of Valkey tell their release before they synchronize, those of
// Redis do not.
var (
	tellsVersion   = release.From("valkey:8.0.0")
	fieldDeadlines = release.From("7.4.0 valkey:9.0.0")
)

// setVersion parses the version that a replica of Valkey tells.
func (r *replica) setVersion(c *engine.Call, text []byte) {
	told := release.Told("valkey", string(text))
	switch {
	case told == nil || bytes.Count(text, []byte{'.'}) != 2:
		c.Refusef(errReplicaVersion, text)
	case !r.ours:
		r.release = told
	}
}

// setRelease notes the release of a replica that is a miniserver. An older one does not know the
// name of a newer release, and expects nothing of it.
func (r *replica) setRelease(capability string) {
	if name, ours := strings.CutPrefix(capability, psync.Miniserver); ours {
		r.ours = true
		r.release, _ = release.Find(name)
	}
}

// warn logs what a replica cannot follow, if this server may have such data: each line once.
func (m *Master) warn(r *replica) {
	line := m.lacks(r)
	if line == "" || m.warned[line] {
		return
	}
	m.warned[line] = true
	m.opts.Log('#', "%s", line)
}

// lacks returns what a replica cannot follow, and what to do about it, as a line for the log; ""
// for nothing.
func (m *Master) lacks(r *replica) string {
	mine := m.engine.Release
	if r.release == nil {
		if !mine.Open || r.ours {
			return ""
		}
		return "A replica that does not tell its release is a Redis. It cannot follow deadlines of set members, " +
			"sorted set members and list elements, nor Bloom filters, and before 7.4 no deadlines of hash fields: " +
			"start this server with --like and its release, such as --like redis:7.0"
	}
	var lacks []string
	if mine.Open && !r.release.Open {
		lacks = append(lacks, "deadlines of set members, sorted set members and list elements", "Bloom filters")
	}
	if mine.Offers(fieldDeadlines) && !r.followsFields(mine) {
		lacks = append(lacks, "deadlines of hash fields")
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("Replica %s is a %s, which cannot follow %s. Start this server with --like %s, "+
		"so that it has none",
		r.name(), r.release, strings.Join(lacks, ", "), r.like())
}

// followsFields reports whether a replica follows deadlines of the fields of hashes, which Valkey
// replicates in other commands.
func (r *replica) followsFields(mine *release.Release) bool {
	if r.ours {
		return r.release.Offers(fieldDeadlines)
	}
	return mine.Product == r.release.Product && r.release.Has(fieldDeadlines)
}

// like returns the name of the release for --like whose data a replica can read.
func (r *replica) like() string {
	if r.ours {
		return r.release.Name
	}
	return nearest(r.release)
}

// nearest returns the name of the newest release for --like whose data a replica of Valkey can
// read.
func nearest(r *release.Release) string {
	name := "redis:7.2" // what Valkey began with
	for _, known := range release.Known {
		_, number, _ := strings.Cut(known.Name, ":")
		if known.Product == r.Product && r.Has(release.From(r.Product+":"+number)) {
			name = known.Name
		}
	}
	return name
}

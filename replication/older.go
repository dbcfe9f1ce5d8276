package replication

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
)

// A replica of an older release, or of another product, cannot read all data that this server may have. Replicas of Valkey tell
// their release before they synchronize, those of Redis do not.
var (
	tellsVersion   = release.From("valkey:8.0.0")
	fieldDeadlines = release.From("7.4.0 valkey:9.0.0")
)

var wellFormed = regexp.MustCompile(`^\d{1,3}\.\d{1,3}\.\d{1,3}$`)

// setVersion parses the version that a replica of Valkey tells.
func (r *replica) setVersion(c *engine.Call, text []byte) {
	if !wellFormed.Match(text) {
		c.Refusef(errReplicaVersion, text)
		return
	}
	r.release = release.Exactly("valkey", string(text))
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

// lacks returns what a replica cannot follow, and what to do about it, as a line for the log; "" for nothing.
func (m *Master) lacks(r *replica) string {
	mine := m.engine.Release
	if r.release == nil {
		if !mine.Open {
			return ""
		}
		return "Replicas that do not tell their release are expected to be miniservers. A Redis cannot follow deadlines of set members, " +
			"sorted set members and list elements, nor Bloom filters, and before 7.4 no deadlines of hash fields: " +
			"if there is one, start this server with --like and its release, such as --like redis:7.0"
	}
	var lacks []string
	if mine.Open {
		lacks = append(lacks, "deadlines of set members, sorted set members and list elements", "Bloom filters")
	}
	if mine.Offers(fieldDeadlines) && (mine.Product != r.release.Product || !r.release.Has(fieldDeadlines)) {
		lacks = append(lacks, "deadlines of hash fields")
	}
	if lacks == nil {
		return ""
	}
	return fmt.Sprintf("Replica %s is a %s, which cannot follow %s. Start this server with --like %s, so that it has none",
		r.name(), r.release, strings.Join(lacks, ", "), nearest(r.release))
}

// nearest returns the name of the newest release for --like whose data a replica of Valkey can read.
func nearest(r *release.Release) string {
	name := "redis:7.2" // what Valkey began with
	for _, known := range release.Known {
		if known.Product == r.Product && r.Has(release.From(r.Product+":"+known.Version)) {
			name = known.Name
		}
	}
	return name
}

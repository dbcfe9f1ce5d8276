package group

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/group/consensus"
	"github.com/miniserver-go/miniserver/internal/slot"
	"github.com/miniserver-go/miniserver/resp"
)

// params are the parameters of a member.
type params struct {
	id           uint64
	members      []consensus.Member
	join         bool
	dir          string // relative to the parameter dir
	fsync        bool
	name         string
	lease        bool
	maxStaleness int64 // milliseconds; 0 for no limit
	heartbeat    int64 // milliseconds
	snapshots    int64 // entries between two
	segmentSize  int   // bytes of a file of the log
	salvage      int64 // see consensus.Options

	tls           bool
	cert, key, ca string // files

	// host:port at which clients reach this member; "" for the host of the members' protocol and
	// the port
	announced string
	slots     slot.Set // that the group owns when it begins
	peers     []string // host:port of members of other groups
	dataDir   func() string
}

// maxSegment is more than anybody needs, and less than a file of the log can have.
const maxSegment = 1 << 30

func defaults() params {
	return params{slots: *slot.SetOf([][2]int{{0, slot.Count - 1}}),
		dir: "group", fsync: true, name: "mymaster", lease: true, heartbeat: 300, snapshots: 65536,
		segmentSize: 64 << 20}
}

// membersParam is the list of members, as in 1=host:port,2=host:port,3=host:port.
func (p *params) membersParam() config.Param {
	return config.Param{Name: "group-members", Immutable: true,
		Get: func() string {
			var words []string
			for _, m := range p.members {
				words = append(words, fmt.Sprintf("%d=%s", m.ID, m.Address))
			}
			return strings.Join(words, ",")
		},
		Set: func(v string) (err error) {
			p.members, err = parseMembers(v)
			return err
		}}
}

// slotsParam is the slots that the group owns when it begins, as in 0-5460 10923; none for "".
func (p *params) slotsParam() config.Param {
	return config.Param{Name: "group-slots", Immutable: true,
		Get: func() string {
			var words []string
			for _, r := range p.slots.Ranges() {
				if r[0] == r[1] {
					words = append(words, strconv.Itoa(r[0]))
				} else {
					words = append(words, fmt.Sprintf("%d-%d", r[0], r[1]))
				}
			}
			return strings.Join(words, " ")
		},
		Set: func(v string) error {
			set, err := parseSlots(v)
			if err == nil {
				p.slots = *set
			}
			return err
		}}
}

// parseSlots reads slots and ranges of slots.
func parseSlots(text string) (*slot.Set, error) {
	set := new(slot.Set)
	for _, word := range strings.Fields(text) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 16)
		to, err2 := strconv.ParseUint(last, 10, 16)
		if err1 != nil || err2 != nil || from > to || to >= slot.Count {
			return nil, errSlots
		}
		set.AddAll(slot.SetOf([][2]int{{int(from), int(to)}}))
	}
	return set, nil
}

// peersParam is where members of other groups are.
func (p *params) peersParam() config.Param {
	return config.Param{Name: "group-peers", Immutable: true,
		Get: func() string { return strings.Join(p.peers, " ") },
		Set: func(v string) error {
			p.peers = strings.Fields(v)
			for _, address := range p.peers {
				if _, _, err := net.SplitHostPort(address); err != nil {
					return errPeers
				}
			}
			return nil
		}}
}

func parseMembers(text string) (list []consensus.Member, err error) {
	for word := range strings.SplitSeq(text, ",") {
		if word == "" {
			continue
		}
		m, err := parseMember(word)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o consensus.Member) bool { return o.ID == m.ID || o.Address == m.Address }) {
			return nil, errTwice
		}
		list = append(list, m)
	}
	return list, nil
}

// options returns how the log is opened, and says what is wrong with the parameters.
func (p *params) options() (o consensus.Options, err error) {
	switch {
	case p.id == 0:
		return o, errNoID
	case p.address() == "":
		return o, errNoMembers
	case !p.join && !slices.Contains([]int{1, 3, 5}, len(p.members)):
		return o, errNotOdd
	case p.segmentSize > maxSegment:
		return o, errSegment
	}
	dir := p.dir
	if p.dataDir != nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(p.dataDir(), dir)
	}
	o = consensus.Options{ID: p.id, Members: p.members, Join: p.join, Dir: dir, Sync: p.fsync,
		Heartbeat: millis(p.heartbeat), SegmentSize: p.segmentSize,
		SnapshotEvery: uint64(p.snapshots), SnapshotTrailing: uint64(p.snapshots+3) / 4, Salvage: uint64(p.salvage)}
	o.TLS, err = p.tlsConfig()
	return o, err
}

// address returns where the other members reach this one; "" if it is not listed.
func (p *params) address() string {
	for _, m := range p.members {
		if m.ID == p.id {
			return m.Address
		}
	}
	return ""
}

// clientAddress returns where clients reach this member: group-announce, or else host:port, with
// the port for TLS behind it if there is another one, as in the line of a node in Redis'
// nodes.conf.
func (p *params) clientAddress(e *engine.Engine) string {
	if p.announced != "" {
		return p.announced
	}
	host, _, _ := net.SplitHostPort(p.address())
	plain, secure := portOf(e, "port"), portOf(e, "tls-port")
	switch {
	case plain == 0:
		return net.JoinHostPort(host, strconv.Itoa(secure))
	case secure == 0:
		return net.JoinHostPort(host, strconv.Itoa(plain))
	}
	return net.JoinHostPort(host, strconv.Itoa(plain)) + tlsPortField + strconv.Itoa(secure)
}

// tlsPortField is what precedes the port for TLS in an address.
const tlsPortField = ",tls-port="

// portOf returns a port of the server; 0 if it is not open.
func portOf(e *engine.Engine, name string) int {
	p := e.Params.Named(name)
	if p == nil {
		return 0
	}
	n, _ := strconv.Atoi(p.Get())
	return max(n, 0)
}

// tlsConfig returns how members show and check certificates; nil without TLS.
func (p *params) tlsConfig() (*tls.Config, error) {
	if !p.tls {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return nil, fmt.Errorf("group-tls: %w", err)
	}
	pem, err := os.ReadFile(p.ca)
	if err != nil {
		return nil, fmt.Errorf("group-tls: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("group-tls: %s holds no certificate", p.ca)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ClientCAs: pool,
		ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}, nil
}

// parseMember reads id=host:port.
func parseMember(text string) (m consensus.Member, err error) {
	id, address, ok := strings.Cut(text, "=")
	if !ok {
		return m, errAddress
	}
	if n, ok := resp.ParseInt([]byte(id)); !ok || n < 1 {
		return m, errID
	} else {
		m.ID = uint64(n)
	}
	host, port, err := net.SplitHostPort(address)
	if n, ok := resp.ParseInt([]byte(port)); err != nil || host == "" || !ok || n < 1 || n > 65535 {
		return m, errAddress
	}
	m.Address = address
	return m, nil
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

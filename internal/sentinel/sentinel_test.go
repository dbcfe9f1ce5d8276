package sentinel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/sentinel"
	"github.com/miniserver-go/miniserver/internal/topology"
	"github.com/miniserver-go/miniserver/resp"
)

// group is a source that tests change.
type group struct {
	topology.Group
	handed int // times that the seat was to be handed over
}

// source is a group as the engine sees it.
type source struct{ *group }

func (g source) Group() *topology.Group              { return &g.group.Group }
func (g source) Stored(func(int) bool)               {}
func (g source) Transfer(_ uint64, done func(error)) { g.handed++; go done(nil) }

// member is an engine in a group of three, with a client.
type member struct {
	*engine.Engine
	t      *testing.T
	group  *group
	client *engine.Session
}

// newMember returns member 1 of three; 2 leads.
func newMember(t *testing.T) *member {
	m := &member{t: t, group: &group{Group: topology.Group{Name: "mymaster", Self: 1, Leader: 2, Last: 2, Term: 7,
		Members: []topology.Member{
			{ID: 1, Host: "127.0.0.1", Port: 7001, Up: true, Applied: 40},
			{ID: 2, Host: "127.0.0.1", Port: 7002, Up: true, Heard: 15, Applied: 42},
			{ID: 3, Host: "127.0.0.1", Port: 7003, Heard: 2500, Applied: 30},
		}}}}
	m.Engine = engine.New(engine.Options{Clock: func() int64 { return 1_700_000_000_000_000 }, Seed: 1})
	m.Home().Topology = source{m.group}
	m.Join(pubsub.Part(), sentinel.New(m.Engine).Part())
	m.Join(clients.Parts(m.Engine)...)
	m.client = m.NewSession(nil)
	m.Tick()
	return m
}

// do returns the reply to a command as text.
func (m *member) do(line string) string {
	var args [][]byte
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	out := m.Do(m.client, [][][]byte{args}).Out
	v, err := resp.NewReader(strings.NewReader(string(out))).Read()
	require.NoError(m.t, err, "%s: %q", line, out)
	return text(v)
}

// text writes the words of a reply, with nested ones in brackets.
func text(v resp.Value) string {
	if v.Elems == nil {
		return strings.Trim(strings.TrimPrefix(v.String(), "(error) "), `"`)
	}
	var words []string
	for _, e := range v.Elems {
		if e.Elems != nil {
			words = append(words, "["+text(e)+"]")
		} else {
			words = append(words, text(e))
		}
	}
	return strings.Join(words, " ")
}

// The names, their order and the types of all fields are those of Redis' Sentinel 7.0 and 8.0.
func TestRepliesHaveTheFieldsOfSentinel(t *testing.T) {
	m := newMember(t)
	id := func(n uint64) string { return m.group.NodeID(n) }
	for _, hello := range []string{"HELLO 2", "HELLO 3"} {
		m.do(hello)
		require.Equal(t, "127.0.0.1 7002", m.do("SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"))
		require.Equal(t, "name mymaster ip 127.0.0.1 port 7002 runid "+id(2)+
			" flags master link-pending-commands 0 link-refcount 1 last-ping-sent 0 "+
			"last-ok-ping-reply 15 last-ping-reply 15 down-after-milliseconds 1000 info-refresh 15 role-reported "+
			"master role-reported-time 15 "+
			"config-epoch 7 num-slaves 2 num-other-sentinels 2 quorum 2 failover-timeout 180000 parallel-syncs 1",
			m.do("SENTINEL MASTER mymaster"))
		require.Equal(t, "["+m.do("SENTINEL MASTER mymaster")+"]", m.do("SENTINEL MASTERS"))
		require.Equal(t, "[name 127.0.0.1:7001 ip 127.0.0.1 port 7001 runid "+id(1)+
			" flags slave link-pending-commands 0 link-refcount 1 last-ping-sent 0 "+
			"last-ok-ping-reply 0 last-ping-reply 0 down-after-milliseconds 1000 info-refresh 0 role-reported slave "+
			"role-reported-time 0 "+
			"master-link-down-time 0 master-link-status ok master-host 127.0.0.1 master-port 7002 slave-priority 100 "+
			"slave-repl-offset 40 replica-announced 1] "+
			"[name 127.0.0.1:7003 ip 127.0.0.1 port 7003 runid "+id(3)+
			" flags s_down,slave,disconnected link-pending-commands 0 link-refcount 1 last-ping-sent 0 "+
			"last-ok-ping-reply 2500 last-ping-reply 2500 s-down-time 2500 down-after-milliseconds 1000 info-refresh "+
			"2500 role-reported slave role-reported-time 2500 "+
			"master-link-down-time 0 master-link-status err master-host 127.0.0.1 master-port 7002 slave-priority "+
			"100 slave-repl-offset 30 replica-announced 1]",
			m.do("SENTINEL REPLICAS mymaster"))
		require.Equal(t, m.do("SENTINEL REPLICAS mymaster"), m.do("SENTINEL SLAVES mymaster"))
		require.Equal(t, "[name "+id(2)+" ip 127.0.0.1 port 7002 runid "+id(2)+
			" flags sentinel link-pending-commands 0 link-refcount 1 last-ping-sent 0 "+
			"last-ok-ping-reply 15 last-ping-reply 15 down-after-milliseconds 1000 last-hello-message 15 "+
			"voted-leader ? voted-leader-epoch 0]",
			strings.SplitAfter(m.do("SENTINEL SENTINELS mymaster"), "]")[0])
		require.Equal(t, id(1), m.do("SENTINEL MYID"))
		require.Equal(t, "OK 2 usable Sentinels. Quorum and failover authorization can be reached",
			m.do("SENTINEL CKQUORUM mymaster"))
		require.Equal(t, "(integer) 0 * (integer) 0", m.do("SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 7002 7 *"))
		require.Empty(t, m.do("SENTINEL PENDING-SCRIPTS"))
	}
}

func TestWhatIsNotTheGroupIsRefused(t *testing.T) {
	m := newMember(t)
	for _, command := range []string{"MASTER", "REPLICAS", "SLAVES", "SENTINELS", "CKQUORUM", "FAILOVER", "REMOVE"} {
		require.Equal(t, "ERR No such master with that name", m.do("SENTINEL "+command+" other"), command)
	}
	for command, refusal := range map[string]string{
		"SET other quorum 1":                     "ERR No such master with that name",
		"SET mymaster quorum 1":                  "ERR A member of a group",
		"REMOVE mymaster":                        "ERR A member of a group",
		"RESET *":                                "ERR A member of a group",
		"RESET other":                            "0",
		"MONITOR mymaster 127.0.0.1 1 1":         "ERR Duplicate master name.",
		"MONITOR other 127.0.0.1 1 0":            "ERR Quorum must be 1 or greater.",
		"MONITOR other 127.0.0.1 x 1":            "ERR Invalid port",
		"MONITOR other 127.0.0.1 1 1":            "ERR A member of a group",
		"MASTER":                                 "ERR wrong number of arguments for 'sentinel|master' command",
		"CONFIG GET *":                           "ERR unknown subcommand 'CONFIG'. Try SENTINEL HELP.",
		"IS-MASTER-DOWN-BY-ADDR 127.0.0.1 x 1 *": "ERR value is not an integer or out of range",
		"FAILOVER mymaster": "ERR Only the leader hands over its seat; " +
			"it is at 127.0.0.1:7002",
		"GET-MASTER-ADDR-BY-NAME other":              "",
		"GET-MASTER-ADDR-BY-NAME mymaster something": "ERR wrong number of arguments",
	} {
		require.Contains(t, m.do("SENTINEL "+command), refusal, command)
	}
	require.Contains(t, m.do("SENTINEL HELP"), "CKQUORUM <master-name>")
}

func TestTheLeaderHandsOver(t *testing.T) {
	m := newMember(t)
	m.group.Leader, m.group.Last, m.group.Seated, m.group.Members[2].Up = 1, 1, true, false
	m.group.Members[1].Up = false
	require.Equal(t, "NOGOODSLAVE No suitable replica to promote", m.do("SENTINEL FAILOVER mymaster"))
	m.group.Members[1].Up = true
	require.Equal(t, "OK", m.do("SENTINEL FAILOVER mymaster"))
	require.Equal(t, 1, m.group.handed)
}

func TestWithoutALeaderClientsAskTheNextMember(t *testing.T) {
	m := newMember(t)
	m.group.Leader = 0
	require.Equal(t, "*-1\r\n", string(m.Do(m.client,
		[][][]byte{{[]byte("SENTINEL"), []byte("GET-MASTER-ADDR-BY-NAME"), []byte("mymaster")}}).Out))
	require.Contains(t, m.do("SENTINEL MASTER mymaster"),
		"port 7002 runid "+m.group.NodeID(2)+" flags s_down,o_down,master,disconnected")
	require.Equal(t, "(integer) 1 * (integer) 0", m.do("SENTINEL IS-MASTER-DOWN-BY-ADDR 127.0.0.1 7002 7 *"))
	require.Contains(t, m.do("SENTINEL CKQUORUM mymaster"), "NOQUORUM 2 usable Sentinels. ")
	require.Contains(t, m.do("SENTINEL FAILOVER mymaster"), "INPROG")
	m.group.Last = 0
	require.Contains(t, m.do("SENTINEL MASTERS"), "ip ? port 0")
}

func TestSubscribersAreToldOfANewLeader(t *testing.T) {
	m := newMember(t)
	listener := m.NewSession(nil)
	m.Do(listener, [][][]byte{{[]byte("PSUBSCRIBE"), []byte("*")}})
	told := func() (list []string) {
		m.Tick()
		r := resp.NewReader(strings.NewReader(string(m.Collect(listener).Out)))
		for v, err := r.Read(); err == nil; v, err = r.Read() {
			list = append(list, v.Elems[2].Text+" "+v.Elems[3].Text)
		}
		return list
	}
	require.Empty(t, told())
	m.group.Leader = 0
	require.Equal(t,
		[]string{"+sdown master mymaster 127.0.0.1 7002", "+odown master mymaster 127.0.0.1 7002 #quorum 2/2"}, told())
	require.Empty(t, told())
	m.group.Leader, m.group.Last, m.group.Members[1].Up = 1, 1, false
	require.Equal(t, []string{
		"+switch-master mymaster 127.0.0.1 7002 127.0.0.1 7001",
		"+slave slave 127.0.0.1:7002 127.0.0.1 7002 @ mymaster 127.0.0.1 7001",
		"+sdown slave 127.0.0.1:7002 127.0.0.1 7002 @ mymaster 127.0.0.1 7001",
		"+slave slave 127.0.0.1:7003 127.0.0.1 7003 @ mymaster 127.0.0.1 7001",
		"+sdown slave 127.0.0.1:7003 127.0.0.1 7003 @ mymaster 127.0.0.1 7001",
	}, told())
	m.group.Members[1].Up = true
	require.Equal(t, []string{"-sdown slave 127.0.0.1:7002 127.0.0.1 7002 @ mymaster 127.0.0.1 7001"}, told())
	require.Empty(t, told())
}

package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/corpus"
	"github.com/miniserver-go/miniserver/internal/transcript"
)

// TestGroupCommands runs transcripts at the leader of a group of one.
func TestGroupCommands(t *testing.T) {
	g := startGroup(t, 1)
	g.leader()
	w, err := transcript.Connect("tcp", g.servers[1].Address,
		transcript.Traits{Name: "a group of one", Tags: []string{"group"}})
	require.NoError(t, err)
	defer w.Close()
	dir := filepath.Join("testdata", "group")
	if !corpus.Updating(t, dir, func() transcript.World { return w }) {
		corpus.RunFiles(t, w, dir, corpus.Files(t, dir))
	}
}

// TestGroupCommandsAmongThree has replies that need other members.
func TestGroupCommandsAmongThree(t *testing.T) {
	g := startGroup(t, 3)
	leader := g.leader()
	replies := func(id int, want string, words ...string) {
		t.Helper()
		reply, err := g.ask(id, append([]string{"GROUP"}, words...)...)
		require.NoError(t, err)
		require.Equal(t, want, strings.TrimSuffix(reply, "\n"), words)
	}
	follower, other := leader%3+1, (leader+1)%3+1
	const notLeader = "ERR This member does not lead the group"
	replies(follower, notLeader, "ADD", "4=h:1")
	replies(follower, "ERR A member is given as id=host:port", "ADD", "4")
	replies(follower, notLeader, "REMOVE", "1")
	replies(follower, "ERR A member's id is a number from 1 on", "REMOVE", "x")
	replies(follower, notLeader, "TRANSFER")
	g.until(follower, "who leads", func(reply string) bool {
		return infoField(reply, "group_leader") == leader && strings.Contains(reply, "group_role:follower\r\n")
	}, "GROUP", "INFO")

	replies(leader, "ERR The group has no such member", "TRANSFER", "4")
	replies(leader, "OK", "TRANSFER", strconv.Itoa(follower))
	require.Equal(t, follower, g.leader())
	replies(follower, "OK", "REMOVE", strconv.Itoa(other))
	replies(follower, "ERR The group has no such member", "REMOVE", strconv.Itoa(other))
	g.until(other, "that it was removed", func(reply string) bool { return infoField(reply, "group_removed") == 1 },
		"GROUP", "INFO")
	replies(other, notLeader, "TRANSFER")

	g.kill(other)
	address := memberAddress(g.list, other)
	g.dirs[other], g.options = t.TempDir(), append(g.options, "--group-join", "yes")
	g.start(other)
	replies(follower, "OK", "ADD", strconv.Itoa(other)+"="+address)
	replies(follower, "OK", "ADD", strconv.Itoa(other)+"="+address)
	g.agree()

	reply, err := g.ask(follower, "GROUP", "REMOVE", strconv.Itoa(follower))
	require.True(t, err != nil || reply == "OK",
		"a leader that removes itself closes the connections of its clients: %s", reply)
	g.until(follower, "that it was removed", func(reply string) bool { return infoField(reply, "group_removed") == 1 },
		"GROUP", "INFO")
	g.kill(follower)
	require.NotEqual(t, follower, g.leader())
}

// memberAddress returns where the others reach a member, from group-members.
func memberAddress(list string, id int) string {
	_, rest, _ := strings.Cut(list, strconv.Itoa(id)+"=")
	address, _, _ := strings.Cut(rest, ",")
	return address
}

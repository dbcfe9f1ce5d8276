package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const hashOfSecret = "#2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

// asks returns a function that executes a line of a session of its own and returns the reply's
// bytes.
func (p *program) asks(t *testing.T) func(line string) string {
	s := p.Engine.NewSession(nil)
	t.Cleanup(func() { p.Engine.Close(s) })
	return func(line string) string {
		var args [][]byte
		for _, word := range strings.Fields(line) {
			args = append(args, []byte(word))
		}
		return string(p.Engine.Do(s, [][][]byte{args}).Out)
	}
}

func (p *program) userLines() (lines []string) {
	p.Engine.With(func() { lines = p.Engine.Users.Lines() })
	return lines
}

func TestUsersFromTheirFile(t *testing.T) {
	path := write(t, "users.acl", "user alice on >secret ~cache:* +get\n\n  user bob off (~x +get) \r\n")
	p, err := buildWith(t, "", "--aclfile", path)
	require.NoError(t, err)
	ask := p.asks(t)
	want := []string{"user alice on sanitize-payload " + hashOfSecret + " ~cache:* resetchannels -@all +get",
		"user bob off sanitize-payload resetchannels -@all (~x resetchannels -@all +get)",
		"user default on nopass sanitize-payload ~* &* +@all"}
	require.Equal(t, want, p.userLines())

	require.Equal(t, "+OK\r\n", ask("ACL SETUSER carol on"))
	require.Equal(t, "+OK\r\n", ask("ACL SAVE"))
	saved, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Join(p.userLines(), "\n")+"\n", string(saved))
	require.Contains(t, string(saved), "user carol on ")

	require.Equal(t, ":2\r\n", ask("ACL DELUSER carol bob"))
	require.Equal(t, "+OK\r\n", ask("ACL LOAD"))
	require.Len(t, p.userLines(), 4)
	require.Equal(t, path, p.Engine.Params.Named("aclfile").Get())
}

// TestLoadingUsersEndsTheirSessions keeps the sessions of the default user.
func TestLoadingUsersEndsTheirSessions(t *testing.T) {
	p, err := buildWith(t, "", "--aclfile", write(t, "users.acl", "user alice on >secret ~* +@all\n"))
	require.NoError(t, err)
	anybody, alice := p.asks(t), p.Engine.NewSession(nil)
	require.Equal(t, "+OK\r\n",
		string(p.Engine.Do(alice, [][][]byte{{[]byte("AUTH"), []byte("alice"), []byte("secret")}}).Out))
	require.Equal(t, "+OK\r\n", anybody("ACL LOAD"))
	require.True(t, p.Engine.Collect(alice).Closing)
	require.Equal(t, "+PONG\r\n", anybody("PING"))
}

// TestUsersThatAreWrong leaves those that are there, and says all that is wrong as redis-server
// does.
func TestUsersThatAreWrong(t *testing.T) {
	path := write(t, "users.acl", "user alice on >secret ~* +@all\n")
	p, err := buildWith(t, "", "--aclfile", path)
	require.NoError(t, err)
	before, ask := p.userLines(), p.asks(t)
	wrong := "user default on nopass ~* &* +@all\nuser alice on >secret ~cache:* +@foo\nuseer x\n" +
		"user alice on\nuser\n" +
		"user bob off blah\nuser carl blah\nuser dora (+get\n"
	require.NoError(t, os.WriteFile(path, []byte(wrong), 0o644))
	told := path + ":2: Error in applying operation '+@foo': Unknown command or category name in ACL. " +
		path + ":3 should start with user keyword followed by the username. WARNING: Duplicate user 'alice' found on " +
		"line 4. " + path + ":5 should start with user keyword followed by the username. " + path +
		":6: Syntax error. " + path + ":8: Unmatched parenthesis in selector definition." +
		"WARNING: ACL errors detected, no change to the previously active ACL rules was performed"
	require.Equal(t, "-ERR "+told+"\r\n", ask("ACL LOAD"))
	require.Equal(t, before, p.userLines())
	_, err = buildWith(t, "", "--aclfile", path)
	require.ErrorContains(t, err, told)

	require.NoError(t, os.Remove(path))
	require.Equal(t, "-ERR Error loading ACLs, opening file '"+path+"': No such file or directory\r\n", ask("ACL LOAD"))
	require.NoError(t, os.Remove(filepath.Dir(path)))
	require.Contains(t, ask("ACL SAVE"), "-ERR There was an error trying to save the ACLs.")
}

func TestUsersInTheConfiguration(t *testing.T) {
	file := write(t, "redis.conf", "user alice on >secret ~* +@all (~x +get)\nmaxmemory 1mb\nUSER default off\n")
	p, err := buildWith(t, "", file)
	require.NoError(t, err)
	want := []string{"user alice on sanitize-payload " + hashOfSecret +
		" ~* resetchannels +@all (~x resetchannels -@all +get)",
		"user default off sanitize-payload resetchannels -@all"}
	require.Equal(t, want, p.userLines())
	ask := p.asks(t)
	require.Contains(t, ask("PING"), "-NOAUTH")
	require.Equal(t, "+OK\r\n", ask("AUTH alice secret"))
	require.Contains(t, ask("ACL LOAD"), "not configured to use an ACL file.")
	require.Equal(t, "+OK\r\n", ask("ACL SETUSER bob on"))
	require.Equal(t, "+OK\r\n", ask("CONFIG REWRITE"))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.Join(p.userLines(), "\n")+"\nmaxmemory 1048576\n", string(text))

	again, err := buildWith(t, "", file)
	require.NoError(t, err)
	require.Equal(t, p.userLines(), again.userLines())
}

func TestUsersInTheConfigurationThatAreWrong(t *testing.T) {
	for line, want := range map[string]string{
		"user":             "Bad directive or wrong number of arguments",
		`user "a b" on`:    "Error in user declaration 'a b': Spaces not allowed in ACL usernames",
		"user alice +@foo": "Error in user declaration 'alice': Unknown command or category name in ACL",
		"user alice (~x":   "Error in user declaration 'alice': Unknown command or category name in ACL",
		"user alice on\nuser alice off": "Error in user declaration 'alice': Duplicate user found. " +
			"A user can only be defined once in config files",
		"user alice on\naclfile /tmp/no": "only one of them may declare users",
	} {
		_, err := buildWith(t, "", write(t, "redis.conf", line+"\n"))
		require.ErrorContains(t, err, want, line)
	}
}

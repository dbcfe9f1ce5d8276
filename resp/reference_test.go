package resp_test

import (
	"bufio"
	"errors"
	"math"
	"math/rand/v2"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// pipe sends commands in one batch and returns their replies.
func pipe(t *testing.T, conn net.Conn, commands ...[]string) []resp.Value {
	t.Helper()
	w := resp.NewWriter(2)
	for _, args := range commands {
		w.Array(len(args))
		for _, arg := range args {
			w.BulkString(arg)
		}
	}
	go conn.Write(w.Bytes())
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*time.Minute)))
	reader := resp.NewReader(conn)
	replies := make([]resp.Value, len(commands))
	for i := range replies {
		var err error
		replies[i], err = reader.Read()
		require.NoError(t, err)
	}
	return replies
}

// randomNumber returns text that is a number, nearly one, or at the edge of a range.
func randomNumber(r *rand.Rand) string {
	const pieces = "0123456789.+-eExXpP_ infaN"
	switch r.IntN(8) {
	case 0:
		var text strings.Builder
		for range r.IntN(8) {
			text.WriteByte(pieces[r.IntN(len(pieces))])
		}
		return text.String()
	case 1:
		return strconv.FormatInt(int64(r.Uint64())>>r.IntN(64), 10)
	case 2:
		return strconv.FormatFloat(math.Float64frombits(r.Uint64()), 'g', r.IntN(20), 64)
	case 3:
		return strconv.FormatFloat(r.NormFloat64(), 'x', r.IntN(14), 64)
	case 4:
		edges := []string{"inf", "-Infinity", "nan", "9223372036854775807", "-9223372036854775808",
			"9223372036854775808", "1e308", "1.8e308", "4e-324", "2e-324", "-0", "0x1p-1074", "0x.1",
			"1e4932", "2e-4951"}
		return edges[r.IntN(len(edges))]
	case 5:
		return strconv.FormatFloat(r.NormFloat64()*100, 'f', r.IntN(22), 64)
	case 6:
		return strconv.FormatUint(r.Uint64(), 10) + "." + strconv.FormatUint(r.Uint64(), 10)
	}
	return strconv.FormatFloat(r.NormFloat64(), 'e', r.IntN(6), 64) + strconv.Itoa(r.IntN(10))
}

const numberRounds = 3000

func TestScoresAgainstRedis(t *testing.T) {
	for release, format := range map[reference.Release]func([]byte, float64) []byte{
		reference.Redis70: resp.Format17, reference.Default: resp.FormatDouble,
	} {
		t.Run(string(release), func(t *testing.T) {
			compareScores(t, release.Start(t, "--zset-max-listpack-entries", "0").Dial(t), format)
		})
	}
}

func compareScores(t *testing.T, conn net.Conn, format func([]byte, float64) []byte) {
	r := rand.New(rand.NewPCG(7, 8))
	var texts []string
	var commands [][]string
	for range numberRounds {
		text := randomNumber(r)
		texts = append(texts, text)
		commands = append(commands, []string{"DEL", "z"}, []string{"ZADD", "z", text, "m"},
			[]string{"ZSCORE", "z", "m"})
	}
	replies := pipe(t, conn, commands...)
	for i, text := range texts {
		added, score := replies[3*i+1], replies[3*i+2]
		f, ok := resp.ParseFloat([]byte(text))
		require.Equal(t, !added.IsError(), ok && !math.IsNaN(f), "%q: %s", text, added)
		if !added.IsError() {
			require.Equal(t, score.Text, string(format(nil, f)), "%q", text)
		}
	}
}

func TestLongDoublesAgainstRedis(t *testing.T) {
	conn := reference.Start(t).Dial(t)
	r := rand.New(rand.NewPCG(9, 10))
	var texts [][2]string
	var commands [][]string
	for range numberRounds {
		pair := [2]string{randomNumber(r), randomNumber(r)}
		texts = append(texts, pair)
		commands = append(commands, []string{"SET", "k", pair[0]}, []string{"INCRBYFLOAT", "k", pair[1]})
	}
	replies := pipe(t, conn, commands...)
	for i, pair := range texts {
		reply := replies[2*i+1]
		x, okX := resp.ParseLongDouble([]byte(pair[0]))
		y, okY := resp.ParseLongDouble([]byte(pair[1]))
		sum := x.Add(y)
		switch {
		case !okX || !okY:
			require.Equal(t, "ERR value is not a valid float", reply.Text, "%q", pair)
		case !sum.IsFinite():
			require.Equal(t, "ERR increment would produce NaN or Infinity", reply.Text, "%q", pair)
		default:
			require.Equal(t, reply.Text, string(sum.AppendHuman(nil)), "%q", pair)
		}
	}
}

func TestIntegersAgainstRedis(t *testing.T) {
	conn := reference.Start(t).Dial(t)
	r := rand.New(rand.NewPCG(11, 12))
	var texts []string
	var commands [][]string
	for range numberRounds {
		text := randomNumber(r)
		texts = append(texts, text)
		commands = append(commands, []string{"SET", "k", "0"}, []string{"INCRBY", "k", text})
	}
	replies := pipe(t, conn, commands...)
	for i, text := range texts {
		n, ok := resp.ParseInt([]byte(text))
		require.Equal(t, replies[2*i+1].Kind == resp.Integer, ok, "%q", text)
		require.Equal(t, replies[2*i+1].Int, n, "%q", text)
	}
}

// randomReply writes a reply of a kind that redis-cli 7.0 can show.
func randomReply(r *rand.Rand, w *resp.Writer, depth int) {
	kinds := 15
	if depth == 0 {
		kinds = 9
	}
	n := r.IntN(4)
	if r.IntN(10) == 0 {
		n = 9 + r.IntN(4)
	}
	switch r.IntN(kinds) {
	case 0:
		w.Status("status text")
	case 1:
		w.Error(errors.New("ERR of some kind"))
	case 2:
		w.Int(int64(r.Uint64()))
	case 3:
		text := make([]byte, r.IntN(9))
		for i := range text {
			text[i] = byte(r.Uint32())
		}
		w.Bulk(text)
	case 4:
		w.Null()
	case 5:
		w.Double(r.NormFloat64())
	case 6:
		w.Bool(r.IntN(2) == 0)
	case 7:
		w.Verbatim("txt", []byte("two\nlines"))
	case 8:
		w.Raw([]byte("$-1\r\n"))
	case 9, 10:
		w.Array(n)
	case 11, 12:
		w.Map(n)
		n *= 2
	case 13:
		w.Set(n)
	case 14:
		w.Push(n)
	}
	if last := w.Bytes(); isAggregateHeader(last) {
		for range n {
			randomReply(r, w, depth-1)
		}
	}
}

// isAggregateHeader reports whether b ends in the header of an aggregate.
func isAggregateHeader(b []byte) bool {
	line := b[:len(b)-2]
	for i := len(line) - 1; i >= 0 && len(line)-i <= 4; i-- {
		switch line[i] {
		case '*', '%', '~', '>':
			return i == 0 || line[i-1] == '\n'
		}
	}
	return false
}

// TestPrintingAgainstRedisCli has redis-cli show random replies of a fake server, both ways.
func TestPrintingAgainstRedisCli(t *testing.T) {
	cli := reference.Require(t, "redis-cli")
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	replies := make(chan []byte, 1)
	go answerEach(listener, replies)

	r := rand.New(rand.NewPCG(13, 14))
	for range 60 {
		w := resp.NewWriter(3)
		w.Array(3)
		for range 3 {
			randomReply(r, w, 3)
		}
		value, err := resp.NewReader(strings.NewReader(string(w.Bytes()))).Read()
		require.NoError(t, err)
		for flag, ours := range map[string]string{"--no-raw": value.String(), "--raw": value.Raw()} {
			replies <- w.Bytes()
			shown, err := exec.Command(cli, "-s", socket, flag, "X").Output()
			require.NoError(t, err)
			require.Equal(t, string(shown), ours+"\n", "%q", w.Bytes())
		}
	}
}

// answerEach gives each connection one of the replies.
func answerEach(listener net.Listener, replies <-chan []byte) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		bufio.NewReader(conn).ReadByte()
		conn.Write(<-replies)
		conn.Close()
	}
}

package serve

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// hanging is a file that is written only when it may.
type hanging struct {
	may     chan struct{}
	written bytes.Buffer
}

func (h *hanging) Write(b []byte) (int, error) {
	<-h.may
	return h.written.Write(b)
}

// TestLogsThatHangStopNobody: who writes to a log that hangs goes on, and the lines are there when
// it works again, up to a limit.
func TestLogsThatHangStopNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hanging{may: make(chan struct{})}
		w := &logWriter{to: h}
		begin := time.Now()
		line := strings.Repeat("x", 1000)
		var want strings.Builder
		lost := 0
		for i := range 2000 {
			n, err := fmt.Fprintf(w, "%d %s\n", i, line)
			if err == nil {
				fmt.Fprintf(&want, "%d %s\n", i, line)
				require.Positive(t, n)
				continue
			}
			require.ErrorIs(t, err, errLogHangs)
			lost++
		}
		require.Equal(t, logPatience, time.Since(begin), "only the first one waits")
		require.InDelta(t, 2000-maxLogBytes/len(line), lost, 10)
		w.flush()
		close(h.may)
		synctest.Wait()
		require.Equal(t, want.String(), h.written.String())
		_, err := w.Write([]byte("again\n"))
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(h.written.String(), "again\n"), "it is there at once")
	})
}

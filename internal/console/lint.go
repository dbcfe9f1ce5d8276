package console

import (
	"net/http"
	"sync"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// knowing is an engine that knows the commands of all releases, for the linter.
var knowing = sync.OnceValue(func() *engine.Engine {
	return assembly.New(assembly.Options{Disk: new(disk.Memory), TestKit: true}).Engine
})

// maxSource bounds a script that is to be checked.
const maxSource = 256 << 10

// lintScript is POST /api/lint: it returns what the linter finds in a script, for the release of
// the server.
func (c *Console) lintScript(w http.ResponseWriter, r *http.Request, _ *page) {
	var o struct{ Source string }
	if !read(w, r, maxSource, &o) {
		return
	}
	findings := lint.New(knowing(), c.engine.Release).Lint(o.Source)
	if findings == nil {
		findings = []lint.Finding{}
	}
	answer(w, map[string]any{"findings": findings})
}

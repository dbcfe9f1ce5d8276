package console

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/miniserver-go/miniserver/examples"
)

//go:generate editor/build

// files are what the browser loads. They are in the program, so it works without a network.
//
//go:embed web/*.html web/*.js web/*.css web/*.svg web/*.json web/pages web/vendor
var files embed.FS

// kinds are the content types of the files, by their extensions. Files of other kinds are not sent.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
	".lua": "text/plain; charset=utf-8"}

// file is GET of anything else: files of the page, and the example scripts.
func (c *Console) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	if name == "" {
		name = "index.html"
	}
	kind := kinds[path.Ext(name)]
	if name == exampleList {
		answer(w, exampleNames())
		return
	}
	from, at := files, "web/"+name
	if script, ok := strings.CutPrefix(name, "examples/"); ok {
		from, at = examples.Scripts, script
	}
	content, err := fs.ReadFile(from, at) // it refuses names that are not clean
	if err != nil || kind == "" || strings.Contains(name, "..") {
		refuse(w, http.StatusNotFound, "there is no such file")
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(content)
}

// exampleList is where the names of the example scripts are.
const exampleList = "examples/list.json"

func exampleNames() (names []string) {
	entries, _ := fs.ReadDir(examples.Scripts, ".") // of embedded files it never fails
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".lua"))
	}
	return names
}

package transcript

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFile bounds the size of a transcript, and of a script that it names.
const maxFile = 16 << 20

// readScript returns the text of a regular file.
func readScript(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is not a file of up to %d MB", path, maxFile>>20)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// scriptUse is how a command uses the text of a script.
type scriptUse int

const (
	scriptNone scriptUse = iota
	scriptText           // the script itself
	scriptHash           // its SHA1
)

// uses returns for each argument of a command whether it may be @path, and what that stands for.
func uses(args []string) []scriptUse {
	list := make([]scriptUse, len(args))
	at, use := 1, scriptText
	switch strings.ToUpper(args[0]) {
	case "EVAL", "EVAL_RO":
	case "EVALSHA", "EVALSHA_RO":
		use = scriptHash
	case "SCRIPT":
		if at = 2; len(args) > 1 && !strings.EqualFold(args[1], "LOAD") {
			use = scriptHash
		}
	case "FUNCTION":
		at = 2
	default:
		return list
	}
	for i := at; i < len(args); i++ {
		list[i] = use
		if at == 1 {
			break // keys and arguments follow
		}
	}
	return list
}

// readScripts reads the scripts that a command names.
func (p *parser) readScripts(args []string) error {
	for i, use := range uses(args) {
		path, named := strings.CutPrefix(args[i], "@")
		if use == scriptNone || !named || p.file.scripts[path] != "" {
			continue
		}
		text, err := p.read(path)
		if err != nil {
			return p.fail("cannot read the script: %v", err)
		}
		p.file.scripts[path] = text
	}
	return nil
}

// resolve returns a command with the scripts in place of their paths.
func (f *File) resolve(args []string) []string {
	resolved := args
	for i, use := range uses(args) {
		path, named := strings.CutPrefix(args[i], "@")
		text, read := f.scripts[path]
		if use == scriptNone || !named || !read {
			continue
		}
		if use == scriptHash {
			sum := sha1.Sum([]byte(text))
			text = hex.EncodeToString(sum[:])
		}
		if &resolved[0] == &args[0] {
			resolved = slices.Clone(args)
		}
		resolved[i] = text
	}
	return resolved
}

// Scripts returns the texts of the scripts that the file names by @path. The keys are the paths,
// from the current directory.
func (f *File) Scripts() map[string]string {
	scripts := make(map[string]string, len(f.scripts))
	for path, text := range maps.All(f.scripts) {
		scripts[filepath.Join(filepath.Dir(f.Name), path)] = text
	}
	return scripts
}

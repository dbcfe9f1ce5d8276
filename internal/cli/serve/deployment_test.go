package serve

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestDeploymentsHaveSettingsThatExist builds the servers of the files for Compose and Kubernetes.
func TestDeploymentsHaveSettingsThatExist(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for file, servers := range map[string]int{"compose/single.yaml": 1, "compose/sentinel.yaml": 2, "compose/group.yaml": 3, "kubernetes.yaml": 1} {
		commands := containers(t, filepath.Join(root, "packaging", file))
		require.Len(t, commands, servers, file)
		for _, args := range commands {
			_, err := build(t, "", args...)
			require.NoError(t, err, "%s: %s", file, strings.Join(args, " "))
		}
	}
}

// containers returns the arguments of each container in a file that runs our image.
func containers(t *testing.T, path string) (commands [][]string) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for d := yaml.NewDecoder(f); ; {
		var document any
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return commands
		}
		require.NoError(t, err, path)
		visit(document, func(m map[string]any) {
			if m["image"] == "miniserver/miniserver" {
				for _, key := range []string{"command", "args"} {
					if words, has := m[key].([]any); has {
						commands = append(commands, texts(words))
					}
				}
			}
		})
	}
}

// visit calls a function with each map in a document.
func visit(node any, call func(m map[string]any)) {
	switch n := node.(type) {
	case []any:
		for _, item := range n {
			visit(item, call)
		}
	case map[string]any:
		call(n)
		for _, item := range n {
			visit(item, call)
		}
	}
}

func texts(words []any) (list []string) {
	for _, w := range words {
		list = append(list, w.(string))
	}
	return list
}

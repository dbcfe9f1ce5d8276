package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeploymentsHaveSettingsThatExist builds the servers of the files for Compose and Kubernetes.
func TestDeploymentsHaveSettingsThatExist(t *testing.T) {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	for file, servers := range map[string]int{"compose/single.yaml": 1, "compose/sentinel.yaml": 2,
		"compose/group.yaml": 3, "kubernetes.yaml": 1} {
		text, err := os.ReadFile(filepath.Join(root, "packaging", file))
		require.NoError(t, err)
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			require.YAMLEq(t, document, document, "%s is no YAML", file)
		}
		commands := containers(t, text)
		require.Len(t, commands, servers, file)
		for _, args := range commands {
			_, err := buildWith(t, "", args...)
			require.NoError(t, err, "%s: %s", file, strings.Join(args, " "))
		}
	}
}

// commandLine matches the arguments of a server, each of which stands on one line, as JSON.
var commandLine = regexp.MustCompile(`(?m)^ +(?:command|args): (\[.*\])$`)

// containers returns the arguments of each container in a file that runs our image.
func containers(t *testing.T, file []byte) (commands [][]string) {
	for _, found := range commandLine.FindAllSubmatch(file, -1) {
		var args []string
		require.NoError(t, json.Unmarshal(found[1], &args))
		commands = append(commands, args)
	}
	return commands
}

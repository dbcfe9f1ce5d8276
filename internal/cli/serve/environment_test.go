package serve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOptionsOfTheEnvironmentComeFirst(t *testing.T) {
	t.Setenv(OptionsVariable, `--maxmemory 1mb --maxclients 50 --requirepass "two words" --port 7000`)
	file := write(t, "redis.conf", "maxclients 60\nport 7001\n")
	conf, err := readConfig([]string{file, "--port", "7002"}, strings.NewReader(""), nil)
	require.NoError(t, err)
	require.NoError(t, conf.addEnvironment())
	p, err := newProgram(conf, &strings.Builder{}, false)
	require.NoError(t, err)
	t.Cleanup(p.close)
	for name, want := range map[string]string{"maxmemory": "1048576", "maxclients": "60", "requirepass": "two words",
		"port": "7002"} {
		require.Equal(t, want, p.Engine.Params.Named(name).Get(), name)
	}

	t.Setenv(OptionsVariable, `--requirepass "two words`)
	require.EqualError(t, conf.addEnvironment(), "MINISERVER_OPTIONS: unbalanced quotes")
}

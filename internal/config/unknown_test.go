package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestUnknown(t *testing.T) {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	for name, want := range map[string]string{
		"maxmemroy":     "unknown setting 'maxmemroy'; did you mean 'maxmemory'?",
		"incldue":       "unknown setting 'incldue'; did you mean 'include'?",
		"password":      "unknown setting 'password'; did you mean 'requirepass'?",
		"maxmemory=1mb": "unknown setting 'maxmemory=1mb'; did you mean 'maxmemory 1mb'?",
		"zzz":           "unknown setting 'zzz'; 'miniserver help settings' lists all",
		"loadmodule":    "miniserver does not support the setting 'loadmodule': there are no loadable modules",
	} {
		require.EqualError(t, e.Params.Unknown(name, "include"), want)
	}
	for name := range config.Unsupported {
		require.Nil(t, e.Params.Named(name), "%s is supported", name)
	}
	for name := range config.Elsewhere {
		require.Nil(t, e.Params.Named(name), "%s is a setting", name)
	}
}

package release

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatReleasesHave(t *testing.T) {
	all := strings.Fields("redis:6.2 redis:7.0 redis:7.2 redis:7.4 redis:8.0 redis:8.2 redis:8.4 redis:8.6 redis:8.8 " +
		"redis:8.10 valkey:8.1 valkey:9.0 valkey:9.1 redis-stack:7.4")
	for since, want := range map[string][]string{
		"1.0.0":                   all,
		"7.0.0":                   all[1:],
		"7.2":                     all[2:],
		"7.4.0":                   append(all[3:10:10], "redis-stack:7.4"),
		"8.0.0 valkey:8.0.0":      all[4:13],
		"8.2.0 valkey:8.1.0":      all[5:13],
		"valkey:8.1.0":            all[10:13],
		"8.2.0":                   all[5:10],
		"8.6.2":                   all[7:10],
		"8.0.0 redis-stack:7.4.0": append(all[4:10:10], "redis-stack:7.4"),
		"redis-stack:7.4.0":       {"redis-stack:7.4"},
		"redis-stack:7.5.0":       nil,
		"8.10.0":                  {"redis:8.10"},
		"8.12.0":                  nil,
		"valkey:9.0.0":            all[11:13],
		"bloom:1.0.0":             all,
	} {
		var got []string
		for _, r := range Known {
			require.Equal(t, r.Has(From(since)), r.Offers(From(since)))
			if r.Has(From(since)) {
				got = append(got, r.Name)
			}
		}
		require.Equal(t, want, got, since)
		require.True(t, Default.Offers(From(since)), since)
	}
	require.False(t, Default.Has(From("8.8.0")))
	require.False(t, Known[0].Extends(From("keydb:6.0.0")))
	require.True(t, Known[0].Extends(From("6.2.0")))
	require.True(t, Default.Extends(From("keydb:6.0.0")))
}

func TestSinceByProduct(t *testing.T) {
	redis, valkey := Known[0], Known[10]
	for text, want := range map[string][2]string{
		"6.2.0":              {"6.2.0", "6.2.0"},
		"8.2.0 valkey:8.0.0": {"8.2.0", "8.0.0"},
		"valkey:8.1.0":       {"8.1.0", "8.1.0"},
		"bloom:1.0.0":        {"1.0.0", "1.0.0"},

		"8.0.0 redis-stack:7.4.0": {"8.0.0", "8.0.0"},
	} {
		require.Equal(t, want, [2]string{From(text).In(&redis), From(text).In(&valkey)}, text)
	}
}

// TestRedisStack: a Redis that says that it is one, and has more.
func TestRedisStack(t *testing.T) {
	r, err := Find("redis-stack:7.4")
	require.NoError(t, err)
	require.Equal(t, []string{"Redis Stack 7.4.1", "redis", "7.4.1"}, []string{r.String(), r.Product, r.Redis})
	require.True(t, r.Is("redis-stack") && r.Is("redis") && !r.Is("valkey") && !Known[3].Is("redis-stack"))
	require.Equal(t, "7.4.0", From("8.0.0 redis-stack:7.4.0").In(r))
	require.Equal(t, "6.2.0", From("6.2.0").In(r))
	require.True(t, Exactly("redis-stack", "7.4.2").Has(From("8.0.0 redis-stack:7.4.0")))
}

func TestFind(t *testing.T) {
	r, err := Find("Redis:7.2")
	require.NoError(t, err)
	require.Equal(t, 0x070205, Number(r.Version))
	require.Equal(t, []string{"7.2.5", "7.2.4"}, []string{r.Redis, Known[10].Redis})
	_, err = Find("redis:5.0")
	require.EqualError(t, err, `unknown release "redis:5.0"; it must be one of the following: redis:6.2, redis:7.0, redis:7.2, redis:7.4, redis:8.0, redis:8.2, redis:8.4, redis:8.6, redis:8.8, redis:8.10, valkey:8.1, valkey:9.0, valkey:9.1, redis-stack:7.4, default`)
	require.Panics(t, func() { From("7.x") })
}

func TestWhichProductHasIt(t *testing.T) {
	require.True(t, From("8.2.0 valkey:8.1.0").InRedis())
	require.False(t, From("valkey:8.1.0").InRedis())
	for _, r := range Known {
		require.Equal(t, r.Product == "redis", r.Has(From(NoValkey)), r.Name)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string][2]string{
		"7.0": {"Redis 7.0.15", "7.0.15"}, "redis:7.0": {"Redis 7.0.15", "7.0.15"},
		"5.0": {"Redis 5.0", "5.0.99"}, "4.0.9": {"Redis 4.0.9", "4.0.9"},
		"Valkey:8.1": {"Valkey 8.1.1", "8.1.1"}, "valkey:7.2": {"Valkey 7.2", "7.2.99"},
	} {
		r, err := Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want[0], r.String())
		require.Equal(t, parseVersion(want[1]), r.number)
	}
	for _, text := range []string{"", "7", "7.x", "7.0.0.1", "redis:", "dragonfly:1.0", "7.100", ":7.0"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

// TestTold: what another server says of itself is any text.
func TestTold(t *testing.T) {
	for _, text := range []string{"", ".", "8.", "8..1", "8. .2", "-1.0", "+8.0", "1.2.3.4", "256.0.0", "9.0.0-rc1",
		"99999999999999999999", "\x00"} {
		require.Nil(t, Told("valkey", text), text)
	}
	for _, text := range []string{"8", "8.1", "9.1.2", "255.255.255", "0.0.0"} {
		require.Equal(t, text, Told("valkey", text).Version)
	}
	require.Greater(t, Told("valkey", "255.255.255").number, Told("valkey", "9.99.100").number)
}

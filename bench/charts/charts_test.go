package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sample() Chart {
	return Chart{Name: "sample", Title: "A sample", X: Axis{"elements", Count, true}, Y: Axis{"memory", Bytes, true},
		Lines: []Line{{Name: "one", X: []float64{1, 10, 100}, Y: []float64{50, 300, 9000}},
			{Name: "two", X: []float64{1, 100}, Y: []float64{70, 2e6}, Dashed: true}},
		Marks: []Mark{{10, "threshold"}}}
}

func TestSVGIsADocumentWithItsTexts(t *testing.T) {
	bars := Chart{Name: "bars", Title: "Bars", Y: Axis{"memory", Bytes, false}, Bars: []string{"here", "there"},
		Groups: []Group{{"small", []float64{1, 2}}, {"large", []float64{3, 4000}}}}
	for _, c := range []Chart{sample(), bars} {
		for _, theme := range []Theme{Light, Dark} {
			text, err := c.SVG(theme)
			require.NoError(t, err)
			for d := xml.NewDecoder(bytes.NewReader(text)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else {
					require.NoError(t, err)
				}
			}
			require.Contains(t, string(text), c.Title)
		}
	}
	text, err := sample().SVG(Light)
	require.NoError(t, err)
	for _, want := range []string{"one", "two", "threshold", "elements", "memory", "1 kB", "1 MB", ">10<"} {
		require.True(t, strings.Contains(string(text), want), want)
	}
}

func TestPNGIsAnImage(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, sample().PNG(&out, Dark))
	img, err := png.Decode(&out)
	require.NoError(t, err)
	require.Greater(t, img.Bounds().Dx(), 1000)
}

func TestEmptyLinesAreRefused(t *testing.T) {
	_, err := Chart{Lines: []Line{{Name: "nothing"}}}.SVG(Light)
	require.ErrorContains(t, err, "nothing")
}

func TestLabels(t *testing.T) {
	for v, want := range map[float64]string{1: "1 B", 500: "500 B", 1000: "1 kB", 2.5e6: "2.5 MB"} {
		require.Equal(t, want, ticks{unit: Bytes}.label(v))
	}
	require.Equal(t, "20 µs", ticks{unit: Nanoseconds}.label(20_000))
	require.Equal(t, 5.0, roundStep(3))
	require.Equal(t, 10.0, roundStep(7))
}

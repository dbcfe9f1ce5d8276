package charts

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// ticks marks an axis at round numbers.
type ticks struct {
	unit Unit
	log  bool
}

// Ticks implements plot.Ticker.
func (t ticks) Ticks(low, high float64) []plot.Tick {
	if t.log {
		return t.powers(low, high)
	}
	step := roundStep((high - low) / 6)
	var list []plot.Tick
	for v := math.Ceil(low/step) * step; v <= high*1.0001; v += step {
		list = append(list, plot.Tick{Value: v, Label: t.label(v)})
	}
	return list
}

// powers marks the powers of ten with labels, on a short axis also twice and five times those, and
// what is between without.
func (t ticks) powers(low, high float64) (list []plot.Tick) {
	decades := math.Log10(high / low)
	for p := math.Pow(10, math.Floor(math.Log10(low))); p <= high; p *= 10 {
		for m := 1.0; m < 10; m++ {
			v := p * m
			if v < low*0.999 || v > high*1.001 {
				continue
			}
			tick := plot.Tick{Value: v}
			if m == 1 || decades < 2.5 && (m == 2 || m == 5) {
				tick.Label = t.label(v)
			}
			list = append(list, tick)
		}
	}
	return list
}

// roundStep returns 1, 2 or 5 times a power of ten, at least x.
func roundStep(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*0.999 {
			return m * p
		}
	}
	return 10 * p
}

// label shows a value with its unit.
func (t ticks) label(v float64) string {
	switch t.unit {
	case Bytes:
		return scaled(v, []string{" B", " kB", " MB", " GB"})
	case Nanoseconds:
		return scaled(v, []string{" ns", " µs", " ms", " s"})
	}
	return scaled(v, []string{"", "k", "M", "G"})
}

func scaled(v float64, units []string) string {
	i := 0
	for v >= 999.5 && i < len(units)-1 {
		v, i = v/1000, i+1
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) + units[i]
}

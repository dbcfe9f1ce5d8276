package hll

import (
	"encoding/binary"
	"fmt"
	"math"
)

// SelfTest adds a million elements to a dense sketch and to one that begins sparse. It returns an
// error if their registers differ or their estimates are off.
func SelfTest() error {
	d, err := New().ToDense()
	if err != nil {
		return err
	}
	s := New()
	var element [8]byte
	for n, next := 1, 1; n <= 1e6; n++ {
		binary.LittleEndian.PutUint64(element[:], hash(element[:]))
		if s, _, err = s.Add(element[:], DenseSize); err != nil {
			return err
		}
		if d, _, err = d.Add(element[:], 0); err != nil {
			return err
		}
		if n == next {
			next *= 10
			if err := agree(s, d, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// agree returns an error unless two sketches of the same n elements have the same registers, and
// estimate n within six standard errors.
func agree(s, d Sketch, n int) error {
	var rs, rd Registers
	for _, x := range []struct {
		sketch    Sketch
		registers *Registers
	}{{s, &rs}, {d, &rd}} {
		if err := x.sketch.Check(); err != nil {
			return err
		}
		if err := x.registers.Merge(x.sketch); err != nil {
			return err
		}
		estimate, err := x.sketch.Count()
		if err != nil {
			return err
		}
		if most := math.Ceil(6 * 1.04 / math.Sqrt(count) * float64(n)); math.Abs(float64(estimate)-float64(n)) > most {
			return fmt.Errorf("hll: %d elements are estimated as %d", n, estimate)
		}
		if again := x.registers.Count(); again != estimate {
			return fmt.Errorf("hll: %d from the registers, %d from the sketch", again, estimate)
		}
	}
	if rs != rd {
		return fmt.Errorf("hll: the sparse and the dense sketch of %d elements differ", n)
	}
	return nil
}

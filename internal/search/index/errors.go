package index

import "fmt"

func errNoMissing(field string) error {
	return fmt.Errorf("'ismissing' requires field '%s' to be defined with 'INDEXMISSING'", field)
}

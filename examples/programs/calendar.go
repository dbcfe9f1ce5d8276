package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// calendar records the days of a year on which a user came: one bit for each day, 46 bytes for the
// year.
type calendar struct {
	db  *redis.Client
	key string
}

// sign records a day and reports whether it was recorded before.
func (c calendar) sign(ctx context.Context, day time.Time) (again bool, err error) {
	was, err := c.db.SetBit(ctx, c.key, int64(day.YearDay()-1), 1).Result()
	return was == 1, err
}

// count returns the number of recorded days.
func (c calendar) count(ctx context.Context) (int64, error) {
	return c.db.BitCount(ctx, c.key, nil).Result()
}

// first returns the first recorded day of the year; false if there is none.
func (c calendar) first(ctx context.Context, year int) (time.Time, bool, error) {
	bit, err := c.db.BitPos(ctx, c.key, 1).Result()
	return date(year, time.January, 1+int(bit)), bit >= 0, err
}

// month returns the n days of a month as the lowest n bits of a number; the first of the month is
// the highest of them. It takes one BITFIELD: a field of 28 to 31 bits.
func (c calendar) month(ctx context.Context, year int, month time.Month) (days uint64, n int, err error) {
	n = date(year, month+1, 0).Day()
	from := date(year, month, 1).YearDay() - 1
	values, err := c.db.BitField(ctx, c.key, "GET", fmt.Sprintf("u%d", n), from).Result()
	if err != nil {
		return 0, n, err
	}
	return uint64(values[0]), n, nil
}

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// longest returns the length of the longest run of ones.
func longest(days uint64) (n int) {
	for ; days != 0; n++ {
		days &= days << 1 // shortens each run by one
	}
	return n
}

// calendarScene records visits in February and March.
func calendarScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	const year = 2024
	c := calendar{db, "example:days:alice:2024"}
	for _, day := range []int{3, 4, 7, 26, 27, 28, 29, 30, 31, 33, 29} { // of February, and beyond
		again, err := c.sign(ctx, date(year, time.February, day))
		if err != nil {
			return err
		}
		if again {
			fmt.Fprintf(w, "on %s she was here before\n", date(year, time.February, day).Format("2 January"))
		}
	}
	n, errCount := c.count(ctx)
	first, _, errFirst := c.first(ctx, year)
	size, errSize := c.db.StrLen(ctx, c.key).Result()
	fmt.Fprintf(w, "%d days, the first on %s, in %d bytes\n", n, first.Format("2 January"), size)
	for _, month := range []time.Month{time.February, time.March} {
		days, n, err := c.month(ctx, year, month)
		if err != nil {
			return err
		}
		row := strings.NewReplacer("0", ".", "1", "x").Replace(fmt.Sprintf("%0*b", n, days))
		fmt.Fprintf(w, "%-8s %s  %d days, %d in a row\n", month, row, bits.OnesCount64(days), longest(days))
	}
	return errors.Join(errCount, errFirst, errSize)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/redis/go-redis/v9"
)

// people stores where people are. The places are the scores of a sorted set, so ZREM removes a
// person.
type people struct {
	db  *redis.Client
	key string
}

// arrive stores where a person is, in degrees.
func (p people) arrive(ctx context.Context, name string, lon, lat float64) error {
	return p.db.GeoAdd(ctx, p.key, &redis.GeoLocation{Name: name, Longitude: lon, Latitude: lat}).Err()
}

func (p people) leave(ctx context.Context, name string) error {
	return p.db.ZRem(ctx, p.key, name).Err()
}

// near returns the people within km kilometres of a person, the nearest first, with their
// distances.
func (p people) near(ctx context.Context, name string, km float64, most int) ([]redis.GeoLocation, error) {
	found, err := p.db.GeoSearchLocation(ctx, p.key, &redis.GeoSearchLocationQuery{
		GeoSearchQuery: redis.GeoSearchQuery{Member: name, Radius: km, RadiusUnit: "km", Sort: "ASC", Count: most + 1},
		WithDist:       true,
	}).Result()
	others := found[:0]
	for _, f := range found {
		if f.Name != name {
			others = append(others, f)
		}
	}
	return others, err
}

// nearbyScene is about some offices in Peking.
func nearbyScene(ctx context.Context, db *redis.Client, w io.Writer) error {
	p := people{db, "example:people"}
	err := errors.Join(
		p.arrive(ctx, "juejin", 116.48105, 39.996794),
		p.arrive(ctx, "ireader", 116.514203, 39.905409),
		p.arrive(ctx, "meituan", 116.489033, 40.007669),
		p.arrive(ctx, "jd", 116.562108, 39.787602),
		p.arrive(ctx, "xiaomi", 116.334255, 40.027400))
	if err != nil {
		return err
	}
	tell := func(km float64) error {
		found, err := p.near(ctx, "juejin", km, 3)
		var names []string
		for _, f := range found {
			names = append(names, fmt.Sprintf("%s %.4f km", f.Name, f.Dist))
		}
		fmt.Fprintf(w, "within %g km of juejin: %s\n", km, strings.Join(names, ", "))
		return err
	}
	err = errors.Join(tell(5), tell(20), tell(100), p.leave(ctx, "meituan"), tell(5))
	distance, errDist := db.GeoDist(ctx, p.key, "juejin", "xiaomi", "m").Result()
	hash, errHash := db.GeoHash(ctx, p.key, "juejin").Result()
	fmt.Fprintf(w, "xiaomi is %.4f m from juejin, which is at %v\n", distance, hash)
	return errors.Join(err, errDist, errHash)
}

// Package partsort sorts a part of a list as Redis does for SORT with LIMIT and GEOSEARCH with
// COUNT.
package partsort

// Sort orders list[from:to] as a full sort would, and the rest only as far as that needs. Where
// elements are equal in order they lie as Redis leaves them: it is the quicksort of Bentley and
// McIlroy, "Engineering a Sort Function" (1993), which does not descend into parts outside of the
// range. O(n) and O(k log k) for k elements, on average.
func Sort[T any](list []T, from, to int, compare func(a, b *T) int) {
	for len(list) >= 7 && from < to {
		less, equal := partition(list, compare)
		if less > 1 && from < less {
			Sort(list[:less], from, min(to, less), compare)
		}
		// The greater ones are next.
		greater := less + equal
		if to <= greater || len(list)-greater < 2 {
			return
		}
		list, from, to = list[greater:], max(from-greater, 0), to-greater
	}
	if from < to {
		insertionSort(list, compare)
	}
}

func insertionSort[T any](list []T, compare func(a, b *T) int) {
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && compare(&list[j-1], &list[j]) > 0; j-- {
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
}

// partition moves what is less than some element to the front and what is greater to the end, and
// returns how many are less and how many equal.
//
//	equal | less | not seen yet | greater | equal      while it works
//	      a      b              c         d
func partition[T any](list []T, compare func(a, b *T) int) (less, equal int) {
	swap := func(i, j int) { list[i], list[j] = list[j], list[i] }
	swap(0, pivot(list, compare))
	a, b, c, d := 1, 1, len(list)-1, len(list)-1
	for {
		for ; b <= c; b++ {
			order := compare(&list[b], &list[0])
			if order > 0 {
				break
			}
			if order == 0 {
				swap(a, b)
				a++
			}
		}
		for ; b <= c; c-- {
			order := compare(&list[c], &list[0])
			if order < 0 {
				break
			}
			if order == 0 {
				swap(c, d)
				d--
			}
		}
		if b > c {
			break
		}
		swap(b, c)
		b++
		c--
	}
	less, greater := b-a, d-c
	exchange(list, 0, b, min(a, less))
	exchange(list, b, len(list), min(greater, len(list)-1-d))
	return less, len(list) - less - greater
}

// exchange swaps the n elements from i on with the n before end.
func exchange[T any](list []T, i, end, n int) {
	for j := end - n; j < end; i, j = i+1, j+1 {
		list[i], list[j] = list[j], list[i]
	}
}

// pivot returns the place of the middle one, or the median of three, or of three medians of three.
func pivot[T any](list []T, compare func(a, b *T) int) int {
	first, middle, last := 0, len(list)/2, len(list)-1
	if len(list) == 7 {
		return middle
	}
	median := func(i, j, k int) int {
		ij, jk := compare(&list[i], &list[j]), compare(&list[j], &list[k])
		switch {
		case ij < 0 && jk < 0, ij >= 0 && jk > 0:
			return j
		case (compare(&list[i], &list[k]) < 0) == (ij < 0):
			return k
		}
		return i
	}
	if d := len(list) / 8; len(list) > 40 {
		first = median(first, first+d, first+2*d)
		middle = median(middle-d, middle, middle+d)
		last = median(last-2*d, last-d, last)
	}
	return median(first, middle, last)
}

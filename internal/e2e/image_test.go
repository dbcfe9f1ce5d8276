package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// imageMost is how large the program in the image may be, as a registry sends it: pages promise
// less than 20 MB. Beside it the image has the certificates of the public authorities, an eighth of
// a megabyte.
const imageMost = 20_000_000 - 125_000

// TestImageIsSmall compresses the program, as it is done with a layer of an image.
func TestImageIsSmall(t *testing.T) {
	program, err := os.Open(built(t))
	require.NoError(t, err)
	defer program.Close()
	var layer bytes.Buffer
	w := gzip.NewWriter(&layer)
	_, err = io.Copy(w, program)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Logf("%d bytes", layer.Len())
	require.Less(t, layer.Len(), imageMost)
}

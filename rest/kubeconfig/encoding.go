package kubeconfig

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// toUTF8 returns the text in UTF-8, without a byte order mark. Editors on Windows write UTF-16 and
// mark it as such; without a mark, a zero next to the first character gives it away.
func toUTF8(data []byte) []byte {
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		return rest
	}
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order, data = binary.LittleEndian, data[2:]
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order, data = binary.BigEndian, data[2:]
	case len(data) >= 2 && data[0] != 0 && data[1] == 0:
		order = binary.LittleEndian
	case len(data) >= 2 && data[0] == 0 && data[1] != 0:
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

package extjson

import "time"

// Date reads a point in time as mongod, mongoexport and drivers write it:
// "2026-12-01T00:04:08.621+00:00", "…Z", "…+0000", with or without a fraction. It
// gives milliseconds since 1970.
func Date(s string) (ms int64, ok bool) {
	if len(s) < len("2006-01-02T15:04:05") || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0, false
	}
	var part [6]int
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		if part[i], ok = decimal(s[at[0]:at[1]]); !ok {
			return 0, false
		}
	}
	if part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 24 || part[4] > 59 || part[5] > 60 {
		return 0, false
	}
	seconds := time.Date(part[0], time.Month(part[1]), part[2], part[3], part[4], part[5], 0, time.UTC).Unix()
	s = s[19:]
	if s != "" && (s[0] == '.' || s[0] == ',') {
		digits := 1
		for scale := int64(100); digits < len(s) && s[digits] >= '0' && s[digits] <= '9'; digits++ {
			ms += int64(s[digits]-'0') * scale
			scale /= 10
		}
		s = s[digits:]
	}
	offset, ok := zone(s)
	return (seconds-offset)*1000 + ms, ok
}

// zone reads "Z", "+01:00", "-0500", "+01" and nothing, in seconds.
func zone(s string) (int64, bool) {
	switch {
	case s == "" || s == "Z":
		return 0, true
	case len(s) == 6 && s[3] == ':':
		s = s[:3] + s[4:]
	case len(s) == 3:
		s += "00"
	}
	if len(s) != 5 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hours, ok1 := decimal(s[1:3])
	minutes, ok2 := decimal(s[3:5])
	if !ok1 || !ok2 || hours > 24 || minutes > 59 {
		return 0, false
	}
	seconds := int64(hours*3600 + minutes*60)
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

func decimal(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

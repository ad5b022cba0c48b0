package op

import "mongoadvisor/internal/regex"

// regexSkeleton is a pattern without its literals.
func regexSkeleton(pattern string, lengths bool) string {
	return regex.Skeleton(pattern, lengths)
}

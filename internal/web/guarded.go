package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// guarded ends a request that panics, and names the panic by its kind: its text,
// which net/http would write, may hold what was being worked on.
func guarded(h http.Handler, l *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				l.Error("a request ended by a panic", "panic", fmt.Sprintf("%T", v), "request", r.Pattern, "stack", string(debug.Stack()))
			}
			panic(http.ErrAbortHandler) // the client sees its connection end, and nobody logs
		}()
		h.ServeHTTP(w, r)
	})
}

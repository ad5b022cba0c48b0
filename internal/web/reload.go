package web

import "net/http"

// reload lets the configuration be reloaded by request, where that is switched on. A page
// of another origin that somebody has open in a browser cannot ask for it.
func (s *Server) reload(mux *http.ServeMux) {
	if s.config.Reload == nil {
		return
	}
	origins := http.NewCrossOriginProtection()
	handle := func(w http.ResponseWriter, r *http.Request) {
		if !s.config.Lifecycle {
			http.Error(w, "Reloading by request is switched off; --web.enable-lifecycle switches it on. SIGHUP reloads, too.", http.StatusForbidden)
			return
		}
		if origins.Check(r) != nil {
			http.Error(w, "Not from a page of another origin.", http.StatusForbidden)
			return
		}
		said, err := s.config.Reload()
		if err != nil {
			http.Error(w, "The configuration was not reloaded; the old one stays in force: "+err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("The configuration was " + said + ".\n"))
	}
	mux.HandleFunc("POST /-/reload", handle)
	mux.HandleFunc("PUT /-/reload", handle)
}

// Package web serves what a running process knows: metrics, health, and the
// findings as JSON.
package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	toolkit "github.com/prometheus/exporter-toolkit/web"
)

// Config says what is served.
type Config struct {
	Listen     string // "127.0.0.1:28217"
	ConfigFile string // TLS and authentication, see exporter-toolkit; "" for neither
	Version    string
	Registry   *prometheus.Registry
	// API maps paths below /api/v1/ to what they answer, as JSON.
	API map[string]func() any
	// Reload reloads the configuration and says what is to be said of it; nil: there is
	// no /-/reload. Lifecycle: whoever reaches the endpoint may ask for it.
	Reload    func() (said string, err error)
	Lifecycle bool
	// Logger gets at most one line of a kind in ten seconds.
	Logger *slog.Logger
}

// Server is the web endpoint of a process. It also answers probes on a plain
// listener of its own when the rest needs a password.
type Server struct {
	config   Config
	ready    atomic.Bool
	listener net.Listener
	server   *http.Server
	health   *http.Server
	done     chan error
}

// New makes a server that is not ready yet.
func New(c Config) *Server {
	c.Logger = spare(c.Logger, time.Now)
	return &Server{config: c}
}

// SetReady says whether the process takes traffic. It does not while draining.
func (s *Server) SetReady(ready bool) { s.ready.Store(ready) }

// Addr is the address it listens on, once started.
func (s *Server) Addr() string {
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// Start listens and serves. A wrong configuration file is an error here and
// not at the first request.
func (s *Server) Start() error {
	if err := toolkit.Validate(s.config.ConfigFile); err != nil {
		return fmt.Errorf("web.config.file %s: %w", s.config.ConfigFile, err)
	}
	l, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("web.listen-address %s: %w", s.config.Listen, unnamed(err))
	}
	handler, err := s.handler()
	if err != nil {
		_ = l.Close()
		return err
	}
	s.listener = l
	s.server = s.newServer(handler)
	s.done = make(chan error, 1)
	go s.serve()
	return nil
}

// unnamed is why nothing can be listened on, without the address.
func unnamed(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// newServer says what net/http has to say in our log, where the one it has is
// standard error, without limit.
func (s *Server) newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: guarded(h, s.config.Logger), ErrorLog: slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
	}
}

func (s *Server) serve() {
	socket := false
	flags := &toolkit.FlagConfig{
		WebListenAddresses: &[]string{s.config.Listen}, WebSystemdSocket: &socket, WebConfigFile: &s.config.ConfigFile,
	}
	err := toolkit.Serve(s.listener, s.server, flags, s.config.Logger)
	if !errors.Is(err, http.ErrServerClosed) {
		s.config.Logger.Error("web endpoint ended", "err", err)
	}
	s.done <- err
}

// StartHealth serves only the probes, without TLS and password.
func (s *Server) StartHealth(address string) (net.Addr, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("health.listen-address %s: %w", address, unnamed(err))
	}
	mux := http.NewServeMux()
	s.probes(mux)
	s.health = s.newServer(mux)
	go s.serveHealth(l)
	return l.Addr(), nil
}

func (s *Server) serveHealth(l net.Listener) {
	if err := s.health.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.config.Logger.Error("health listener", "err", err)
	}
}

// Shutdown stops serving; requests under way may finish until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	var errs []error
	for _, srv := range []*http.Server{s.server, s.health} {
		if srv != nil {
			errs = append(errs, srv.Shutdown(ctx))
		}
	}
	if s.done != nil {
		if err := <-s.done; !errors.Is(err, http.ErrServerClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *Server) handler() (http.Handler, error) {
	mux := http.NewServeMux()
	s.probes(mux)
	s.reload(mux)
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.config.Registry, promhttp.HandlerOpts{EnableOpenMetrics: true, Registry: s.config.Registry}))
	links := []toolkit.LandingLinks{{Address: "/metrics", Text: "Metrics"}}
	for name, get := range s.config.API {
		path := "/api/v1/" + name
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, get()) })
	}
	for _, name := range []string{"findings", "coverage", "rules", "status"} {
		if s.config.API[name] != nil {
			links = append(links, toolkit.LandingLinks{Address: "/api/v1/" + name, Text: "API: " + name})
		}
	}
	landing, err := toolkit.NewLandingPage(toolkit.LandingConfig{
		Name: "mongoadvisor", Description: "Watches MongoDB traffic and names the anti-patterns in it.",
		Version: s.config.Version, Links: links, Profiling: "false", // there is none
	})
	if err != nil {
		return nil, fmt.Errorf("landing page: %w", err)
	}
	mux.Handle("GET /{$}", landing)
	return mux, nil
}

// probes answers the paths that probes ask for, under both names they use.
func (s *Server) probes(mux *http.ServeMux) {
	healthy := func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "healthy") }
	ready := func(w http.ResponseWriter, _ *http.Request) {
		if s.ready.Load() {
			writeText(w, http.StatusOK, "ready")
			return
		}
		writeText(w, http.StatusServiceUnavailable, "not ready")
	}
	for path, h := range map[string]http.HandlerFunc{
		"/-/healthy": healthy, "/livez": healthy, "/-/ready": ready, "/readyz": ready,
	} {
		mux.HandleFunc("GET "+path, h)
	}
}

func writeText(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte("mongoadvisor is " + text + ".\n"))
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // the client is gone when this fails
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"mongoadvisor/internal/op"
	"mongoadvisor/internal/session"
	"mongoadvisor/internal/source/live"
	"mongoadvisor/internal/source/pcap"
	"mongoadvisor/internal/store"
)

// usualPorts are captured unless others are named: mongod and mongos, shard servers,
// config servers.
var usualPorts = []uint16{27017, 27018, 27019}

func newCapture() *cobra.Command {
	var c *config
	cmd := &cobra.Command{
		Use:   "capture -i INTERFACE",
		Short: "Advise on traffic that passes a network interface",
		Long: `capture watches the packets of an interface, of this machine's own traffic or of
a mirror port, without being in their way. Each finding is one JSON record on
standard output, as with proxy; metrics, health and API are the same.

It needs the capability CAP_NET_RAW to open the interface, and gives up what
rights it has once that is done. TLS cannot be read: capture behind what ends
it.
On other systems than Linux: tcpdump -w - port 27017 | mongoadvisor analyze -`,
		Example: `  mongoadvisor capture -i eth0
  mongoadvisor capture -i lo --port 27017 --profile staging
  mongoadvisor capture -i eth1 --vxlan 4789       # a mirror that sends tunnels`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.load(cmd); err != nil {
				return err
			}
			ctx, cancel := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer cancel()
			return runCapture(ctx, c, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c = (&kind{func() *config { return defaults(store.Production) }, (*config).capturing}).configure(cmd.Flags())
	return cmd
}

// capturing registers what capture takes.
func (c *config) capturing(f *pflag.FlagSet) {
	f.StringVarP(&c.Interface, "interface", "i", "", "network interface, or any")
	c.captured(f, "default 27017,27018,27019")
	f.Var(&c.Capture.Buffer, "capture.buffer", "memory the kernel puts packets into until they are read")
	f.StringVar(&c.Capture.User, "capture.user", c.Capture.User, "user to become once the interface is open, when started as root; empty to stay")
	f.BoolVar(&c.Capture.Promiscuous, "capture.promiscuous", c.Capture.Promiscuous, "take packets for other machines, too")
	f.StringVar(&c.Format, "format", c.Format, "format of --output: "+formatHelp())
	f.StringVar(&c.Output, "output", "", "file for a report at the end; empty for none")
	c.flags(f)
	c.lifecycle(f)
}

// sniffer is a running capture.
type sniffer struct {
	*service
	handle *live.Handle

	mu      sync.Mutex // of capture and lane
	capture *pcap.Capture
	lane    *pcap.Lane
}

func runCapture(ctx context.Context, c *config, stdout, stderr io.Writer) error {
	if c.Interface == "" {
		return usage("interface: name one with -i, or any")
	}
	chosen := ports(c.Port)
	if len(chosen) == 0 {
		chosen = usualPorts
	}
	tunnels := ports(c.VXLAN)
	if len(tunnels) == 0 {
		tunnels = []uint16{pcap.DefaultVXLAN}
	}
	handle, err := live.Open(live.Config{
		Interface: c.Interface, Ports: chosen, Tunnels: tunnels, Buffer: int(c.Capture.Buffer), Promiscuous: c.Capture.Promiscuous,
	})
	if err != nil {
		return usage("%w", err)
	}
	defer handle.Close()
	user, err := dropPrivileges(c.Capture.User)
	if err != nil {
		return usage("capture.user: %w", err)
	}
	if err := c.writable(); err != nil {
		return fmt.Errorf("%w (as %s; see --capture.user)", err, user)
	}
	out := openOutputs(c, stdout, stderr)
	defer out.close()
	v, err := newService(c, out.logger, nil, out.findings)
	if err != nil {
		return err
	}
	v.logs(out)
	s := &sniffer{service: v, handle: handle}
	s.capture = pcap.New(pcap.Config{Ports: chosen, VXLAN: tunnels, Live: &pcap.Live{
		Queue: v.queue, MaxRequest: int(c.Analysis.MaxRequest), MaxReply: int(c.Analysis.MaxReply),
		Sessions: session.Config{
			Source: op.SourcePcap, Has: op.HasTraffic, Stats: v.stats, Cursors: session.NewCursors(maxCursors, v.stats),
			Pending: v.pending, Emit: v.judge,
		},
		Opened: func() { v.metrics.Connections.Inc(); v.metrics.Open.Inc() },
		Closed: v.metrics.Open.Dec,
	}})
	s.lane = s.capture.Lane()
	s.expose(exposure{coverage: s.coverage, seen: s.seen, status: s.status, topology: (*members)(nil).topology()})
	defer s.finish()
	if err := s.run(); err != nil {
		return err
	}
	s.web.SetReady(true)
	s.logger.Info("capturing", zap.String("interface", c.Interface), zap.Uint16s("ports", chosen), zap.String("user", user))
	tellManager(serving)
	err = s.read(ctx)
	s.reloads.stop()
	tellManager(stopping)
	s.web.SetReady(false)
	s.lock(s.capture.Close)
	s.queue.Wait(10 * time.Second)
	return errors.Join(err, s.writeBaseline(), writeReport(c, s.report()))
}

// dropsEvery is how often the kernel is asked what it dropped.
const dropsEvery = time.Second

// read reads packets until ctx ends.
func (s *sniffer) read(ctx context.Context) error {
	asked := time.Now()
	for ctx.Err() == nil {
		p, err := s.handle.Next()
		switch {
		case err == nil:
			s.lock(func() { s.lane.Feed(&p) })
		case errors.Is(err, live.ErrTimeout), errors.Is(err, syscall.EINTR):
		default:
			return unreadable(fmt.Errorf("interface %s: %w", s.config.Interface, err))
		}
		if now := time.Now(); now.Sub(asked) >= dropsEvery {
			asked = now
			s.countDrops()
		}
	}
	s.countDrops()
	return nil
}

// countDrops asks the kernel what it dropped.
func (s *sniffer) countDrops() {
	n := s.handle.Drops()
	if n == 0 {
		return
	}
	s.lock(func() { s.capture.Dropped(n) })
	if s.dials.allow("drops") {
		s.logger.Warn("the kernel dropped packets that were not read in time; a larger --capture.buffer helps against bursts", zap.Int64("packets", n))
	}
}

func (s *sniffer) lock(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *sniffer) coverage() (c op.Coverage) {
	s.lock(func() { c = s.capture.Coverage() })
	return c
}

func (s *sniffer) seen() (_ op.Source, has op.Has) {
	s.lock(func() { has = s.capture.Has() })
	return op.SourcePcap, has
}

func (s *sniffer) status() map[string]any { return map[string]any{"interface": s.config.Interface} }

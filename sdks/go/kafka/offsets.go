package kafka

// partition is one of a topic.
type partition struct {
	topic  string
	number int32
}

// offsets is what was received of each partition. A message is over once its job is settled, given back or not this worker's; only
// what lies before the first message that is not over may be committed.
type offsets struct {
	open      map[partition]map[int64]struct{}
	next      map[partition]int64
	committed map[partition]int64
}

func newOffsets() *offsets {
	return &offsets{open: map[partition]map[int64]struct{}{}, next: map[partition]int64{}, committed: map[partition]int64{}}
}

func (o *offsets) received(of partition, offset int64) {
	if o.open[of] == nil {
		o.open[of] = map[int64]struct{}{}
	}
	o.open[of][offset] = struct{}{}
	o.next[of] = max(o.next[of], offset+1)
}

func (o *offsets) has(of partition, offset int64) bool {
	_, open := o.open[of][offset]
	return open
}

// over: of a partition that was taken away, nothing is known any more.
func (o *offsets) over(of partition, offset int64) { delete(o.open[of], offset) }

func (o *offsets) forget(partitions []partition) {
	for _, of := range partitions {
		delete(o.open, of)
		delete(o.next, of)
		delete(o.committed, of)
	}
}

// toCommit gives the offsets of the partitions where they have moved.
func (o *offsets) toCommit() map[partition]int64 {
	moved := map[partition]int64{}
	for of, first := range o.next {
		for offset := range o.open[of] {
			first = min(first, offset)
		}
		if known, found := o.committed[of]; !found || first > known {
			moved[of] = first
		}
	}
	return moved
}

func (o *offsets) haveCommitted(all map[partition]int64) {
	for of, offset := range all {
		if _, known := o.next[of]; known {
			o.committed[of] = offset
		}
	}
}

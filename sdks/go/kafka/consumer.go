package kafka

import (
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	metadataAge = 3 * time.Second
	// A topic that is resumed is not read before what was asked of the others is answered; franz-go lets that take five seconds.
	fetchWait   = 500 * time.Millisecond
	pingEvery   = 5 * time.Second
	pingTimeout = time.Second
	commitLimit = 5 * time.Second
)

// record is a message.
type record struct {
	partition
	offset int64
	value  []byte
	// The header tl-job-type.
	jobType string
}

// consumer is a member of a group.
type consumer interface {
	// turn gives what comes within the limit to handle. No partition is taken away before handle has returned.
	turn(ctx context.Context, limit time.Duration, recordsMax int, handle func([]record))
	// pause stops or goes on reading topics.
	pause(topics []string, paused bool)
	// commit says whether the broker has them. Where not, it may be repeated, or is left to the next owner.
	commit(all map[partition]int64) bool
	// failed is why no broker is reached, if so.
	failed(ctx context.Context) error
	// close leaves the group.
	close()
}

// consumerFactory makes a consumer; revoked is called before partitions go to another, with false where they went already.
type consumerFactory func(group string, topics []string, revoked func(gone []partition, owner bool)) (consumer, error)

// franz makes consumers over franz-go.
func franz(brokers []string, own []kgo.Opt) consumerFactory {
	return func(group string, topics []string, revoked func([]partition, bool)) (consumer, error) {
		made := &franzConsumer{heard: time.Now()}
		gone := func(owner bool) func(context.Context, *kgo.Client, map[string][]int32) {
			return func(_ context.Context, _ *kgo.Client, lost map[string][]int32) { revoked(partitionsOf(lost), owner) }
		}
		options := []kgo.Opt{
			kgo.ClientID("trunkline-go"), kgo.MetadataMaxAge(metadataAge), kgo.MetadataMinAge(time.Second), kgo.FetchMaxWait(fetchWait),
			// Partitions are spread by range in all SDKs, so that a group may have members in several languages.
			kgo.Balancers(kgo.RangeBalancer()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		}
		options = append(options, own...)
		options = append(options,
			kgo.SeedBrokers(brokers...), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topics...), kgo.DisableAutoCommit(),
			kgo.BlockRebalanceOnPoll(), kgo.OnPartitionsRevoked(gone(true)), kgo.OnPartitionsLost(gone(false)))
		client, err := kgo.NewClient(options...)
		if err != nil {
			return nil, err
		}
		made.client = client
		return made, nil
	}
}

type franzConsumer struct {
	client *kgo.Client
	// heard is when something came, or a broker answered.
	heard  time.Time
	reason error
}

func partitionsOf(all map[string][]int32) []partition {
	var out []partition
	for topic, numbers := range all {
		for _, number := range numbers {
			out = append(out, partition{topic, number})
		}
	}
	return out
}

func (c *franzConsumer) turn(ctx context.Context, limit time.Duration, recordsMax int, handle func([]record)) {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fetches := c.client.PollRecords(within, recordsMax)
	defer c.client.AllowRebalance()
	var records []record
	// Errors of one partition or topic pass, or topics come to be: whatever lasts is what failed says.
	fetches.EachRecord(func(one *kgo.Record) {
		found := record{partition: partition{one.Topic, one.Partition}, offset: one.Offset, value: one.Value}
		place := slices.IndexFunc(one.Headers, func(header kgo.RecordHeader) bool { return header.Key == "tl-job-type" })
		if place >= 0 {
			found.jobType = string(one.Headers[place].Value)
		}
		records = append(records, found)
	})
	if len(records) > 0 {
		c.heard, c.reason = time.Now(), nil
	}
	handle(records)
}

func (c *franzConsumer) pause(topics []string, paused bool) {
	if paused {
		c.client.PauseFetchTopics(topics...)
	} else {
		c.client.ResumeFetchTopics(topics...)
	}
}

func (c *franzConsumer) commit(all map[partition]int64) bool {
	wanted := map[string]map[int32]kgo.EpochOffset{}
	for of, offset := range all {
		if wanted[of.topic] == nil {
			wanted[of.topic] = map[int32]kgo.EpochOffset{}
		}
		wanted[of.topic][of.number] = kgo.EpochOffset{Epoch: -1, Offset: offset}
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitLimit)
	defer cancel()
	committed := false
	c.client.CommitOffsetsSync(ctx, wanted, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse, err error) {
		committed = err == nil
		if err != nil {
			return
		}
		for _, topic := range answer.Topics {
			for _, one := range topic.Partitions {
				committed = committed && one.ErrorCode == 0
			}
		}
	})
	return committed
}

// failed asks a broker where nothing came for a while.
func (c *franzConsumer) failed(ctx context.Context) error {
	if time.Since(c.heard) < pingEvery {
		return c.reason
	}
	within, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	c.heard, c.reason = time.Now(), c.client.Ping(within)
	return c.reason
}

func (c *franzConsumer) close() { c.client.CloseAllowingRebalance() }

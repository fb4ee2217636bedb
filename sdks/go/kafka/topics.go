package kafka

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

const topicBytesMax = 249

// tiers, the highest first.
var tiers = [...]string{"high", "normal", "low"}

// topicsOf gives the topics of a job type, that of the highest tier first, as docs/kafka.md names them.
func topicsOf(prefix, jobType string, single bool) []string {
	topics := make([]string, 0, len(tiers))
	for _, tier := range tiers {
		name := fmt.Sprintf("%s.jobs.%s.%s", prefix, escaped(jobType), tier)
		if single {
			name = fmt.Sprintf("%s.jobs.%s", prefix, tier)
		} else if len(name) > topicBytesMax {
			digest := sha256.Sum256([]byte(jobType))
			name = fmt.Sprintf("%s.jobs._.%s.%s", prefix, hex.EncodeToString(digest[:16]), tier)
		}
		topics = append(topics, name)
	}
	return topics
}

// escaped writes a job type in the characters of topics: others as "._" and their code, and so a dot before an underscore.
func escaped(jobType string) string {
	var out strings.Builder
	for place := 0; place < len(jobType); place++ {
		one := jobType[place]
		plain := one == '_' || one == '-' || one >= '0' && one <= '9' || one >= 'a' && one <= 'z' || one >= 'A' && one <= 'Z'
		if one == '.' {
			plain = !strings.HasPrefix(jobType[place+1:], "_")
		}
		if plain {
			out.WriteByte(one)
		} else {
			fmt.Fprintf(&out, "._%02X", one)
		}
	}
	return out.String()
}

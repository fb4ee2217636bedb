// The names of topics, as docs/kafka.md has them.
import { createHash } from "node:crypto";

/** How the server spreads jobs over topics: its setting `kafka.topics`. */
export type TopicLayout = "per_type" | "single";

const TIERS = ["high", "normal", "low"];
const TOPIC_BYTES_MAX = 249;

/** The topics of a job type, that of the highest tier first. */
export function topicsOf(prefix: string, jobType: string, layout: TopicLayout = "per_type"): string[] {
  return TIERS.map((tier) => {
    if (layout === "single") return `${prefix}.jobs.${tier}`;
    const name = `${prefix}.jobs.${escaped(jobType)}.${tier}`;
    if (name.length <= TOPIC_BYTES_MAX) return name;
    const digest = createHash("sha256").update(jobType).digest("hex").slice(0, 32);
    return `${prefix}.jobs._.${digest}.${tier}`;
  });
}

/** A job type in the characters of topics: others as `._` and their code, and so a dot before an underscore. */
function escaped(jobType: string): string {
  return jobType.replace(/\.(?=_)|[^A-Za-z0-9._-]/g, (character) => {
    return `._${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

import { useAwaySince } from '../api/live';
import { useNow } from '../components/time';
import { duration } from '../lib/time';
import { t } from '../messages/en';

/** Connections end now and then; only a longer silence is worth a word. */
const SAID_AFTER_MS = 4_000;

/** Says that the server is away, and for how long: what is shown is from before. */
export function Away() {
  const since = useAwaySince();
  const now = useNow();
  if (since === null || now - since < SAID_AFTER_MS) return null;
  const seconds = Math.floor((now - since) / 1_000) * 1_000;
  return (
    <p role="status" className="border-b border-bad bg-bad-tint px-3 py-1.5 text-bad lg:px-6" data-away>
      {t.live.away(duration(seconds))}
    </p>
  );
}

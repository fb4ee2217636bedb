import { useMemo } from 'react';
import type { Schemas } from '../api/client';
import { useGet } from '../api/hooks';
import { useHidesPayloads } from '../api/me';
import { schemaOf } from '../lib/infer';
import type { Json } from '../lib/json';
import type { JsonSchema } from '../lib/schema';

/** So many completed jobs say what form their data has. */
const SAMPLES = 20;

interface OfJobs {
  jobType: string;
  queue: Schemas['Job']['queue'];
  /** The data whose form counts where no job has completed. */
  data?: unknown;
}

/** The form that the data of jobs of a type has: of those that completed lately, or else of the given. */
export function useDataSchema({ jobType, queue, data }: OfJobs): { schema: JsonSchema; samples: number } {
  const hidesPayloads = useHidesPayloads();
  const query = { jobType, queue, status: 'COMPLETED', limit: SAMPLES };
  const completed = useGet('/v1/jobs', { query }, { enabled: !hidesPayloads && jobType !== '' }).data;
  return useMemo(() => {
    const values = (completed?.items ?? []).map((job) => job.data as Json | undefined);
    const known = values.filter((value) => value !== undefined && value !== null);
    const shown = known.length > 0 || data === undefined ? known : [data as Json];
    return { schema: schemaOf(shown), samples: known.length };
  }, [completed, data]);
}

import { call } from '../../api/client';
import { usePages, type PagesOptions } from '../../api/pages';
import { NODE_PAYLOAD_MAX } from '../../api/payloads';

const PAGE = 500;

/** The timeline of an execution. */
export function useTimeline(id: string, options: PagesOptions = {}) {
  const path = { id };
  return usePages(
    ['/v1/executions/{id}/events', { path }],
    (cursor, signal) => call('get', '/v1/executions/{id}/events', { path, query: pageAt(cursor), signal }),
    options,
  );
}

/** The items of a `MAP` that have settled, in the order in which they did. */
export function useItems(id: string, nodeId: string) {
  const path = { id, nodeId };
  return usePages(['/v1/executions/{id}/nodes/{nodeId}/items', { path }], (cursor, signal) => {
    const query = { ...pageAt(cursor), maxPayload: NODE_PAYLOAD_MAX };
    return call('get', '/v1/executions/{id}/nodes/{nodeId}/items', { path, query, signal });
  });
}

const pageAt = (cursor: string) => ({ limit: PAGE, ...(cursor ? { cursor } : {}) });

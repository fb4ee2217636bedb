import { lazy } from 'react';

// The libraries of a graph are large. They are fetched beside the data of the page that draws one, not after them.
const loading = import('./graph');
// A failure is shown where the graph is drawn; nobody may be waiting yet.
loading.catch(() => undefined);

export const GraphView = lazy(() => loading);

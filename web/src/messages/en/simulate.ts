/** Dry runs, and going through what happened step by step. */
export const simulateMessages = {
  simulate: {
    title: 'Dry run',
    run: 'Start dry run',
    restart: 'Start over',
    results: 'Results',
    resultsHint:
      'What each node returns, one entry per round: {"charge": [{"output": {…}}, {"error": {…}}]}.',
    waitsFor: (node: string) => `${node} is waiting`,
    resultOf: (node: string) => `Result of ${node}`,
    awaits: {
      result: 'for a result',
      child: 'for its execution',
      signal: 'for a signal',
      user_task: 'for a person',
      callback: 'for a callback',
      event: 'for an event',
    } as Record<string, string>,
    complete: 'Complete it',
    signal: (name: string) => `Send ${name}`,
    fail: 'Fail it',
    failure: 'failed in the dry run',
    timeOut: 'Time it out',
    round: (node: string, round: number) => (round > 1 ? `${node}, round ${round}` : node),
    by: {
      browser: 'Calculated in this browser: nothing was sent.',
      server: 'Calculated by the server. Nothing was stored.',
    },
    pick: 'Select a node of the graph to see its input and output.',
  },
  steps: {
    label: 'Steps',
    back: 'Back',
    next: 'Next',
    position: 'Step',
    of: (at: number, total: number) => `${at} of ${total}`,
    execution: 'execution',
    beginning: 'Before the first entry.',
    replay: 'Replay',
    replayHint: 'Steps through the history entry by entry; the graph shows each state.',
  },
};

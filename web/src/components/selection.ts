import { useMemo, useState } from 'react';
import { useFilters } from '../app/filters';
import { nextPick, type Picked } from '../lib/pick';

/** The rows that somebody picked from a list. */
export interface Selection {
  ids: ReadonlySet<string>;
  /** Picks or drops a row; with the rows of the list, all from the one before to this one. */
  toggle: (id: string, through?: readonly string[]) => void;
  /** Picks all of these, or none of them where all are picked. */
  toggleAll: (ids: string[]) => void;
  clear: () => void;
}

const NOTHING: Picked = { ids: new Set(), last: null };

/** What is picked of a list. Other filters begin anew: nobody changes rows that are not shown. */
export function useSelection(): Selection {
  const [filters] = useFilters();
  const list = JSON.stringify(filters);
  const [state, setState] = useState({ list, picked: NOTHING });
  const picked = state.list === list ? state.picked : NOTHING;
  return useMemo(() => {
    const set = (next: (old: Picked) => Picked) =>
      setState((old) => ({ list, picked: next(old.list === list ? old.picked : NOTHING) }));
    return {
      ids: picked.ids,
      toggle: (id, through) => set((old) => nextPick(old, id, through)),
      toggleAll: (all) =>
        set(({ ids }) => (all.every((id) => ids.has(id)) ? NOTHING : { ids: new Set(all), last: null })),
      clear: () => set(() => NOTHING),
    };
  }, [picked, list]);
}

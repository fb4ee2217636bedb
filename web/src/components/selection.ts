import { useMemo, useState } from 'react';

/** The rows that somebody picked from a list. */
export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** Picks all of these, or none of them where all are picked. */
  toggleAll: (ids: string[]) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  return useMemo(
    () => ({
      ids,
      toggle: (id) =>
        setIds((old) => {
          const next = new Set(old);
          if (!next.delete(id)) next.add(id);
          return next;
        }),
      toggleAll: (all) => setIds((old) => (all.every((id) => old.has(id)) ? new Set() : new Set(all))),
      clear: () => setIds(new Set()),
    }),
    [ids],
  );
}

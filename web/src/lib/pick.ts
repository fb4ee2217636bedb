/** The rows that are picked, and the one that was picked or dropped last. */
export interface Picked {
  ids: ReadonlySet<string>;
  last: string | null;
}

/** Picks a row, or drops it where it is picked. With the rows of the list, the rows between the last one and this one follow it. */
export function nextPick({ ids, last }: Picked, id: string, through?: readonly string[]): Picked {
  const next = new Set(ids);
  const isPicked = !ids.has(id);
  const [from, to] = [through?.indexOf(last ?? '') ?? -1, through?.indexOf(id) ?? -1];
  const isRange = through !== undefined && from >= 0 && to >= 0;
  for (const each of isRange ? through.slice(Math.min(from, to), Math.max(from, to) + 1) : [id]) {
    if (isPicked) next.add(each);
    else next.delete(each);
  }
  return { ids: next, last: id };
}

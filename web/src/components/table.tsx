import { getCoreRowModel, useReactTable, type ColumnDef } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';
import type { LiveList } from '../api/hooks';
import { t } from '../messages/en';
import { Button, Failed, Loading } from './basics';
import type { Selection } from './selection';

export interface Column<T> {
  id: string;
  head: ReactNode;
  cell: (row: T) => ReactNode;
  /** Hidden on screens narrower than this. */
  from?: 'sm' | 'md' | 'lg' | 'xl';
  align?: 'right';
  /** Never broken into lines, such as an id. */
  nowrap?: boolean;
}

const FROM = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden', xl: 'max-xl:hidden' };
const ROW_PX = 37;
/** Shorter lists are drawn whole. */
const VIRTUAL_FROM = 120;

interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  idOf: (row: T) => string;
  /** Where rows can be picked. */
  selection?: Selection | undefined;
}

/** A table. Of a long one only the rows on the screen are drawn. */
export function Table<T>({ label, rows, columns: given, idOf, selection }: TableProps<T>) {
  const columns = selection ? [pickColumn(rows, idOf, selection), ...given] : given;
  const definitions: ColumnDef<T>[] = columns.map(({ id }) => ({ id }));
  const byId = new Map(columns.map((column) => [column.id, column]));
  const table = useReactTable({
    data: rows,
    columns: definitions,
    getCoreRowModel: getCoreRowModel(),
    getRowId: idOf,
  });
  const body = useRef<HTMLTableSectionElement>(null);
  const isVirtual = rows.length > VIRTUAL_FROM;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
    enabled: isVirtual,
  });
  const drawn = isVirtual ? virtual.getVirtualItems() : rows.map((_, index) => ({ index, start: 0, end: 0 }));
  const before = isVirtual ? (drawn[0]?.start ?? 0) - virtual.options.scrollMargin : 0;
  const after = isVirtual
    ? virtual.getTotalSize() - ((drawn.at(-1)?.end ?? 0) - virtual.options.scrollMargin)
    : 0;
  const model = table.getRowModel().rows;
  const classOf = (id: string) => {
    const column = byId.get(id);
    return `${column?.from ? FROM[column.from] : ''} ${column?.align === 'right' ? 'text-right nums' : ''} ${column?.nowrap ? 'whitespace-nowrap' : ''}`;
  };
  return (
    <div className="thin-scroll relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full border-collapse text-left" aria-rowcount={rows.length}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-b border-line">
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={`px-3 py-2 text-[13px] font-medium whitespace-nowrap text-soft first:pl-4 ${classOf(header.id)}`}
                >
                  {byId.get(header.column.id)?.head}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody ref={body}>
          {before > 0 && <tr style={{ height: before }} aria-hidden="true" />}
          {drawn.map(({ index }) => {
            const row = model[index];
            return (
              row && (
                <tr
                  key={row.id}
                  data-row={row.id}
                  className="border-b border-line last:border-0 focus-within:bg-raised hover:bg-raised/60"
                >
                  {row.getVisibleCells().map((cell) => (
                    <td
                      key={cell.id}
                      className={`px-3 py-1.5 align-middle first:pl-4 ${classOf(cell.column.id)}`}
                    >
                      {/* Called, not mounted: what a cell keeps, such as an open dialog, outlives a new list of columns. */}
                      {byId.get(cell.column.id)?.cell(row.original)}
                    </td>
                  ))}
                </tr>
              )
            );
          })}
          {after > 0 && <tr style={{ height: after }} aria-hidden="true" />}
        </tbody>
      </table>
    </div>
  );
}

const CHECKBOX = 'size-4 align-middle accent-(--accent)';

function pickColumn<T>(rows: T[], idOf: (row: T) => string, selection: Selection): Column<T> {
  const all = rows.map(idOf);
  return {
    id: 'pick',
    from: 'sm',
    head: (
      <input
        type="checkbox"
        className={CHECKBOX}
        aria-label={t.list.pickAll}
        checked={all.length > 0 && all.every((id) => selection.ids.has(id))}
        onChange={() => selection.toggleAll(all)}
      />
    ),
    cell: (row) => (
      <input
        type="checkbox"
        className={CHECKBOX}
        aria-label={t.list.pick(idOf(row))}
        checked={selection.ids.has(idOf(row))}
        onChange={({ nativeEvent }) => {
          const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
          selection.toggle(idOf(row), isRange ? all : undefined);
        }}
      />
    ),
  };
}

interface ListProps<T> extends Omit<TableProps<T>, 'rows'> {
  list: LiveList<T>;
  empty: ReactNode;
}

/** A list that grows at its end, and says at its head how much came since. */
export function List<T>({ list, empty, ...table }: ListProps<T>) {
  const { fresh } = list;
  if (list.error && list.rows.length === 0) return <Failed error={list.error} onRetry={list.retry} />;
  return (
    <div className="relative rounded-xl border border-line bg-card">
      {fresh.count > 0 && (
        <div className="sticky top-16 z-10 flex h-0 justify-center">
          <button
            type="button"
            onClick={fresh.show}
            className="h-7 -translate-y-3.5 rounded-full bg-accent px-3 text-[13px] font-medium text-on-accent shadow-lg"
          >
            {t.common.fresh(fresh.count, fresh.isBound)}
          </button>
        </div>
      )}
      {list.isLoading ? <Loading /> : list.rows.length === 0 ? empty : <Table rows={list.rows} {...table} />}
      {/* What was read stays where the next page cannot be read. */}
      {list.error && (
        <div className="border-t border-line p-2">
          <Failed error={list.error} />
        </div>
      )}
      {list.hasMore && (
        <div className="flex justify-center border-t border-line p-2">
          <Button look="quiet" busy={list.isLoadingMore} onClick={list.loadMore}>
            {t.common.more}
          </Button>
        </div>
      )}
    </div>
  );
}

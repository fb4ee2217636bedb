import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import { call, type Call, type PathsWith, type Schemas } from '../../api/client';
import { toastError } from '../../api/hooks';
import { useMe } from '../../api/me';
import { useSession } from '../../api/session';
import { Icon } from '../../components/icons';
import type { Selection } from '../../components/selection';
import { t } from '../../messages/en';
import { BulkDialog, type Preview } from './dialog';
import {
  BULK_INPUT,
  bodyOf,
  filterOf,
  OPERATIONS,
  type BulkKind,
  type Operation,
  type Target,
} from './operations';
import { BatchProgress } from './progress';

interface BulkProps {
  kind: BulkKind;
  /** The filters of the list, as the server knows them. */
  query: Record<string, string | undefined>;
  /** The filters of all that match, where they are not those of the list. */
  queryOfAll?: (() => Promise<Record<string, string | undefined>>) | undefined;
  selection: Selection;
}

/**
 * Changes many objects of a list: those that were picked, or all that match. Both begin with a dry run; they are two
 * buttons, so that nobody changes everything who meant the rows on the screen.
 */
export function Bulk({ kind, query, queryOfAll, selection }: BulkProps) {
  const operations = useOperations(kind);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [batch, setBatch] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (operations.length === 0) return null;
  const filter = filterOf(query);
  const isAll = Object.keys(filter).length === 0;
  const matching = async (): Promise<Target> => ({
    filter: queryOfAll ? filterOf(await queryOfAll()) : filter,
    all: isAll,
  });
  const open = async (operation: Operation, targetOf: () => Target | Promise<Target>) => {
    setBusy(true);
    try {
      const target = await targetOf();
      const body = bodyOf(operation, target, BULK_INPUT, true);
      const answer = await call('post', operation.path, { body } as unknown as Call<
        PathsWith<'post'>,
        'post'
      >);
      setPreview({ operation, target, ...(answer as unknown as Schemas['BulkCount']) });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Operations
        operations={operations}
        label={t.bulk.selected(selection.ids.size)}
        disabled={busy || selection.ids.size === 0}
        onPick={(operation) => void open(operation, () => ({ ids: [...selection.ids] }))}
      />
      <Operations
        operations={operations}
        label={isAll ? t.bulk.everything : t.bulk.matching}
        disabled={busy}
        onPick={(operation) => void open(operation, matching)}
      />
      {batch && <BatchProgress id={batch} onClose={() => setBatch(null)} />}
      <BulkDialog
        preview={preview}
        onClose={() => setPreview(null)}
        onBatch={(id) => {
          setBatch(id);
          setPreview(null);
          selection.clear();
        }}
      />
    </>
  );
}

/** What the caller may do with many objects of a kind: operators only, and of that what their key is for. */
function useOperations(kind: BulkKind): Operation[] {
  const { role } = useSession();
  const can = useMe()?.can ?? [];
  if (role !== 'admin' && role !== 'operator') return [];
  return OPERATIONS[kind].filter(({ needs }) => can.includes(needs));
}

/** Whether there is anything of that, so that rows can be selected. */
export function useMayBulk(kind: BulkKind): boolean {
  return useOperations(kind).length > 0;
}

interface OperationsProps {
  operations: Operation[];
  label: string;
  disabled: boolean;
  onPick: (operation: Operation) => void;
}

function Operations({ operations, label, disabled, onPick }: OperationsProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        disabled={disabled}
        className="inline-flex items-center gap-1.5 rounded-lg border border-strong bg-card px-2 py-0.5 text-[13px] font-medium hover:bg-raised disabled:opacity-50"
      >
        {label}
        <Icon name="down" size={13} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="start" className="z-40">
          <Menu.Popup className="min-w-44 rounded-xl border border-strong bg-card p-1.5 shadow-xl">
            {operations.map((operation) => (
              <Menu.Item
                key={operation.path}
                className={`cursor-default rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-raised ${operation.isDangerous ? 'text-bad' : ''}`}
                onClick={() => onPick(operation)}
              >
                {operation.label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

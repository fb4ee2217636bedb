import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import type { Schemas } from '../api/client';
import { useAct, useAll } from '../api/hooks';
import { useCan } from '../api/me';
import { useFilters } from '../app/filters';
import { filtersOfView, queryOfView } from '../lib/views';
import { t } from '../messages/en';
import { Button, Empty } from './basics';
import { Checkbox, Form, Submit, TextField } from './form';
import { Dialog } from './dialog';
import { Icon } from './icons';
import { Tag } from './status';

type View = Schemas['View'];

const ITEM =
  'flex cursor-default items-center gap-2 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-raised';

interface ViewsProps {
  /** The list, as saved views name it. */
  list: string;
  /** The filters that belong to a view. */
  names: readonly string[];
}

/** Saved views of a list: own ones and those that others share. A view is shown by its filters, which the address holds. */
export function Views({ list, names }: ViewsProps) {
  const [filters, change] = useFilters();
  const maySave = useCan('views.write');
  const { items } = useAll('/v1/views', { query: { list } });
  const [shown, setShown] = useState<'save' | 'manage' | null>(null);
  const q = queryOfView(list, filters, names);
  const order = filters['order'] === 'asc' ? 'asc' : null;
  const isShown = (view: View) => view.q === q && (view.order === 'asc' ? 'asc' : null) === order;
  const views = [...(items ?? [])].sort(
    (a, b) => Number(b.own) - Number(a.own) || a.name.localeCompare(b.name),
  );
  const current = views.find(isShown);
  const isAll = q === '' && order === null;
  const close = () => setShown(null);
  return (
    <>
      <Menu.Root modal={false}>
        <Menu.Trigger
          aria-label={current && !isAll ? t.views.menuOf(current.name) : t.views.menu}
          className="inline-flex max-w-48 items-center gap-1.5 rounded-lg px-2 py-0.5 text-[13px] font-medium text-soft hover:bg-raised hover:text-ink"
        >
          <span className="truncate">{current && !isAll ? current.name : t.views.title}</span>
          <Icon name="down" size={13} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={6} align="end" className="z-40">
            <Menu.Popup className="min-w-56 max-w-80 rounded-xl border border-strong bg-card p-1.5 shadow-xl">
              {views.length === 0 && <p className="px-2.5 py-1.5 text-soft">{t.views.none}</p>}
              {views.map((view) => (
                <Menu.Item
                  key={view.id}
                  className={ITEM}
                  onClick={() => change(filtersOfView(view.q, view.order, names))}
                >
                  <span className="w-4">{isShown(view) && <Icon name="check" size={14} />}</span>
                  <span className="min-w-0 flex-1 truncate">{view.name}</span>
                  {view.shared && <Tag>{t.views.shared}</Tag>}
                </Menu.Item>
              ))}
              {maySave && (
                <>
                  <Menu.Separator className="my-1.5 h-px bg-line" />
                  <Menu.Item className={ITEM} onClick={() => setShown('save')}>
                    <Icon name="plus" size={14} />
                    {t.views.save}
                  </Menu.Item>
                  <Menu.Item className={ITEM} onClick={() => setShown('manage')}>
                    <Icon name="settings" size={14} />
                    {t.views.manage}
                  </Menu.Item>
                </>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <Dialog title={t.views.saveTitle} intro={t.views.saveIntro} open={shown === 'save'} onClose={close}>
        <SaveForm list={list} q={q} order={order} onDone={close} />
      </Dialog>
      <Dialog title={t.views.manageTitle} open={shown === 'manage'} onClose={close}>
        <Manage views={views} q={q} order={order} />
      </Dialog>
    </>
  );
}

interface ShownQuery {
  q: string;
  order: 'asc' | null;
}

function SaveForm({ list, q, order, onDone }: ShownQuery & { list: string; onDone: () => void }) {
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const add = useAct('post', '/v1/views', { done: t.views.saved, quiet: true, onDone });
  return (
    <Form
      onSubmit={() =>
        add.mutate({ body: { name, list, q, shared, columns: [], ...(order ? { order } : {}) } })
      }
    >
      <p className="rounded-lg bg-raised px-3 py-2 font-mono text-[13px] break-all">
        {q || t.views.everything}
      </p>
      <TextField label={t.views.name} required maxLength={100} value={name} onChange={setName} />
      <Checkbox checked={shared} onChange={setShared}>
        {t.views.share}
      </Checkbox>
      <Submit error={add.error} busy={add.isPending} />
    </Form>
  );
}

/** Changes and removes views: own ones, and for operators those that others share. */
function Manage({ views, q, order }: ShownQuery & { views: View[] }) {
  const mayOperate = useCan('queues.operate');
  const put = useAct('put', '/v1/views/{id}', { done: t.views.changed });
  const remove = useAct('delete', '/v1/views/{id}', { done: t.views.removed });
  const change = (view: View, changes: Partial<View>) => {
    const { name, list, q: query, order: direction, sort, columns, shared } = { ...view, ...changes };
    put.mutate({
      path: { id: view.id },
      body: {
        name,
        list,
        q: query,
        columns,
        shared,
        ...(direction ? { order: direction } : {}),
        ...(sort ? { sort } : {}),
      },
    });
  };
  if (views.length === 0) return <Empty title={t.views.none}>{t.views.noneBody}</Empty>;
  return (
    <ul className="divide-y divide-line">
      {views.map((view) => (
        <li key={view.id} className="space-y-1 py-2" data-view={view.name}>
          <div className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate font-medium">{view.name}</span>
            {!view.own && <span className="truncate text-[13px] text-soft">{view.owner}</span>}
            {(view.own || mayOperate) && (
              <>
                <Button small onClick={() => change(view, { shared: !view.shared })}>
                  {view.shared ? t.views.unshare : t.views.shareNow}
                </Button>
                <Button small onClick={() => change(view, { q, order })}>
                  {t.views.replace}
                </Button>
                <Button small look="danger" onClick={() => remove.mutate({ path: { id: view.id } })}>
                  {t.views.remove}
                </Button>
              </>
            )}
          </div>
          <p className="font-mono text-[13px] break-all text-soft">{view.q || t.views.everything}</p>
        </li>
      ))}
    </ul>
  );
}

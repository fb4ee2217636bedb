import { Toast } from '@base-ui/react/toast';
import { t } from '../messages/en';
import { Icon } from './icons';

const manager = Toast.createToastManager();

/** Says something for some seconds. */
export function toast({ title, tone }: { title: string; tone: 'ok' | 'bad' }): void {
  manager.add({ title, type: tone, timeout: tone === 'bad' ? 9_000 : 4_000 });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((item) => (
    <Toast.Root
      key={item.id}
      toast={item}
      className={`flex items-start gap-2 rounded-lg border bg-card px-3 py-2 shadow-lg ${item.type === 'bad' ? 'border-bad text-bad' : 'border-ok text-ok'}`}
    >
      <span className="mt-0.5">
        <Icon name={item.type === 'bad' ? 'dead' : 'check'} />
      </span>
      <Toast.Title className="min-w-0 flex-1 break-words" />
      <Toast.Close aria-label={t.common.close} className="rounded p-0.5 hover:bg-raised">
        <Icon name="close" size={14} />
      </Toast.Close>
    </Toast.Root>
  ));
}

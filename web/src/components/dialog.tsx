import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { t } from '../messages/en';
import { Button } from './basics';
import { Icon } from './icons';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Whether a click beside it leaves it open: in a wide one somebody writes, and what they wrote must not be lost. */
  keeps?: boolean;
  intro?: ReactNode;
}

export function Dialog({ title, open, onClose, children, wide, keeps, intro }: DialogProps) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && onClose()}
      disablePointerDismissal={keeps ?? wide ?? false}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Base.Popup
          data-dialog
          className={`fixed top-[6vh] left-1/2 z-40 max-h-[88vh] w-[calc(100vw-2rem)] -translate-x-1/2 overflow-y-auto rounded-xl border border-strong bg-card p-5 shadow-2xl ${wide ? 'max-w-5xl' : 'max-w-lg'}`}
        >
          <div className="mb-3 flex items-start justify-between gap-3">
            <Base.Title className="text-lg font-semibold">{title}</Base.Title>
            <Base.Close aria-label={t.common.close} className="rounded p-1 text-soft hover:bg-raised">
              <Icon name="close" />
            </Base.Close>
          </div>
          {intro && <Base.Description className="mb-3 text-soft">{intro}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  /** What the button says that asks. */
  label: string;
  title: string;
  body: ReactNode;
  onConfirm: () => void;
  look?: 'plain' | 'danger' | 'main';
  busy?: boolean;
  small?: boolean;
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton({ label, title, body, onConfirm, look = 'plain', busy, small }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look={look} busy={busy ?? false} small={small ?? false} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <div className="text-soft">{body}</div>
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>{t.common.keep}</Button>
          <Button
            look={look === 'danger' ? 'danger' : 'main'}
            onClick={() => {
              setOpen(false);
              onConfirm();
            }}
          >
            {label}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

import { Tabs as Base } from '@base-ui/react/tabs';

interface TabsProps {
  label: string;
  tabs: [value: string, label: string][];
  value: string;
  onChange: (value: string) => void;
}

/** A choice of views. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(String(next))}>
      <Base.List aria-label={label} className="flex gap-1">
        {tabs.map(([name, text]) => (
          <Base.Tab
            key={name}
            value={name}
            className="rounded-lg px-2.5 py-1 font-medium text-soft hover:bg-raised data-active:bg-tint data-active:text-accent"
          >
            {text}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(([name]) => (
        <Base.Panel key={name} value={name} className="sr-only" keepMounted={false} tabIndex={-1} />
      ))}
    </Base.Root>
  );
}

import { useAll } from '../api/hooks';
import { useMe } from '../api/me';
import { t } from '../messages/en';
import { setPreference, usePreferences } from './preferences';

/** The tenant that all lists are narrowed to. Keys of one tenant see no other, and nothing to choose. */
export function TenantMenu() {
  const me = useMe();
  const { tenant } = usePreferences();
  const mayChoose = me !== undefined && !me.tenant && me.can.includes('tenants.read');
  const { items } = useAll('/v1/tenants', {}, { enabled: mayChoose });
  if (!mayChoose || !items || (items.length < 2 && !tenant)) return null;
  const names = items.map(({ name }) => name);
  return (
    <select
      aria-label={t.tenants.switcher}
      className={`field w-auto max-w-40 py-1 max-sm:max-w-24 ${tenant ? 'border-accent font-medium text-accent' : 'max-sm:hidden'}`}
      value={tenant}
      onChange={(event) => setPreference('tenant', event.target.value)}
    >
      <option value="">{t.tenants.all}</option>
      {(tenant && !names.includes(tenant) ? [tenant, ...names] : names).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

import { useState } from 'react';
import { useCan, useMe } from '../../api/me';
import { setPreference, usePreferences } from '../../app/preferences';
import { boot } from '../../boot';
import { Button, Card, FactList, Field, Mono, PageHead } from '../../components/basics';
import { Tag } from '../../components/status';
import { isZone } from '../../lib/time';
import { t } from '../../messages/en';
import { Keys } from './keys';
import { RetentionCard } from './retention';

export function Page() {
  const mayReadKeys = useCan('keys.read');
  return (
    <>
      <PageHead title={t.settings.title} intro={t.settings.intro} />
      <div className="space-y-6">
        <ZoneCard />
        <CallerCard />
        {mayReadKeys && <Keys />}
        <RetentionCard />
      </div>
    </>
  );
}

function ZoneCard() {
  const { zone } = usePreferences();
  const [text, setText] = useState(zone === 'local' ? '' : zone);
  const isWrong = text !== '' && !isZone(text);
  return (
    <Card title={t.settings.zone}>
      <form
        className="flex max-w-xl flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isWrong) setPreference('zone', text || 'local');
        }}
      >
        <div className="min-w-56 flex-1">
          <Field label={t.settings.zoneName} error={isWrong ? t.settings.zoneWrong : undefined}>
            <input
              className="field"
              list="all-zones"
              placeholder="Europe/Berlin"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <datalist id="all-zones">
            {Intl.supportedValuesOf('timeZone').map((each) => (
              <option key={each}>{each}</option>
            ))}
          </datalist>
        </div>
        <Button type="submit" look="main" disabled={isWrong}>
          {t.common.save}
        </Button>
      </form>
      <p className="mt-2 text-[13px] text-soft">{t.settings.zoneHint}</p>
    </Card>
  );
}

/** Who is signed in and how, and what they may do. */
function CallerCard() {
  const me = useMe();
  if (!me) return null;
  return (
    <Card title={t.settings.caller}>
      <FactList
        columns={3}
        facts={[
          [t.audit.actor, <Mono key="a">{me.actor}</Mono>],
          [t.settings.role, <Tag key="r">{me.role}</Tag>],
          [t.jobs.tenant, me.tenant ?? t.common.all],
          [t.settings.person, me.person],
          [t.settings.groups, me.groups.join(', ')],
          [t.settings.signIn, me.actor.startsWith('oidc:') ? t.settings.byOidc : t.settings.byKey],
        ]}
      />
      <p className="mt-3 text-[13px] text-soft">
        {boot.signInLabel ? t.settings.oidcOn : t.settings.oidcOff}
      </p>
      <details className="mt-3">
        <summary className="text-soft">{t.settings.mayDo(me.can.length)}</summary>
        <p className="mt-2 flex flex-wrap gap-1">
          {me.can.map((action) => (
            <Tag key={action}>{action}</Tag>
          ))}
        </p>
      </details>
    </Card>
  );
}

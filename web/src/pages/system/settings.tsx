import { useAll } from '../../api/hooks';
import { useCan, useMe } from '../../api/me';
import { boot } from '../../boot';
import { Card, FactList, Mono, PageHead } from '../../components/basics';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { ZoneForm } from '../../components/time';
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
        <WebhookSecrets />
        <RetentionCard />
      </div>
    </>
  );
}

function ZoneCard() {
  return (
    <Card title={t.settings.zone}>
      <ZoneForm />
      <p className="mt-2 text-[13px] text-soft">{t.settings.zoneHint}</p>
    </Card>
  );
}

/** The endpoints whose secrets are rotated on their pages. */
function WebhookSecrets() {
  const mayRead = useCan('webhooks.read');
  const { items } = useAll('/v1/webhooks', {}, { enabled: mayRead });
  if (!mayRead || !items) return null;
  return (
    <Card title={t.settings.webhookSecrets}>
      {items.length === 0 && <p className="text-soft">{t.settings.noWebhookSecrets}</p>}
      <ul className="flex flex-wrap gap-x-4 gap-y-1.5">
        {items.map(({ id, name, provider, verified }) => (
          <li key={id} className="flex items-center gap-2">
            <Go to={`/webhooks/${id}`}>{name}</Go>
            <Tag>{provider}</Tag>
            {!verified && <Tag tone="warn">{t.webhooks.unverified}</Tag>}
          </li>
        ))}
      </ul>
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

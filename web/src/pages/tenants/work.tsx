import { useGet } from '../../api/hooks';
import { boot } from '../../boot';
import { useMe } from '../../api/me';
import { Card, FactList } from '../../components/basics';
import { Figures, ShownMenu, useStats } from '../../components/figures';
import { costOf, priceText } from '../../lib/price';
import { sumOf } from '../../lib/stats';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';

const EVERY_MS = 20_000;

/** What workers did for a tenant, and its part of all that started. */
export function Work({ tenant }: { tenant: string }) {
  const { data } = useGet('/v1/tenants/{tenant}/usage', { path: { tenant } }, { every: EVERY_MS });
  const figure = (value: { '1h': number; '24h': number } | undefined, text: (figure: number) => string) =>
    value && t.tenants.hourAndDay(text(value['1h']), text(value['24h']));
  return (
    <Card title={t.tenants.work} side={<ShownMenu />}>
      <div className="space-y-4">
        <FactList
          facts={[
            [
              t.tenants.workerTime,
              <span key="w" className="nums" data-worker-seconds={data?.workerSeconds['24h']}>
                {figure(data?.workerSeconds, (seconds) => duration(seconds * 1_000))}
              </span>,
            ],
            [
              t.tenants.starts,
              <span key="s" className="nums" data-starts={data?.starts['24h']}>
                {figure(data?.starts, (count) => count.toLocaleString('en'))}
              </span>,
            ],
            [t.tenants.share, <Share key="p" tenant={tenant} />],
            [
              t.tenants.cost,
              boot.price && data && (
                <span key="c" className="nums" data-cost={data.workerSeconds['24h']}>
                  {figure(data.workerSeconds, costOf(boot.price))}
                  <span className="block text-[13px] text-soft">
                    {t.tenants.costHint(priceText(boot.price))}
                  </span>
                </span>
              ),
            ],
          ]}
        />
        <Figures of={{ tenant, queue: 'workflow-node' }} name={tenant} />
      </div>
    </Card>
  );
}

/** Its part of all starts, beside what waits: a tenant that waits gets its turn as often as any other that does. */
function Share({ tenant }: { tenant: string }) {
  const isBound = Boolean(useMe()?.tenant);
  const own = useStats({ tenant, queue: 'workflow-node' }, 'day').data?.series;
  const all = useStats({ queue: 'workflow-node' }, 'day', !isBound).data?.series;
  if (isBound || !own || !all) return '–';
  const lastHour = { own: own.slice(-60), all: all.slice(-60) };
  const part = (mine: number, total: number) => {
    if (total === 0) return '–';
    const percent = Math.round((mine / total) * 100);
    return mine > 0 && percent === 0 ? '< 1 %' : `${percent} %`;
  };
  const ofHour = part(sumOf(lastHour.own, 'claimed'), sumOf(lastHour.all, 'claimed'));
  const ofDay = part(sumOf(own, 'claimed'), sumOf(all, 'claimed'));
  return (
    <>
      <span className="nums" data-share={ofDay}>
        {t.tenants.hourAndDay(ofHour, ofDay)}
      </span>
      <span className="block text-[13px] text-soft">{t.tenants.shareHint}</span>
    </>
  );
}

import { ApiError } from '../api/client';
import { t } from '../messages/en';
import { Empty, Failed, PageHead } from './basics';
import { Go } from './go';

interface ObjectFailedProps {
  error: unknown;
  /** The name or id by which the object was asked for. */
  name: string;
  /** The list of such objects. */
  list: { to: string; label: string };
}

/** In place of the page of an object: that there is none and what to do about it, or why it could not be read. */
export function ObjectFailed({ error, name, list }: ObjectFailedProps) {
  if (!(error instanceof ApiError) || error.status !== 404) return <Failed error={error} />;
  return (
    <>
      <PageHead crumbs={list} title={t.notFound.object} />
      <Empty title={t.notFound.named(name)}>
        <p>{t.notFound.why}</p>
        <p className="mt-2">
          <Go to={list.to} className="link">
            {t.notFound.list(list.label)}
          </Go>
        </p>
      </Empty>
    </>
  );
}

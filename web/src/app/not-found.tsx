import { Link } from '@tanstack/react-router';
import { Empty, PageHead } from '../components/basics';
import { t } from '../messages/en';

export function NotFound() {
  return (
    <>
      <PageHead title={t.notFound.title} />
      <Empty title={t.notFound.body}>
        <Link to="/" className="link">
          {t.notFound.home}
        </Link>
      </Empty>
    </>
  );
}

import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface GoProps {
  /** An address below the console, such as `/jobs/job_…`. */
  to: string;
  search?: Record<string, string>;
  /** The part of the page that is scrolled to. */
  hash?: string;
  children: ReactNode;
  className?: string;
  title?: string;
}

/** A link to a page whose address is put together from data. */
export function Go({ to, search, className = 'link', ...rest }: GoProps) {
  return <Link to={to as never} search={(search ?? {}) as never} className={className} {...rest} />;
}

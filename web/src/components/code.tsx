import { lazy, Suspense } from 'react';
import type { EditorProps } from './editor';
import { Loading } from './basics';

const Editor = lazy(() => import('./editor'));

/** The editor, which is loaded when the first one is shown. */
export function Code(props: EditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
  );
}

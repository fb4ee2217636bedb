import { Mono } from './basics';
import { CopyButton } from './copy';

/** Something that the server shows once and never again, such as a key. */
export function Once({ intro, text }: { intro: string; text: string }) {
  return (
    <div className="space-y-2">
      <p>{intro}</p>
      <p className="flex items-center gap-1 rounded-lg bg-raised p-2">
        <Mono>{text}</Mono>
        <CopyButton text={text} />
      </p>
    </div>
  );
}

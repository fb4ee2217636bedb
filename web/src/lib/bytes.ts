const ROW = 16;
/** Longer bodies are cut: nobody reads more bytes by eye. */
const BYTES_SHOWN = 16 * 1024;

/** The bytes of a body, which is UTF-8 text or base64. */
export function bytesOf(body: string, isText: boolean): Uint8Array {
  return isText ? new TextEncoder().encode(body) : Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
}

/** The text that bytes are in UTF-8; nothing where they are none. A character that a cut has left incomplete is no fault. */
export function textOf(bytes: Uint8Array, isCut = false): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

/** Bytes as offset, hexadecimal and printable characters. */
export function hexDump(bytes: Uint8Array): string {
  const rows: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, BYTES_SHOWN); at += ROW) {
    const row = Array.from(bytes.subarray(at, at + ROW));
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    rows.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(ROW * 3 - 1)}  ${text}`);
  }
  if (bytes.length > BYTES_SHOWN) rows.push(`… ${bytes.length - BYTES_SHOWN}`);
  return rows.join('\n');
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes as people read it: `1.5 MiB`. */
export function byteSize(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A word as a POSIX shell reads it as it is. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A call as a curl command. The key is left to the environment. */
export function curl(method: string, url: string, body?: string): string {
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    quoted(url),
    '-H',
    '"Authorization: Bearer $TRUNKLINE_API_KEY"',
  ];
  if (body !== undefined)
    parts.push('-H', quoted('Content-Type: application/json'), '--data-binary', quoted(body));
  return parts.join(' ');
}

/** A call of the command line. */
export function cli(...words: string[]): string {
  return ['trunkline', ...words.map(quoted)].join(' ');
}

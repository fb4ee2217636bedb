/** The parts of a text that commas separate. */
export const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

/** What went wrong, as a sentence. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A term of a query: `status:FAILED`, `-workflow:billing-*`, an id. */
export type QueryTerm = string;

/** Splits a query into its terms. Blanks in quotes belong to their term. */
export function termsOf(query: string): QueryTerm[] {
  return query.match(/(?:"(?:[^"\\]|\\.)*"|\S)+/g) ?? [];
}

/** A value as a query holds it: quoted where it has to be. */
export function quotedValue(text: string): string {
  return /[\s,"()\\*]|\.\./.test(text) || text === ''
    ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    : text;
}

/** Which entries of the audit log are about a workflow: what changes a version names it behind an @. */
export function auditQueryOf(workflow: string): string {
  return `action:workflow.*,attributes.* subject:${workflow},${workflow}@*`;
}

/** The query without one of its terms; nothing where none is left. */
export function withoutTerm(query: string, index: number): string | undefined {
  const rest = termsOf(query).filter((_, at) => at !== index);
  return rest.length > 0 ? rest.join(' ') : undefined;
}

/** The query with one of its terms changed; an empty term is removed. */
export function withTerm(query: string, index: number, term: string): string | undefined {
  const terms = termsOf(query).map((old, at) => (at === index ? term.trim() : old));
  return terms.filter(Boolean).join(' ') || undefined;
}

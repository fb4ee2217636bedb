import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { linter, lintGutter, type Diagnostic } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, StateEffect, type Extension, type Text } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { boot } from '../boot';
import { parseJson } from '../lib/json';
import { faultsOf, type JsonSchema } from '../lib/schema';
import { messageOf } from '../lib/text';

export interface EditorProps {
  label: string;
  value: string;
  onChange?: (value: string) => void;
  language?: 'json' | 'yaml';
  schema?: JsonSchema | null | undefined;
  /** Whether faults of the schema are advice only. */
  advice?: boolean;
  /** Shows what differs from this text. */
  original?: string;
  /** Faults that the server found, as sentences at the top. */
  faults?: string[];
}

const colors = HighlightStyle.define([
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'var(--bad)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--busy)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
]);

const look = EditorView.theme({
  '&': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    fontSize: '13px',
    border: '1px solid var(--strong)',
    borderRadius: '8px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono, monospace)',
    maxHeight: '50vh',
    minHeight: '7rem',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--soft)',
    border: 'none',
    borderRadius: '8px 0 0 8px',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important',
  },
  '.cm-changedLine': { backgroundColor: 'var(--ok-tint) !important' },
  '.cm-changedText': { background: 'none !important', borderBottom: '1px dotted var(--ok)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-tint) !important', paddingLeft: '6px' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', borderBottom: '1px dotted var(--bad)' },
  '.cm-collapsedLines': {
    background: 'var(--raised)',
    color: 'var(--soft)',
    cursor: 'pointer',
    fontFamily: 'inherit',
  },
  // Their ornaments are characters that few fonts have.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…" !important' },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--ink)',
    border: '1px solid var(--strong)',
    borderRadius: '6px',
  },
});

/** That the text is judged by another schema. */
const otherRules = StateEffect.define<null>();

/** A text editor with line numbers, folding and faults at their place. */
export default function Editor({
  label,
  value,
  onChange,
  language = 'json',
  schema,
  advice = false,
  original,
}: EditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  const first = useRef(value);
  const isReadOnly = onChange === undefined;
  useEffect(() => {
    change.current = onChange;
  }, [onChange]);
  // A schema that becomes known, or another one, while somebody types leaves the text and the cursor alone.
  const rules = useRef(schema);
  useEffect(() => {
    rules.current = schema;
    view.current?.dispatch({ effects: otherRules.of(null) });
  }, [schema]);
  useEffect(() => {
    if (!box.current) return;
    const extensions: Extension[] = [
      EditorView.cspNonce.of(boot.nonce),
      EditorView.contentAttributes.of({ 'aria-label': label }),
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightSelectionMatches(),
      syntaxHighlighting(colors),
      indentUnit.of('  '),
      EditorView.lineWrapping,
      language === 'json' ? json() : yaml(),
      // Tab leads on to the next field, as everywhere: whoever has no mouse gets out again.
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      look,
      EditorView.updateListener.of(
        (update) => update.docChanged && change.current?.(update.state.doc.toString()),
      ),
    ];
    if (isReadOnly) extensions.push(EditorState.readOnly.of(true));
    if (language === 'json' && !isReadOnly)
      extensions.push(
        lintGutter(),
        linter((editor) => lint(editor, rules.current, advice ? 'warning' : 'error'), {
          delay: 250,
          needsRefresh: ({ transactions }) =>
            transactions.some(({ effects }) => effects.some((effect) => effect.is(otherRules))),
        }),
      );
    if (original !== undefined) {
      extensions.push(
        unifiedMergeView({
          original,
          mergeControls: false,
          highlightChanges: true,
          gutter: true,
          // Whoever edits wants to see what there is.
          ...(isReadOnly ? { collapseUnchanged: { margin: 3, minSize: 12 } } : {}),
        }),
      );
    }
    const made = new EditorView({
      parent: box.current,
      state: EditorState.create({ doc: first.current, extensions }),
    });
    view.current = made;
    made.scrollDOM.tabIndex = 0;
    return () => {
      first.current = made.state.doc.toString();
      made.destroy();
      view.current = null;
    };
  }, [label, language, advice, original, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);
  return <div ref={box} data-editor />;
}

function lint(
  editor: EditorView,
  schema: JsonSchema | null | undefined,
  severity: Diagnostic['severity'],
): Diagnostic[] {
  const text = editor.state.doc.toString();
  if (text.trim() === '') return [];
  let value;
  try {
    value = parseJson(text);
  } catch (error) {
    const at = Math.min(Number(/position (\d+)/.exec(String(error))?.[1] ?? 0), text.length);
    return [
      {
        from: at,
        to: Math.min(at + 1, text.length),
        severity: 'error',
        message: messageOf(error),
      },
    ];
  }
  return faultsOf(value, schema).map(({ pointer, message }) => ({
    ...placeOf(editor.state, pointer),
    severity,
    message,
  }));
}

/** Where the value of a pointer stands in the text. */
function placeOf(state: EditorState, pointer: string): { from: number; to: number } {
  let node = syntaxTree(state).topNode.firstChild;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    let child = node?.firstChild ?? null;
    if (node?.name === 'Array') {
      let index = Number(name);
      child = child?.nextSibling ?? null;
      while (child && (index > 0 || child.name === ',')) {
        if (child.name !== ',') index -= 1;
        child = child.nextSibling;
      }
    } else {
      while (child && !(child.name === 'Property' && nameOf(state.doc, child.firstChild) === name))
        child = child.nextSibling;
      child = child?.lastChild ?? null;
    }
    if (!child) break;
    node = child;
  }
  return { from: node?.from ?? 0, to: node?.to ?? 0 };
}

function nameOf(doc: Text, node: { from: number; to: number } | null): string | null {
  if (!node) return null;
  try {
    return JSON.parse(doc.sliceString(node.from, node.to)) as string;
  } catch {
    return null;
  }
}

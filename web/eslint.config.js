import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.d.ts'] },
  js.configs.recommended,
  tseslint.configs.strict,
  hooks.configs.flat['recommended-latest'],
  {
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      'react-hooks/set-state-in-effect': 'off',
      'react-hooks/incompatible-library': 'off',
    },
  },
  {
    files: ['scripts/**', 'tests/browser/**', 'tests/**/*.mjs'],
    languageOptions: { globals: globalsOfNode() },
    rules: { 'no-console': 'off' },
  },
);

function globalsOfNode() {
  const names = [
    'console',
    'process',
    'URL',
    'fetch',
    'setTimeout',
    'clearTimeout',
    'Buffer',
    'document',
    'window',
    'navigator',
    'location',
    'localStorage',
    'sessionStorage',
    'Event',
    'getComputedStyle',
    'performance',
    'requestAnimationFrame',
    'AbortSignal',
    'structuredClone',
    'WebAssembly',
  ];
  return Object.fromEntries(names.map((name) => [name, 'readonly']));
}

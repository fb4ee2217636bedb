import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The server fills the marks in the index page; all addresses are relative to its base element. */
export default defineConfig({
  base: './',
  plugins: [react(), tailwindcss()],
  html: { cspNonce: '__TRUNKLINE_NONCE__' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
});

import { defineConfig } from 'vitest/config';

// The notices of what is bundled travel with it: the server gives them out beside the page.
const kLicenses = '/*! Licences: licenses.txt beside this file */';

// File names carry no hash: the server embeds a fixed set of files and answers with an ETag.
// `base: './'` keeps every URL relative, so that the page works below any proxy path.
export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2021',
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: 'app[extname]',
        banner: kLicenses,
      },
    },
  },
  worker: {
    format: 'es',
    rollupOptions: { output: { entryFileNames: 'highlight.js', banner: kLicenses } },
  },
  test: { environment: 'jsdom', include: ['tests/**/*.test.ts'], testTimeout: 60_000 },
});

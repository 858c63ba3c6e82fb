import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

/** The window's browser reads woff2; the older formats of the formulas' fonts would only be carried along. */
const onlyWoff2 = {
  name: 'only-woff2',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.includes('katex.min.css') ? code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("[^"]+"\)/g, '') : undefined,
};

export default defineConfig({
  plugins: [onlyWoff2, react(), tailwindcss()],
  build: {
    target: 'es2022',
    outDir: 'dist',
    // The content policy allows fonts from the app itself only, never from `data:`.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  // A panel of a skill's own lies beside the skill and draws with the window's React.
  resolve: { dedupe: ['react', 'react-dom'] },
  server: { port: 1420, strictPort: true, fs: { allow: ['..'] } },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    css: false,
    // One core is kept free by default, which of two is half.
    maxWorkers: '100%',
    // Generous: a slow machine is no reason to fail.
    testTimeout: 60_000,
  },
});

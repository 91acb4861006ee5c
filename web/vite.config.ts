/** Builds the page into `dist/page`, which the daemon serves: hashed names, nothing inline, nothing from elsewhere. */
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  root: path("."),
  plugins: [tailwindcss()],
  resolve: { alias: { "waybill/client": path("../src/client/index.ts") } },
  esbuild: { jsx: "automatic" },
  build: {
    outDir: path("../dist/page"),
    emptyOutDir: true,
    target: "es2022",
    // The page's policy allows no inline scripts and no data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The client's modules import files with the extension .ts.
    rollupOptions: { output: { manualChunks: vendorChunk } },
  },
});

/** Shared libraries change less often than the page itself, so browsers cache them separately. */
function vendorChunk(id: string): string | undefined {
  return /node_modules\/(react|react-dom|scheduler|@tanstack)\//.test(id) ? "vendor" : undefined;
}

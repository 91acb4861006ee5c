import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/files/longest-first.ts";

/**
 * These only bound a hang; they do not say how fast something must be. A busy machine takes ten times as long as an idle
 * one, and a test that fails for that reason says nothing about the code.
 */
const timeouts = {
  fast: { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } },
  processes: { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } },
};

/**
 * `fast` is part of `npm run check`; `daemon` runs whole daemons in the tests' own process; `e2e` runs the built program
 * as a process; `cited` reads the reports of these runs, as the last step of `npm test`; `long` is for endless loops.
 */
export default defineConfig({
  test: {
    globalSetup: "test/support/files/temporary-directory.ts",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // As in the page's own build (web/vite.config.ts).
        resolve: { alias: { "waybill/client": fileURLToPath(new URL("src/client/index.ts", import.meta.url)) } },
        test: {
          name: "fast",
          include: [
            "src/**/*.test.ts",
            "packages/**/*.test.ts",
            "web/src/**/*.test.ts",
            "test/{conformance,courier,events,mail,rules}/**/*.test.ts",
          ],
          // One process for many files: starting one for each takes longer than the tests.
          isolate: false,
          ...timeouts.fast,
        },
      },
      { test: { name: "cited", include: ["test/cited/**/*.test.ts"] } },
      {
        test: {
          name: "daemon",
          include: ["test/daemon/**/*.test.ts"],
          isolate: false,
          // Of the concurrent tests in a file: most of the time they wait.
          maxConcurrency: 20,
          ...timeouts.fast,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/{e2e,faults}/**/*.test.ts"],
          // After `daemon`: files that share a process do so only while no others come between them.
          sequence: { groupOrder: 1 },
          ...timeouts.processes,
        },
      },
      {
        test: { name: "long", include: ["test/long/**/*.test.ts"], ...timeouts.processes, testTimeout: 1_800_000 },
      },
    ],
  },
});

import { defineConfig } from "vitest/config";

/**
 * These bound a hang; none of them says how quick something has to be. A busy machine takes ten times as long as an
 * idle one, and a test that fails for that says nothing about the code.
 */
const timeouts = {
  fast: { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } },
  processes: { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 60_000 } } },
};

/**
 * `fast` is part of `npm run check`; `e2e` runs the built program as a process; `cited` reads the reports of both, as
 * the last step of `npm test`; `long` is for loops without end.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["src/**/*.test.ts", "test/{conformance,courier,events,mail,rules}/**/*.test.ts"],
          ...timeouts.fast,
        },
      },
      { test: { name: "cited", include: ["test/cited/**/*.test.ts"] } },
      { test: { name: "e2e", include: ["test/{e2e,faults}/**/*.test.ts"], ...timeouts.processes } },
      {
        test: { name: "long", include: ["test/long/**/*.test.ts"], ...timeouts.processes, testTimeout: 1_800_000 },
      },
    ],
  },
});

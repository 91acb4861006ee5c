import { defineConfig } from "vitest/config";

/** `fast` is part of `npm run check`; `e2e` runs the built program as a process; `long` is for loops without end. */
export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "fast", include: ["src/**/*.test.ts", "test/{conformance,delivery,events,rules}/**/*.test.ts"] },
      },
      { test: { name: "e2e", include: ["test/{e2e,faults}/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: "long", include: ["test/long/**/*.test.ts"], testTimeout: 1_800_000 } },
    ],
  },
});

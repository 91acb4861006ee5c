/** The order of test files: the longest first. Started last, one of them would run alone at the end. */
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Those that take much longer than others, on two cores. */
export const longest: readonly string[] = [
  "test/e2e/opencode-server.test.ts",
  "test/e2e/opencode-faults.test.ts",
  "test/e2e/opencode-clients.test.ts",
  "test/faults/crash.test.ts",
  "test/e2e/side-by-side.test.ts",
  "test/e2e/ready.test.ts",
  "test/e2e/page-deliveries.test.ts",
  "test/faults/inbox-kills.test.ts",
  "test/e2e/documented-commands.test.ts",
  "test/e2e/page-everyday.test.ts",
  "test/e2e/claude-conformance.test.ts",
  "test/e2e/aborts-and-restarts.test.ts",
  "test/e2e/opencode-tools.test.ts",
  "test/e2e/store-trust.test.ts",
  "test/e2e/opencode-fixtures.test.ts",
  "test/e2e/daemon.test.ts",
  "test/e2e/page-turns.test.ts",
  "test/e2e/teams.test.ts",
  "test/e2e/opencode-conformance.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

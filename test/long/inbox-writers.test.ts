import { expect, onTestFinished, test } from "vitest";
import { InboxDirectory } from "../support/teams/inbox-directory.ts";
import { appendBeside } from "../support/teams/inbox-writers.ts";

test.each(["reader", "locked"] as const)(
  "eight processes append 500 rows each next to a %s, and lose nothing",
  async (kind) => {
    const files = new InboxDirectory();
    onTestFinished(() => files.dispose());
    const { reads } = await appendBeside(kind, files, 500);
    expect(reads).toBeGreaterThan(50);
  },
);

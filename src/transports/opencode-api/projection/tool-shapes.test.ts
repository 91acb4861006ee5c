import { expect, test } from "vitest";
import { proposedDiff } from "./tool-shapes.ts";

test("an edit shows the removed and added lines", () => {
  expect(proposedDiff("/p/a.txt", { oldString: "One\nTwo", newString: "One\nThree\n" })).toBe(
    "--- /p/a.txt\n+++ /p/a.txt\n@@ -1,2 +1,2 @@\n-One\n-Two\n+One\n+Three\n",
  );
});

test("a written file shows its new content", () => {
  expect(proposedDiff("a.txt", { content: "One\n" })).toBe("--- a.txt\n+++ a.txt\n@@ -0,0 +1,1 @@\n+One\n");
});

test("several edits are shown one after the other", () => {
  const edits = [{ oldText: "a", newText: "b" }, { oldText: "c", newText: "" }, null];
  expect(proposedDiff("a.txt", { edits })).toBe("--- a.txt\n+++ a.txt\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -1,1 +0,0 @@\n-c\n");
});

test("a call without edits has no diff", () => {
  expect(proposedDiff("a.txt", { command: "rm a.txt" })).toBeNull();
  expect(proposedDiff("a.txt", { edits: ["x"] })).toBeNull();
});

import { expect, test } from "vitest";
import { claudeFileChange } from "./file-change.ts";

test("an edit shows the program's own hunks", () => {
  const hunk = (start: number) => ({
    oldStart: start,
    oldLines: 1,
    newStart: start,
    newLines: 2,
    lines: ["-a", "+b", "+c"],
  });
  const result = { filePath: "/a", originalFile: "…", structuredPatch: [hunk(3), hunk(9)] };
  const diff = "--- /a\n+++ /a\n@@ -3,1 +3,2 @@\n-a\n+b\n+c\n@@ -9,1 +9,2 @@\n-a\n+b\n+c\n";
  expect(claudeFileChange("MultiEdit", {}, result)).toEqual({ type: "file", path: "/a", change: "modified", diff });
});

test.each([
  ["with lines", "one\ntwo\n", "--- /dev/null\n+++ /a\n@@ -0,0 +1,2 @@\n+one\n+two\n"],
  ["without a final line break", "one", "--- /dev/null\n+++ /a\n@@ -0,0 +1,1 @@\n+one\n\\ No newline at end of file\n"],
  ["without any line", "", null],
])("a new file %s is added", (_what, content, diff) => {
  const result = { type: "create", filePath: "/a", content, structuredPatch: [], originalFile: null };
  expect(claudeFileChange("Write", {}, result)).toEqual({ type: "file", path: "/a", change: "added", diff });
});

test.each([
  ["changed", "1\n2\n3\n", "1\nb\n3\n", "@@ -2,1 +2,1 @@\n-2\n+b\n"],
  ["inserted", "1\n2\n", "1\nnew\n2\n", "@@ -1,0 +2,1 @@\n+new\n"],
  ["removed", "1\n2\n2\n", "1\n2\n", "@@ -3,1 +2,0 @@\n-2\n"],
  ["left without a final line break", "1\n2\n", "1\n2", "@@ -2,1 +2,1 @@\n-2\n+2\n\\ No newline at end of file\n"],
])("a notebook change with both versions shows the lines that were %s", (_what, before, after, hunk) => {
  const result = { notebook_path: "/n", error: "", original_file: before, updated_file: after };
  const diff = `--- /n\n+++ /n\n${hunk}`;
  expect(claudeFileChange("NotebookEdit", {}, result)).toEqual({ type: "file", path: "/n", change: "modified", diff });
});

test("a change with only its call known still names the file", () => {
  const of = (tool: string, input: object) => claudeFileChange(tool, { ...input }, {});
  expect(of("Edit", { file_path: "/a" })).toEqual({ type: "file", path: "/a", change: "modified", diff: null });
  expect(of("Write", { file_path: "/a" })).toEqual({ type: "file", path: "/a", change: "unknown", diff: null });
});

test.each([
  ["another tool", "Read", { file_path: "/a" }, { filePath: "/a" }],
  ["a failed edit", "NotebookEdit", {}, { notebook_path: "/a", error: "no such cell" }],
  ["an edit without a file", "Edit", {}, {}],
])("%s changes no file", (_what, tool, input, result) => {
  expect(claudeFileChange(tool, input, result)).toBeNull();
});

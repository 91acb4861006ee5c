import { expect, test } from "vitest";
import { permissionRequest, takesAlways } from "./permission-request.ts";

const nothing = { tool: null, input: null, detail: null, diff: null };

test("a command is shown in full, and the other input separately", () => {
  const input = { command: "npm test &&\nrm -rf build", description: "Tests, then cleans", timeout: 5 };
  expect(permissionRequest({ ...nothing, title: "bash: npm test, rm -rf build", tool: "bash", input })).toEqual({
    tool: "bash",
    shown: [
      { label: "Asks for", text: "npm test, rm -rf build" },
      { label: "Command", text: "npm test &&\nrm -rf build" },
    ],
    diff: null,
    path: null,
    other: { description: "Tests, then cleans", timeout: 5 },
    always: [],
  });
});

test("a title that only repeats the command is not shown twice", () => {
  for (const tool of ["bash", null]) {
    const { shown, other } = permissionRequest({
      ...nothing,
      title: "bash: ls -la",
      tool,
      input: { command: "ls -la" },
    });
    expect(shown).toEqual([{ label: "Command", text: "ls -la" }]);
    expect(other).toBeNull();
  }
});

test("without input, the title says what is requested", () => {
  const unknown = permissionRequest({ ...nothing, title: "webfetch: https://example.com", detail: {} });
  expect(unknown).toMatchObject({ tool: null, shown: [{ label: "Asks for", text: "webfetch: https://example.com" }] });
  const known = permissionRequest({ ...nothing, title: "Webfetch: https://example.com", tool: "webfetch" });
  expect(known.shown).toEqual([{ label: "Asks for", text: "https://example.com" }]);
});

test("the input may be in the program's own detail, wrapped or plain", () => {
  const wrapped = { tool: "Write", input: { file_path: "/tmp/a", content: "x" }, suggestions: [] };
  const request = permissionRequest({ ...nothing, title: "Write: /tmp/a", tool: "Write", detail: wrapped });
  expect(request).toMatchObject({ path: "/tmp/a", other: null });
  expect(request.shown).toEqual([
    { label: "Path", text: "/tmp/a" },
    { label: "Content", text: "x" },
  ]);
  const plain = permissionRequest({ ...nothing, title: "bash: ls", detail: { command: "ls" } });
  expect(plain.shown).toEqual([{ label: "Command", text: "ls" }]);
});

test("a diff replaces the texts that it was made from", () => {
  const input = { filePath: "/src/a.ts", oldString: "one", newString: "two", replaceAll: true };
  const diff = "@@ -1 +1 @@\n-one\n+two\n";
  const detail = { filepath: "/src/a.ts", diff };
  const request = permissionRequest({ title: "edit: src/a.ts", tool: "edit", input, detail, diff });
  expect(request).toMatchObject({ diff, path: "/src/a.ts", other: { replaceAll: true } });
  expect(request.shown).toContainEqual({ label: "Path", text: "/src/a.ts" });
  expect(request.shown.some(({ text }) => text.includes("one"))).toBe(false);
});

test("without a diff, the texts before and after every edit are shown", () => {
  const one = { old_string: "one", new_string: "two" };
  const added = { old_string: "", new_string: "three" };
  const input = { file_path: "/a", ...one, edits: [added] };
  const request = permissionRequest({ ...nothing, title: "Edit: /a", tool: "Edit", input });
  expect(request.other).toBeNull();
  expect(request.shown).toEqual([
    { label: "Path", text: "/a" },
    { label: "Replaces", text: "one", change: "removed" },
    { label: "With", text: "two", change: "added" },
    { label: "With", text: "three", change: "added" },
  ]);
});

test("a permission of another kind than the tool keeps its whole title", () => {
  const input = { command: "cat /etc/hosts" };
  const request = permissionRequest({ ...nothing, title: "external_directory: /etc/*", tool: "bash", input });
  expect(request.shown).toEqual([
    { label: "Asks for", text: "external_directory: /etc/*" },
    { label: "Command", text: "cat /etc/hosts" },
  ]);
});

test("what the program reports in addition to the input is kept", () => {
  const detail = { parentDir: "/etc" };
  const request = permissionRequest({ ...nothing, title: "read: /etc/hosts", input: { path: "/etc/hosts" }, detail });
  expect(request.other).toEqual({ parentDir: "/etc" });
});

test('what "always" covers comes from the patterns or the rules that the program suggests', () => {
  const opencode = permissionRequest({ ...nothing, title: "bash: git log", detail: { always: ["git *"] } });
  expect(opencode.always).toEqual(["git *"]);
  expect(opencode.other).toBeNull();
  const suggestions = [
    { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "npm test:*" }, { toolName: "Read" }] },
    { type: "setMode", mode: "acceptEdits" },
    { type: "addDirectories", directories: ["/srv"] },
    "what nobody knows",
  ];
  const detail = { tool: "Bash", input: {}, suggestions };
  const claude = permissionRequest({ ...nothing, title: "Bash: npm test", detail });
  expect(claude.always).toEqual(["Bash(npm test:*)", "Read", "mode acceptEdits", "/srv"]);
});

test("a request from an inbox file can only be allowed once", () => {
  expect(takesAlways({ id: "inbox:core:dev:7" })).toBe(false);
  expect(takesAlways({ id: "per_1" })).toBe(true);
});

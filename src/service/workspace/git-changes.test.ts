import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileWorkspace } from "../../../test/support/files/file-workspace.ts";
import type { GitChange } from "./git-changes.ts";
import { changesFrom } from "./git-changes.ts";
import { withRepositoryCopy } from "./repository-copy.ts";

/** A clean repository with one commit. */
function committedPlace() {
  const place = fileWorkspace({ git: true });
  const run = (...args: string[]) => {
    const who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"];
    return execFileSync("git", ["-C", place.directory, ...who, ...args], { env: { PATH: process.env.PATH ?? "" } });
  };
  const changes = (query = "mode=git") => place.read<GitChange[]>(`/vcs/diff?${query}`);
  run("add", "a.txt", "src", "picture.png", ".gitignore", "link.txt", "out", "within");
  run("commit", "-q", "-m", "first");
  return { ...place, run, changes };
}

const inShort = (changes: readonly GitChange[]) =>
  changes.map(({ file, status, additions, deletions }) => `${status} ${file} +${additions} -${deletions}`);

describe("the changes in a repository", () => {
  it("are listed by file, including new and deleted ones, without ignored or hidden files", async () => {
    const { write, directory, changes } = committedPlace();
    write("a.txt", "  first line\nno needle\n");
    write("a new one.txt", "1\n2");
    write("src/ünder.ts", "diff --git a/a.txt b/a.txt\n");
    write("picture.png", Buffer.from([0x89, 0x50, 0, 2]));
    rmSync(join(directory, "src/main.ts"));
    const found = await changes();
    expect(inShort(found)).toEqual([
      "added a new one.txt +2 -0",
      "modified a.txt +1 -1",
      "modified picture.png +0 -0",
      "deleted src/main.ts +0 -1",
      "added src/ünder.ts +1 -0",
    ]);
    expect(found[1]?.patch).toMatch(
      /^diff --git a\/a\.txt b\/a\.txt\n.*\n@@ -1,2 \+1,2 @@\n {3}first line\n-the needle\n\+no needle\n$/s,
    );
  });

  it("are empty in a clean repository, and without a repository", async () => {
    expect(await committedPlace().changes()).toEqual([]);
    expect(await fileWorkspace({ git: false }).read("/vcs/diff?mode=git")).toEqual([]);
  });

  it("are all files before the first commit", async () => {
    const { read } = fileWorkspace({ git: true });
    const found = inShort(await read<GitChange[]>("/vcs/diff?mode=git"));
    expect(found).toContain("added a.txt +2 -0");
    expect(found.join()).not.toMatch(/token|ignored\.txt/);
  });

  it("have as much context as requested, by default the whole file", async () => {
    const { write, run, changes } = committedPlace();
    const lines = Array.from({ length: 40 }, (_, i) => `${i}`);
    write("long.txt", `${lines.join("\n")}\n`);
    run("add", "long.txt");
    run("commit", "-q", "-m", "second");
    write("long.txt", `${lines.with(20, "changed").join("\n")}\n`);
    expect((await changes("mode=git&context=1"))[0]?.patch).toContain("@@ -20,3 +20,3 @@");
    expect((await changes())[0]?.patch).toContain("@@ -1,40 +1,40 @@");
  });

  it("of a branch are those since it left the default branch", async () => {
    const { write, run, changes } = committedPlace();
    write("a.txt", "");
    expect(await changes("mode=branch")).toEqual([]);
    run("checkout", "-q", "-b", "feature");
    write("src/main.ts", "export {};\n");
    run("commit", "-q", "-m", "second", "--", "src/main.ts");
    expect(inShort(await changes("mode=branch"))).toEqual(["modified a.txt +0 -2", "modified src/main.ts +1 -1"]);
  });

  it("for a file that became a link show both its removal and the new link", async () => {
    const { directory, changes } = committedPlace();
    rmSync(join(directory, "a.txt"));
    symlinkSync("src/main.ts", join(directory, "a.txt"));
    const [change] = await changes();
    expect(change?.patch?.match(/^diff --git/gm)).toHaveLength(2);
  });

  it("are read without running any program that the repository names, and without writing to it", async () => {
    const { write, run, root, directory, changes } = committedPlace();
    const [program, trace] = [join(root, "program"), join(root, "was-here")];
    write("../program", `#!/bin/sh\ntouch ${trace}\ncat\n`);
    chmodSync(program, 0o755);
    for (const name of ["filter.own.clean", "filter.own.process", "diff.own.command", "diff.own.textconv"]) {
      run("config", name, program);
    }
    run("config", "diff.external", program);
    run("config", "core.fsmonitor", program);
    write(".gitattributes", "* filter=own diff=own\n");
    write(".git/info/attributes", "* filter=own diff=own\n");
    write("a.txt", "changed\n");
    write("new.txt", "new\n");
    const before = run("count-objects", "-v").toString();
    rmSync(trace, { force: true });
    expect(inShort(await changes())).toEqual([
      "added .gitattributes +1 -0",
      "modified a.txt +1 -2",
      "added new.txt +1 -0",
    ]);
    expect(existsSync(trace)).toBe(false);
    expect(execFileSync("git", ["-C", directory, "count-objects", "-v"]).toString()).toBe(before);
  });

  it("are read without fetching missing objects, because the repository names the program for that", async () => {
    const { write, run, root, changes } = committedPlace();
    const [program, trace] = [join(root, "program"), join(root, "was-here")];
    write("../program", `#!/bin/sh\ntouch ${trace}\n`);
    chmodSync(program, 0o755);
    run("checkout", "-q", "-b", "feature");
    const settings = { "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin" };
    const remote = { promisor: "true", url: root, uploadpack: program };
    for (const [name, value] of Object.entries(settings)) run("config", name, value);
    for (const [name, value] of Object.entries(remote)) run("config", `remote.origin.${name}`, value);
    write(".git/refs/heads/feature", `${"1".repeat(40)}\n`);
    await changes();
    await changes("mode=branch");
    expect(existsSync(trace)).toBe(false);
  });

  it("are refused when the index is not a regular file or is too large", async () => {
    const { directory, changes } = committedPlace();
    const index = join(directory, ".git/index");
    rmSync(index);
    execFileSync("mkfifo", [index]);
    expect(await changes()).toMatchObject({ data: { code: "not_possible" } });
    rmSync(index);
    closeSync(openSync(index, "w"));
    truncateSync(index, 2 ** 40);
    expect(await changes()).toMatchObject({ data: { code: "not_possible" } });
  });

  it("include files with unusual names, and are not stopped by a name that is not Unicode", async () => {
    const { write, directory, changes } = committedPlace();
    const names = ['a "b" c', "back\\slash", "line\nbreak", "tab\there", "x b", " b/ b/ b/x b"];
    for (const name of names) write(name, "1\n");
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x66, 0xfc])]), "1\n");
    const found = await changes();
    expect(inShort(found).sort()).toEqual(names.map((name) => `added ${name} +1 -0`).sort());
  });

  it("are assigned to the right file, even if a file's content looks like another file's diff", async () => {
    const { write, changes } = committedPlace();
    const forged = "diff --git a/src/main.ts b/src/main.ts\n+++ b/src/main.ts\n@@ -1 +1 @@\n-a\n+b\n";
    write("a.txt", ["", "\r", "\u2028", "\u2029"].map((edge) => `x${edge}${forged}`).join(""));
    write("src/main.ts", "changed\n");
    const [first, second] = await changes();
    expect(first?.patch?.match(/diff --git a\/src\/main\.ts/g)).toHaveLength(4);
    expect(second?.patch?.match(/diff --git/g)).toHaveLength(1);
  });

  it("are refused if the request does not name what to compare with", async () => {
    const { ask } = committedPlace();
    for (const query of ["", "?mode=all", "?mode=git&context=-1"]) {
      expect((await ask(`/opencode/vcs/diff${query}`)).status).toBe(400);
    }
  });
});

it("the index copy keeps its modification time, because git trusts a newer index too much", async () => {
  const { directory } = committedPlace();
  utimesSync(join(directory, ".git/index"), 1000.9, 1000.9);
  const age = await withRepositoryCopy(directory, async ({ ask }) => {
    const index = await ask(directory, ["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    return statSync(index?.trim() ?? "").mtimeMs;
  });
  expect(age).toBe(1_000_000);
});

it("changes that are too large have only their line counts", () => {
  expect(changesFrom("1\t2\ta.txt\0-\t-\tb c.png\0")).toEqual([
    { file: "a.txt", additions: 1, deletions: 2 },
    { file: "b c.png", additions: 0, deletions: 0 },
  ]);
});

import { describe, expect, test } from "vitest";
import { claimedFiles } from "./claims.ts";

describe("files that an answer names", () => {
  test.each<[string, string[]]>([
    ["Wrote hello.txt.", ["hello.txt"]],
    [
      "I created `src/app.ts` and **docs/guide.md**, see also (README.md).",
      ["src/app.ts", "docs/guide.md", "README.md"],
    ],
    ["The report is in ./out/report-2.html:12", ["out/report-2.html"]],
    ["Saved to /srv/app/data.json!", ["/srv/app/data.json"]],
    ["Wrote übersicht.csv and .github/workflows/ci.yml", ["übersicht.csv", ".github/workflows/ci.yml"]],
    ["Updated a.ts, a.ts and a.ts", ["a.ts"]],
    ["Done: index.html\nstyle.css", ["index.html", "style.css"]],
    ["```\ncat made-up.txt\n```\nWrote real.txt", ["real.txt"]],
  ])("%j", (text, names) => expect(claimedFiles(text)).toEqual(names));

  test.each([
    "See https://example.com/guide.html and www.example.org/a.css",
    "It is at example.com/docs/index.html",
    "Mail me@example.md about it",
    "Call app.ts() or config.json[0]",
    "console.log prints process.env and Math.max(1, 2)",
    "It runs on Node.js 20.19.0 with Vue.js",
    "All *.ts files, <name>.ts and {x}.json",
    "Deleted old.ts.",
    "I removed the file src/gone.ts",
    "The file notes.md does not exist",
    "You could create setup.sh next",
    "There is no such file as x.txt",
    "```sh\ncat made-up.txt\n```",
    "- So:\n    ~~~\n    cat made-up.txt",
    "Look at ../outside.txt",
    "1.2.3 is out, i.e. the newest.",
  ])("none in %j", (text) => expect(claimedFiles(text)).toEqual([]));

  test("are at most ten, whatever the text, and are found quickly", () => {
    const many = Array.from({ length: 50 }, (_, index) => `file-${index}.txt`).join(" ");
    expect(claimedFiles(many)).toHaveLength(10);
    // Takes minutes with a pattern that backtracks.
    claimedFiles(`${"a/".repeat(50_000)}x ${"a.".repeat(50_000)} ${"-".repeat(100_000)}`);
    claimedFiles(`a${" \n".repeat(200_000)}b`);
  });
});

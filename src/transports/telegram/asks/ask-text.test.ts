import { describe, expect, test } from "vitest";
import { permissionText, questionText } from "./ask-text.ts";

const directory = "/code/repository";

describe("a permission shows", () => {
  test("the command, once, and the directory", () => {
    const text = permissionText("bash: make", { command: "make", description: "builds it" }, directory);
    expect(text.match(/make/g)).toHaveLength(1);
    expect(text).toContain(directory);
  });

  test("the whole command where the title shortens it", () => {
    expect(permissionText("Bash", { tool: "Bash", input: { command: "make all" } }, directory)).toContain(
      "```sh\nmake all\n```",
    );
  });

  test("the diff of an edit, or makes one of what is replaced", () => {
    expect(permissionText("edit: a.ts", { diff: "-old\n+new" }, directory)).toContain("```diff\n-old\n+new\n```");
    const input = { file_path: "a.ts", old_string: "old", new_string: "new\nmore" };
    expect(permissionText("Edit: a.ts", { tool: "Edit", input }, directory)).toContain(
      "```diff\n-old\n+new\n+more\n```",
    );
  });

  test("nothing but the title where the program says no more", () => {
    expect(permissionText("webfetch", null, directory).match(/```/g)).toHaveLength(2);
  });

  test("so much that it stays one message, also with fences and emoji in it", () => {
    const detail = { command: "😀```\n".repeat(5000) };
    const text = permissionText("t".repeat(5000), detail, `/${"d".repeat(3000)}`);
    expect(text.length).toBeLessThan(4000);
    expect(text).toContain("more characters)");
    expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe("a question shows", () => {
  const options = [
    { label: "Red", description: "like fire" },
    { label: "Blue", description: null },
  ];

  test("its text, what it is about, and what options mean", () => {
    const text = questionText({ header: "Colour", question: "Which?", options, multiple: false }, 0, 1);
    expect(text).toBe("❓ The agent asks:\n\n**Colour**\nWhich?\n\n- Red: like fire");
  });

  test("its number among several", () => {
    expect(questionText({ header: null, question: "Which?", options: [], multiple: false }, 1, 3)).toContain(
      "(2 of 3)",
    );
  });
});

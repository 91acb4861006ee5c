import { describe, expect, test } from "vitest";
import { permissionText, questionText } from "./ask-text.ts";

const directory = "/code/repository";

describe("a permission shows", () => {
  test("the command, once, and the directory", () => {
    const text = permissionText("bash: make", { command: "make", description: "builds it" }, directory);
    expect(text.match(/make/g)).toHaveLength(1);
    expect(text).toContain(directory);
  });

  test("the whole command if the title shortens it", () => {
    expect(permissionText("Bash", { tool: "Bash", input: { command: "make all" } }, directory)).toContain(
      "```sh\nmake all\n```",
    );
  });

  test("the diff of an edit, or one made from the replaced text", () => {
    expect(permissionText("edit: a.ts", { diff: "-old\n+new" }, directory)).toContain("```diff\n-old\n+new\n```");
    const input = { file_path: "a.ts", old_string: "old", new_string: "new\nmore" };
    expect(permissionText("Edit: a.ts", { tool: "Edit", input }, directory)).toContain(
      "```diff\n-old\n+new\n+more\n```",
    );
  });

  test("only the title if the agent program reports nothing else", () => {
    expect(permissionText("webfetch", null, directory).match(/```/g)).toHaveLength(2);
  });

  test("no more than fits into one message, even with fences and emoji", () => {
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

  test("its text, its header, and what the options mean", () => {
    const text = questionText({ header: "Colour", question: "Which?", options, multiple: false }, 0, 1);
    expect(text).toBe("❓ The agent asks:\n\n**Colour**\nWhich?\n\n- Red: like fire");
  });

  test("its number if there are several", () => {
    expect(questionText({ header: null, question: "Which?", options: [], multiple: false }, 1, 3)).toContain(
      "(2 of 3)",
    );
  });
});

import { expect, test } from "vitest";
import { beginningOf, exactText, proseText, terminalText } from "./safe-text.ts";

test("terminal output loses its colours, titles and cursor movements", () => {
  expect(terminalText("\u001b[31mred\u001b[0m \u001b]0;title\u0007done\u0008")).toBe("red done");
  expect(terminalText("10%\r50%\r100%\nend\r\n")).toBe("100%\nend\n");
});

test("a command that a person decides about shows invisible characters", () => {
  expect(exactText("rm \u202egpj.exe")).toBe("rm ⟨U+202E⟩gpj.exe");
  expect(exactText("a\u0000b\nc")).toBe("a⟨U+0000⟩b\nc");
  expect(exactText("rm\u200b -r\u2028x\u{e0041}")).toBe("rm⟨U+200B⟩ -r⟨U+2028⟩x⟨U+E0041⟩");
  expect(exactText("größe\tя 漢字")).toBe("größe\tя 漢字");
});

test("prose cannot change the text direction around it", () => {
  expect(proseText("ab\u202ecd\u2066\u200f")).toBe("abcd");
});

test("a long text is cut by lines and by characters", () => {
  expect(beginningOf("a\nb\nc", 2, 100)).toEqual({ text: "a\nb", leftOut: 2 });
  expect(beginningOf("x".repeat(50), 10, 20)).toEqual({ text: "x".repeat(20), leftOut: 30 });
  expect(beginningOf("short", 10, 20)).toEqual({ text: "short", leftOut: 0 });
});

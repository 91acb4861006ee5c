import { describe, expect, test } from "vitest";
import { judgeSubstance } from "../proof/acknowledgement.ts";
import { providerErrorAsText } from "../proof/provider-notice.ts";
import { cleanText } from "./clean-text.ts";

describe("cleaning removes everything that is not text", () => {
  test.each([
    ["zero-width characters", "It\u200b is\u2060 blue.\ufeff", "It is blue."],
    ["bidirectional control characters", "It is \u202eblue\u202c.", "It is blue."],
    ["terminal escape sequences", "\u001b[31mIt is blue.\u001b[0m", "It is blue."],
    ["lone surrogates", "It is \ud83d blue.", "It is  blue."],
    ["reasoning", "<think>Hm.\nBlue?</think>\n\nIt is blue.", "It is blue."],
    ["reasoning in other tags", "<reasoning>Hm.</reasoning>[THINK]Hm.[/THINK]It is blue.", "It is blue."],
    ["nested reasoning", "<think>a<think>b</think>c</think>It is blue.", "It is blue."],
    ["reasoning that the model's template opened", "Hm. Blue?\n</think>\n\nIt is blue.", "It is blue."],
    ["everything after an unclosed reasoning tag", "It is blue.\n<think>But what if", "It is blue."],
    ["a tool call", 'It is blue.\n<tool_call>{"name":"read"}</tool_call>', "It is blue."],
    ["a tool call in a fence", "It is blue.\n```tool_code\nread()\n```", "It is blue."],
    ["control tokens", "It is blue.<|im_end|></s>", "It is blue."],
    [
      "a model's channels",
      "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>It is blue.<|return|>",
      "It is blue.",
    ],
    ["Windows line ends", "It is\r\nblue.", "It is\nblue."],
  ])("%s", (_, raw, text) => {
    expect(cleanText(raw)).toBe(text);
  });

  test.each([
    ["only invisible characters", "\u200b\u200d\u00ad\u3164\u2800"],
    ["only combining marks", "\u0301\u0302\u0303"],
    ["only a lone surrogate", "\ud800"],
    ["only reasoning", "<think>Hm."],
    ["only a tool call", '{"name":"bash","arguments":{"command":"ls"}}'],
    ["only tokens", "<|im_start|>assistant<|im_end|>"],
    ["a placeholder", "(no content)"],
    ["another placeholder", "[Request interrupted by user]"],
    ["a program's own filler text", "No response requested."],
    ["nothing", " \n\t"],
  ])("%s counts as empty", (_, raw) => {
    expect(cleanText(raw)).toBe("");
  });
});

describe("cleaning keeps everything that is text", () => {
  test.each([
    ["tags in code", "Use `<think>` here."],
    ["tags in a code block", "```\n<think>a</think>\n```"],
    ["tags named in a sentence", "Put it between <think> and </think>, please."],
    ["a tag named in a sentence", "The <think> tag is deprecated."],
    ["emoji of several characters", "👨‍👩‍👧 ❤️ 🇩🇪"],
    ["words that need joiners", "می‌خواهم"],
    ["other markup", "It is <b>blue</b>."],
    ["JSON that is not a call", '{"name":"waybill","version":"1.0.0"}'],
    ["a word that programs write in brackets as a placeholder", "none"],
    ["an empty list", "[]"],
  ])("%s", (_, text) => {
    expect(cleanText(text)).toBe(text);
  });
});

describe("cleaning takes time linear in the length of the text", () => {
  const length = 262_144;
  const filled = (unit: string) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

  test.each([
    ["letters", "a"],
    ["spaces", " "],
    ["line ends", "\n"],
    ["brackets", "<"],
    ["backticks", "`"],
    ["opened tags", "<think>"],
    ["closed tags", "</think>"],
    ["opened and closed tags", "<think>a</think>"],
    ["tags of two kinds", "<think><invoke></invoke>"],
    ["tokens", "<|a"],
    ["joiners", "a\u200c"],
    ["combining marks", "\u0301"],
    ["lone surrogates", "\ud800"],
    ["bidirectional control characters", "\u202e"],
    ["acknowledgements", "Got it, will do. "],
    ["errors", "Error: rate limit exceeded. "],
    ["open JSON brackets", "{"],
  ])("of %s", (_, unit) => {
    const text = filled(unit);
    const started = performance.now();
    const cleaned = cleanText(text);
    judgeSubstance(text);
    providerErrorAsText(cleaned);
    // About a tenth of a second on an idle machine; anything superlinear takes minutes.
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

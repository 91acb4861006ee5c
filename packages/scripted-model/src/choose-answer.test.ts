import { describe, expect, test } from "vitest";
import type { IsUsed } from "./choose-answer.ts";
import { chooseAnswer } from "./choose-answer.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelScriptInput } from "./script.ts";
import { modelScriptSchema } from "./script.ts";

const nothingUsed: IsUsed = () => false;

function chosen(script: ModelScriptInput, request: Partial<ModelRequest>, isUsed = nothingUsed) {
  const whole: ModelRequest = {
    api: "openai",
    model: "scripted",
    stream: true,
    wantsUsage: false,
    tools: ["bash"],
    files: [],
    system: "",
    prompt: "",
    earlier: "",
    answered: 0,
    callIds: [],
    result: "",
    size: 0,
    ...request,
  };
  return chooseAnswer(modelScriptSchema.parse(script), whole, isUsed, () => "1234");
}

describe("the chosen rule", () => {
  const script: ModelScriptInput = {
    rules: [
      { when: "deploy", steps: [{ say: "text" }] },
      { when: "/^RENAME (\\w+) to (\\w+)/im", steps: [{ say: "{{1}}, {{2}}{{3}}" }] },
    ],
    otherwise: [{ say: "otherwise: {{text}}" }],
  };

  test("is the first whose text occurs in the prompt", () => {
    expect(chosen(script, { prompt: "please deploy\nrename a to b" })).toMatchObject({
      rule: 0,
      answer: { say: "text" },
    });
  });

  test("is the first whose pattern matches, with its groups", () => {
    expect(chosen(script, { prompt: "please\nrename a to b" })).toMatchObject({ rule: 1, answer: { say: "a, b" } });
  });

  test("is null if none matches", () => {
    const { rule, answer } = chosen(script, { prompt: "What costs $& {{text}}?" });
    expect([rule, answer.say]).toEqual([null, "otherwise: What costs $& {{text}}?"]);
  });

  test("is not a `once` rule that has already begun a turn", () => {
    const once: ModelScriptInput = {
      rules: [{ once: true, steps: [{ say: "first" }] }, { steps: [{ say: "later" }] }],
    };
    expect(chosen(once, {}).answer.say).toBe("first");
    expect(chosen(once, {}, (rule) => rule === 0).answer.say).toBe("later");
  });
});

describe("the chosen step", () => {
  const bash = { tool: "bash", input: { command: "echo {{text}}" } };
  const script: ModelScriptInput = {
    rules: [
      { when: "a", once: true, steps: [{ tools: [bash] }, { say: "a" }] },
      { when: "a", steps: [{ tools: [bash] }, { say: "b" }, { say: "c" }] },
    ],
  };

  test("follows the step whose tools were called, by the ids of these calls", () => {
    const begun = chosen(script, { prompt: "a" });
    const callIds = begun.answer.tools.map(({ id }) => id);
    const next = chosen(script, { prompt: "a", answered: 1, callIds }, (rule) => rule === 0);
    expect(next).toMatchObject({ rule: 0, step: 1, answer: { say: "a" } });
  });

  test("is found by the number of answers if the ids are not the script's own", () => {
    const next = chosen(script, { prompt: "a", answered: 2, callIds: ["toolu_1"] }, (rule) => rule === 0);
    expect(next).toMatchObject({ rule: 1, step: 2, answer: { say: "c" } });
  });

  test("comes from another rule if a new script has a rule in this place that does not match", () => {
    const other: ModelScriptInput = { rules: [{ when: "b" }, { when: "a", steps: [{ say: "0" }, { say: "1" }] }] };
    expect(chosen(other, { prompt: "a", answered: 1, callIds: ["call_0_0_1234"] })).toMatchObject({ rule: 1, step: 1 });
  });

  test("is empty after the last one", () => {
    const { step, answer } = chosen(script, { prompt: "a", answered: 7 });
    expect([step, answer.say, answer.tools]).toEqual([7, undefined, []]);
  });

  test("is not a `once` step that has already answered a call", () => {
    const flaky: ModelScriptInput = { rules: [{ steps: [{ error: "rate_limit", once: true }, { say: "There." }] }] };
    expect(chosen(flaky, {})).toMatchObject({ step: 0, answer: { error: { status: 429 } } });
    expect(chosen(flaky, {}, (_rule, step) => step === 0)).toMatchObject({ step: 1, answer: { say: "There." } });
  });
});

describe("the chosen tool", () => {
  const call = (tool: string, tools: string[]) =>
    chosen({ rules: [{ steps: [{ tools: [{ tool }] }] }] }, { tools }).answer.tools[0]?.name;

  test("is the one with that name", () => expect(call("bash", ["my_bash", "bash"])).toBe("bash"));
  test("is otherwise the shortest name that ends with it", () =>
    expect(call("send", ["a_long_send", "b_send", "other"])).toBe("b_send"));
  test("is otherwise one that does not exist, as a confused model would choose", () =>
    expect(call("fly", ["bash"])).toBe("fly"));

  test("has templates in its input expanded at any depth", () => {
    const input = { list: [{ path: "{{text}}.txt" }], count: 3, nothing: null };
    const { answer } = chosen({ rules: [{ steps: [{ tools: [{ tool: "bash", input }] }] }] }, { prompt: "a" });
    expect(answer.tools[0]?.input).toEqual({ list: [{ path: "a.txt" }], count: 3, nothing: null });
  });
});

describe("requests without tools", () => {
  const script: ModelScriptInput = {
    rules: [{ steps: [{ say: "turn" }] }],
    title: { say: "title" },
    small: [{ when: "summar", step: { say: "summary of {{text}}" } }],
  };

  test.each([
    ["title", { system: "You are a title generator. You output only a title." }, "title"],
    ["other", { system: "You are a helpful assistant that makes summaries.", prompt: "x" }, "summary of x"],
    ["other", { prompt: "Who are you?" }, expect.stringContaining("scripted")],
  ] as const)("a %s request: %o", (kind, request, say) => {
    expect(chosen(script, { ...request, tools: [] })).toMatchObject({ kind, rule: null, answer: { say } });
  });

  test("do not include a prompt about titles that offers tools", () => {
    expect(chosen(script, { prompt: "Generate a title for my page" }).kind).toBe("turn");
  });
});

test("a script with an invalid pattern is refused", () => {
  expect(modelScriptSchema.safeParse({ rules: [{ when: "/(/" }] }).success).toBe(false);
  expect(modelScriptSchema.safeParse({ rules: [{ when: "either/or" }] }).success).toBe(true);
});

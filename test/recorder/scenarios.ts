/** What is recorded of the real OpenCode: one scenario a fixture. The scripted model says what the agent does. */
import type { ModelScriptInput, ScriptedModel } from "@waybill/scripted-model";
import type { Listener } from "./listener.ts";

export type Stage = {
  session: string;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  listener: Listener;
  model: ScriptedModel;
};
export type Scenario = {
  name: string;
  git: boolean;
  /** Whether its fixture has also what is left out of all others. */
  whole?: boolean;
  script: ModelScriptInput;
  run(stage: Stage): Promise<void>;
};

type PromptPart = { type: string; [key: string]: unknown };

const bash = (command: string) => ({ tool: "bash", input: { command, description: "runs it" } });
const read = { tool: "read", input: { filePath: "README.md" } };
const edit = (from: string, to: string) => ({
  tool: "edit",
  input: { filePath: "README.md", oldString: from, newString: to },
});
const readAndEdit = [
  { say: "I read it first.", tools: [read] },
  { say: "Now I edit it.", tools: [edit("One line.", "One line.\nAnother line.")] },
  { say: "Done: one line more." },
];
const questions = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [
      { label: "red", description: "like a rose" },
      { label: "blue", description: "like the sky" },
    ],
  },
  { question: "Which sizes?", header: "Size", multiple: true, options: [{ label: "small", description: "" }] },
];
const asking = [{ tools: [{ tool: "question", input: { questions } }] }, { say: "Thank you." }];
const task = { tool: "task", input: { description: "count", prompt: "sub work", subagent_type: "general" } };
const todos = [
  { content: "Look", status: "completed", priority: "high" },
  { content: "Write", status: "in_progress", priority: "low" },
];

async function prompt({ session, call }: Stage, text: string, id = "1", more: Record<string, unknown> = {}) {
  // Ids of messages and parts are unique in a server, not in a session.
  const unique = `${session.slice(4)}${id}`;
  const parts: PromptPart[] = [{ id: `prt_${unique}`, type: "text", text }];
  const { parts: others = [], ...rest } = more as { parts?: PromptPart[] };
  const body = { messageID: `msg_${unique}`, parts: [...parts, ...others], ...rest };
  await call("POST", `/session/${session}/prompt_async`, body);
}

const rests = ({ session, listener }: Stage, times = 1) =>
  listener.hears("session.idle", ({ sessionID }) => sessionID === session, times);

/** One prompt, to its end. */
const simply = (name: string, git: boolean, steps: ScriptedSteps, more: Partial<ModelScriptInput> = {}): Scenario => ({
  name,
  git,
  script: { rules: [{ when: "go", steps }], ...more },
  run: async (stage) => {
    await prompt(stage, "go");
    await rests(stage);
  },
});
type ScriptedSteps = NonNullable<NonNullable<ModelScriptInput["rules"]>[number]["steps"]>;

const answering = (
  name: string,
  steps: ScriptedSteps,
  answer: (stage: Stage, properties: Record<string, unknown>) => Promise<unknown>,
  asked = "permission.asked",
): Scenario => ({
  name,
  git: false,
  script: { rules: [{ when: "go", steps }] },
  run: async (stage) => {
    await prompt(stage, "go");
    await answer(stage, await stage.listener.hears(asked));
    await rests(stage);
  },
});

const permission =
  (reply: string) =>
  ({ call }: Stage, { id }: Record<string, unknown>) =>
    call("POST", `/permission/${id}/reply`, { reply });

const abortWhen = (
  name: string,
  step: ScriptedSteps[number],
  isReady: (stage: Stage) => Promise<unknown>,
): Scenario => ({
  name,
  git: false,
  script: { rules: [{ when: "go", steps: [step] }] },
  run: async (stage) => {
    await prompt(stage, "go");
    await isReady(stage);
    await stage.call("POST", `/session/${stage.session}/abort`);
    await rests(stage);
  },
});

const full = { usage: { input: 99_000, output: 100 } };

export const scenarios: readonly Scenario[] = [
  { ...simply("read-and-edit", true, readAndEdit), whole: true },
  simply("read-and-edit-without-git", false, readAndEdit),
  simply("ten-tools", false, [...Array.from({ length: 10 }, () => ({ tools: [read] })), { say: "Ten times." }]),
  simply("reasoning", false, [{ think: "Let me think about it.", say: "I have thought." }]),
  simply("new-file", true, [
    { tools: [{ tool: "write", input: { filePath: "notes.txt", content: "a note\n" } }] },
    { say: "Written." },
  ]),
  simply("todo-list", false, [{ tools: [{ tool: "todowrite", input: { todos } }] }, { say: "Planned." }]),
  simply("tool-error", false, [
    { tools: [{ tool: "read", input: { filePath: "nowhere.md" } }] },
    { say: "Not there." },
  ]),
  simply("billing-error", false, [{ error: "insufficient_balance" }]),
  simply("retried-error", false, [{ error: "unavailable", once: true }, { say: "It went well the second time." }]),
  simply("compaction", false, [{ tools: [read], ...full }], {
    rules: [
      { when: "go", steps: [{ tools: [read], ...full }] },
      { when: "/^Continue/", steps: [{ say: "Went on." }] },
    ],
  }),
  simply("subtask", false, [], {
    rules: [
      { when: "sub work", steps: [{ tools: [read] }, { say: "I counted 3." }] },
      { when: "go", steps: [{ tools: [task] }, { say: "Counted below: 3." }] },
    ],
  }),
  answering("permission-allowed", [{ tools: [bash("echo hello")] }, { say: "It ran." }], permission("once")),
  answering("permission-rejected", [{ tools: [bash("echo hello")] }, { say: "It ran." }], permission("reject")),
  answering(
    "question-answered",
    asking,
    ({ call }, { id }) => call("POST", `/question/${id}/reply`, { answers: [["blue"], ["small"]] }),
    "question.asked",
  ),
  answering(
    "question-rejected",
    asking,
    ({ call }, { id }) => call("POST", `/question/${id}/reject`),
    "question.asked",
  ),
  abortWhen("abort-in-tool", { tools: [bash("echo begun; sleep 20")] }, async (stage) => {
    await permission("once")(stage, await stage.listener.hears("permission.asked"));
    const isOut = ({ part }: Record<string, unknown>) => JSON.stringify(part).includes('"output":"begun');
    await stage.listener.hears("message.part.updated", isOut);
  }),
  abortWhen(
    "abort-in-text",
    { say: "This is said so slowly that somebody stops it.", pieceMs: 150, pieceLength: 6 },
    ({ listener }) => listener.hears("message.part.delta", undefined, 2),
  ),
  {
    name: "two-turns",
    git: false,
    script: { rules: [{ when: "/(one|two)/", steps: [{ say: "I say {{1}}." }] }] },
    run: async (stage) => {
      await prompt(stage, "one");
      await rests(stage);
      await prompt(stage, "two", "2");
      await rests(stage, 2);
    },
  },
  {
    name: "prompt-in-mid-turn",
    git: false,
    script: {
      rules: [
        { when: "two", steps: [{ say: "That was the second." }] },
        { when: "one", steps: [{ say: "I look.", tools: [bash("sleep 1")] }, { say: "That was the first." }] },
      ],
    },
    run: async (stage) => {
      await prompt(stage, "one");
      const ask = await stage.listener.hears("permission.asked");
      await prompt(stage, "two", "2");
      const isSecond = ({ part }: Record<string, unknown>) => JSON.stringify(part).includes('"text":"two"');
      await stage.listener.hears("message.part.updated", isSecond);
      await permission("once")(stage, ask);
      await rests(stage);
    },
  },
  {
    name: "unknown-agent",
    git: false,
    script: {},
    run: async (stage) => {
      await prompt(stage, "go", "1", { agent: "nobody" });
      await stage.listener.hears("session.error");
    },
  },
  {
    name: "unknown-model",
    git: false,
    script: {},
    run: async (stage) => {
      await prompt(stage, "go", "1", { model: { providerID: "scripted", modelID: "other" } });
      await stage.listener.hears("session.error");
    },
  },
  {
    name: "files-in-prompt",
    git: false,
    script: { rules: [{ when: "go", steps: [{ say: "I see a dot." }] }] },
    run: async (stage) => {
      const url =
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
      const text = `data:text/plain;base64,${Buffer.from("a note").toString("base64")}`;
      const parts = [
        { type: "file", mime: "image/png", filename: "dot.png", url },
        { type: "file", mime: "text/plain", filename: "note.txt", url: text },
      ];
      await prompt(stage, "go", "1", { parts });
      await rests(stage);
    },
  },
];
